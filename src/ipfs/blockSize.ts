import { FileNetworkError } from './errors.js'
import type { OptionSpec } from './request/command.js'

/** The largest block that is made without `allow-big-block`, in bytes (Kubo, `cmdutils.SoftBlockLimit`). */
const softBlockLimit = 2 * 1024 * 1024

/** The option that lifts the limit. */
export const allowBigBlock = {
  type: 'bool',
  default: false,
  description: 'Also make blocks of more than 2 MiB.',
} as const satisfies OptionSpec

/** Refuses a block that is too large for most of the network. */
export function checkBlockSize(size: number, options: { 'allow-big-block': boolean }): void {
  if (size <= softBlockLimit || options['allow-big-block']) return
  throw new FileNetworkError(
    "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS " +
      'for automatic chunking of bigger files, or pass --allow-big-block to override',
  )
}
