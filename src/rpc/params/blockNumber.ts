import type { BlockSelector, BlockTag } from '../../chain/view.js'
import type { JsonSchema } from '../wire.js'
import type { Decoder } from './parameter.js'
import { ReasonError } from './decodeError.js'
import { quantityMisfit } from './hexText.js'

const tags: readonly string[] = ['latest', 'earliest', 'pending', 'safe', 'finalized'] satisfies BlockTag[]

/** The schema of a tag. */
export const blockTagSchema: JsonSchema = { title: 'block tag', type: 'string', enum: tags }
/** The schema of a block number. */
export const blockNumberSchema: JsonSchema = {
  title: 'block number',
  type: 'string',
  pattern: '^0[xX](0|[1-9a-fA-F][0-9a-fA-F]{0,15})$',
}

/** A block named by a tag or a number. */
export type NumberSelector = Exclude<BlockSelector, { hash: Uint8Array }>

/** Whether a text is one of the tags. */
export function isBlockTag(text: string): text is BlockTag {
  return tags.includes(text)
}

/**
 * The number in a text that is no tag (geth: rpc/types.go).
 *
 * @throws ReasonError; `tooHigh` is the reason for numbers beyond 2^63-1.
 */
export function parseBlockNumber(text: string, tooHigh: string): bigint {
  if (text === '') throw new ReasonError('empty hex string')
  const misfit = quantityMisfit(text, 64)
  if (misfit !== undefined) throw new ReasonError(misfit)
  const number = BigInt(text.toLowerCase())
  if (number >= 1n << 63n) throw new ReasonError(tooHigh)
  return number
}

/** A block parameter that is a number or a tag (geth: rpc.BlockNumber). */
export const blockNumber: Decoder<NumberSelector> = {
  schema: { title: 'block number or tag', anyOf: [blockNumberSchema, blockTagSchema] },
  decode(value) {
    if (typeof value !== 'string') throw new ReasonError('hex string without 0x prefix')
    if (isBlockTag(value)) return { tag: value }
    return { number: parseBlockNumber(value, 'block number larger than int64') }
  },
}
