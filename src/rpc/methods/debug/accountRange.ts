import { checksumAddress } from '../../../chain/accounts/address.js'
import { padTo32 } from '../../../chain/state/account.js'
import type { RangeAccount, RangeSlot } from '../../../chain/state/stateRange.js'
import type { BlockSelector } from '../../../chain/view.js'
import { bytesToPlainHex } from '../../../encoding/hex.js'
import { sortedEntries } from '../../../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { ResponseTooLargeError, ServerError } from '../../errors.js'
import { ListWriter, PieceWriter, jsonBytes, writeBytes } from '../../format/pieces.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockNumber, blockSelector } from '../../params/blockSelector.js'
import { boolean, data } from '../../params/bytes.js'
import { int } from '../../params/numbers.js'
import { isPending, latestBlock } from '../findBlock.js'
import { WireBytes } from '../../wire.js'

/** Maximum number of accounts in an answer (geth: eth/api_debug.go, AccountRangeMaxResults). */
const MAX_ACCOUNTS = 256

const HASH_LENGTH = 32

interface DumpOptions {
  start: Uint8Array
  limit: number
  withCode: boolean
  withStorage: boolean
  /** Whether to include accounts whose address is unknown, only its hash. */
  withHashesOnly: boolean
}

/** debug_accountRange: returns accounts of a block's state, ordered by address hash, from a given hash on. */
export const accountRange = defineMethod(
  'debug_accountRange',
  [
    required('block', blockSelector),
    required('start', data),
    required('limit', int),
    required('noCode', boolean),
    required('noStorage', boolean),
    required('incompletes', boolean),
  ],
  (call, selector, start, limit, noCode, noStorage, incompletes) =>
    dump(call, selector, {
      start: padTo32(start.subarray(-HASH_LENGTH)),
      limit: limit <= 0 || limit > MAX_ACCOUNTS ? MAX_ACCOUNTS : limit,
      withCode: !noCode,
      withStorage: !noStorage,
      withHashesOnly: incompletes,
    }),
)

/** debug_dumpBlock: returns the first 256 accounts of a block's state, ordered by address hash. */
export const dumpBlock = defineMethod('debug_dumpBlock', [required('block', blockNumber)], (call, selector) =>
  dump(call, selector, {
    start: new Uint8Array(0),
    limit: MAX_ACCOUNTS,
    withCode: true,
    withStorage: true,
    withHashesOnly: false,
  }),
)

/** For the pending block, dumps the state that it starts from, like geth. */
async function dump(call: Call, selector: BlockSelector, options: DumpOptions): Promise<WireBytes> {
  const { view, backend } = call
  const { start, limit, withHashesOnly } = options
  const selected = isPending(selector) ? latestBlock : selector
  if (view.resolve(selected) === undefined) throw new ServerError(`block ${named(selector)} not found`)
  const { root } = (await view.stateAt(selected)).state
  const { items, next } = await backend.ranges.accounts(root, {
    start,
    limit,
    isWanted: ({ address }) => withHashesOnly || address !== undefined,
  })
  const writer = new PieceWriter()
  const slice = new TimeSlice()
  writer.append(`{"root":"${bytesToPlainHex(root)}","accounts":`)
  const list = new ListWriter(writer, '{}')
  const ordered = items.map((account): [string, RangeAccount] => [keyOf(account), account])
  let remainingSlots = Math.floor(backend.settings.maxTraceBytes / BYTES_OF_SLOT)
  for (const [key, account] of ordered.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const slots = options.withStorage ? await readSlots(call, account, remainingSlots) : []
    remainingSlots -= slots.length
    list.append(`"${key}":`)
    const code = options.withCode ? backend.ranges.code(account.codeHash) : new Uint8Array(0)
    await runInSlices(writeAccount(account, { code, slots }, writer), slice)
  }
  list.end()
  writer.append(next === undefined ? '}' : `,"next":${jsonBytes(next)}}`)
  return new WireBytes(writer.pieces())
}

/** Reads an account's slots; none if its address is unknown, like geth. */
async function readSlots(
  { backend }: Call,
  { address, storageRoot }: RangeAccount,
  limit: number,
): Promise<RangeSlot[]> {
  if (address === undefined) return []
  const { items, next } = await backend.ranges.storage(storageRoot, {
    start: new Uint8Array(0),
    limit,
  })
  if (next !== undefined) throw new ResponseTooLargeError()
  return items
}

/** geth's numbers of the tags that a chain may lack (rpc/types.go). */
const tagNumbers: Readonly<Record<string, number>> = { finalized: -3, safe: -4 }

function named(selector: BlockSelector): string {
  if ('hash' in selector) return `0x${bytesToPlainHex(selector.hash)}`
  return `#${'number' in selector ? selector.number : tagNumbers[selector.tag]}`
}

function keyOf({ address, hash }: RangeAccount): string {
  return address === undefined ? `pre(0x${bytesToPlainHex(hash)})` : checksumAddress(address)
}

/** Writes an account like geth's dump (core/state/dump.go, DumpAccount). */
function* writeAccount(
  { balance, nonce, storageRoot, codeHash, address, hash }: RangeAccount,
  { code, slots }: { code: Uint8Array; slots: readonly RangeSlot[] },
  writer: PieceWriter,
): Steps<void> {
  writer.append(
    `{"balance":"${balance}","nonce":${nonce},"root":${jsonBytes(storageRoot)},"codeHash":${jsonBytes(codeHash)}`,
  )
  if (code.length > 0) {
    writer.append(',"code":')
    yield* writeBytes(code, writer)
  }
  yield
  const known = new Map<string, Uint8Array>()
  for (const { key, value } of slots) {
    if (key !== undefined) known.set(bytesToPlainHex(key), value)
    yield
  }
  if (known.size > 0) {
    writer.append(',"storage":')
    const members = new ListWriter(writer, '{}')
    for (const [digits, value] of yield* sortedEntries(known)) {
      members.append(`"0x${digits}":"${bytesToPlainHex(value).replace(/^(00)+/, '')}"`)
      yield
    }
    members.end()
  }
  if (address !== undefined) writer.append(`,"address":${jsonBytes(address)}`)
  writer.append(`,"key":${jsonBytes(hash)}}`)
}

/** Minimum bytes of a slot in the answer. */
const BYTES_OF_SLOT = 72
