import type { PrestateAccount } from '../../chain/tracing/prestateAccount.js'
import type { PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ListWriter } from '../format/listWriter.js'
import { jsonBytes, jsonQuantity } from '../format/members.js'
import type { PieceWriter } from '../format/pieceWriter.js'

const ZERO_SLOT = '0'.repeat(64)
/** What did not change. */
const SAME = '"="'

/** Writes what an execution changed, in Parity's form: `=` as it was, `*` changed, `+` new, `-` gone. */
export function* writeStateDiff(
  { pre, post }: Pick<PrestateTracer, 'pre' | 'post'>,
  writer: PieceWriter,
): Steps<void> {
  const accounts = new ListWriter(writer, '{}')
  for (const [address, before] of [...pre].sort(([a], [b]) => (a < b ? -1 : 1))) {
    accounts.append(`"0x${address}":`)
    const after = post.get(address)
    if (after === undefined) yield* writeWhole('-', before, writer)
    else if (before.isAbsent) yield* writeWhole('+', after, writer)
    else yield* writeChanges(before, after, writer)
  }
  accounts.end()
}

function* writeWhole(
  sign: '+' | '-',
  { balance, nonce, code, storage }: PrestateAccount,
  writer: PieceWriter,
): Steps<void> {
  const whole = (value: string): string => `{"${sign}":${value}}`
  writer.append(
    `{"balance":${whole(jsonQuantity(balance ?? 0n))},"nonce":${whole(jsonQuantity(nonce ?? 0n))}` +
      `,"code":${whole(jsonBytes(code))},"storage":`,
  )
  const slots = new ListWriter(writer, '{}')
  for (const [slot, value] of storage) {
    slots.append(`"0x${slot}":${whole(`"0x${value}"`)}`)
    yield
  }
  slots.end()
  writer.append('}')
}

function* writeChanges(before: PrestateAccount, after: PrestateAccount, writer: PieceWriter): Steps<void> {
  const code = after.codeHash === undefined ? SAME : fromTo(jsonBytes(before.code), jsonBytes(after.code))
  writer.append(
    `{"balance":${changed(before.balance, after.balance)},"nonce":${changed(before.nonce, after.nonce)}` +
      `,"code":${code},"storage":`,
  )
  yield
  const slots = new ListWriter(writer, '{}')
  for (const slot of [...new Set([...before.storage.keys(), ...after.storage.keys()])].sort()) {
    const [from, to] = [before.storage.get(slot) ?? ZERO_SLOT, after.storage.get(slot) ?? ZERO_SLOT]
    slots.append(`"0x${slot}":${fromTo(`"0x${from}"`, `"0x${to}"`)}`)
    yield
  }
  slots.end()
  writer.append('}')
}

function changed(before = 0n, after: bigint | undefined): string {
  return after === undefined ? SAME : fromTo(jsonQuantity(before), jsonQuantity(after))
}

function fromTo(from: string, to: string): string {
  return `{"*":{"from":${from},"to":${to}}}`
}
