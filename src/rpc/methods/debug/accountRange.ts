import { checksumAddress } from '../../../chain/accounts/address.js'
import { padTo32 } from '../../../chain/state/account.js'
import type { RangeAccount } from '../../../chain/state/stateRange.js'
import type { BlockSelector } from '../../../chain/view.js'
import { bytesToPlainHex } from '../../../encoding/hex.js'
import { ServerError } from '../../errors.js'
import { ListWriter, PieceWriter, jsonBytes } from '../../format/pieces.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockNumber, blockSelector } from '../../params/blockSelector.js'
import { boolean, data } from '../../params/bytes.js'
import { int } from '../../params/traceConfig.js'
import { findBlock, isPending, latestBlock } from '../findBlock.js'
import { WireBytes } from '../../wire.js'

/** Most accounts of an answer (geth: eth/api_debug.go, AccountRangeMaxResults). */
const MOST_ACCOUNTS = 256

const HASH_LENGTH = 32

interface DumpOptions {
  start: Uint8Array
  limit: number
  withCode: boolean
  withStorage: boolean
  /** Whether accounts are listed of whose address only the hash is known. */
  withHashesOnly: boolean
}

/** debug_accountRange: the accounts of a block's state, in the order of the hashes of their addresses from one on. */
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
      limit: limit <= 0 || limit > MOST_ACCOUNTS ? MOST_ACCOUNTS : limit,
      withCode: !noCode,
      withStorage: !noStorage,
      withHashesOnly: incompletes,
    }),
)

/** debug_dumpBlock: the first 256 accounts of a block's state, in the order of the hashes of their addresses. */
export const dumpBlock = defineMethod('debug_dumpBlock', [required('block', blockNumber)], (call, selector) =>
  dump(call, selector, {
    start: new Uint8Array(0),
    limit: MOST_ACCOUNTS,
    withCode: true,
    withStorage: true,
    withHashesOnly: false,
  }),
)

/** The pending block has the state that it begins with, as in geth. */
async function dump(call: Call, selector: BlockSelector, options: DumpOptions): Promise<WireBytes> {
  const { view, backend } = call
  const { start, limit, withHashesOnly } = options
  const place = isPending(selector) ? latestBlock : selector
  if (findBlock(view, place) === undefined) throw new ServerError(`block ${named(selector)} not found`)
  const { root } = (await view.stateAt(place)).state
  const { items, next } = await backend.ranges.accounts(root, {
    start,
    limit,
    isWanted: ({ address }) => withHashesOnly || address !== undefined,
  })
  const writer = new PieceWriter()
  let budget = backend.settings.maxTraceBytes
  writer.append(`{"root":"${bytesToPlainHex(root)}","accounts":`)
  const list = new ListWriter(writer, '{}')
  const ordered = items.map((account): [string, RangeAccount] => [keyOf(account), account])
  for (const [key, account] of ordered.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = await accountText(call, account, options)
    budget -= text.length
    if (budget < 0) throw new ServerError('response too large')
    list.append(`"${key}":${text}`)
  }
  list.end()
  writer.append(next === undefined ? '}' : `,"next":${jsonBytes(next)}}`)
  return new WireBytes(writer.pieces())
}

function named(selector: BlockSelector): string {
  if ('hash' in selector) return `0x${bytesToPlainHex(selector.hash)}`
  return `#${'number' in selector ? selector.number : selector.tag}`
}

function keyOf({ address, hash }: RangeAccount): string {
  return address === undefined ? `pre(0x${bytesToPlainHex(hash)})` : checksumAddress(address)
}

/** An account as geth dumps it (core/state/dump.go, DumpAccount). */
async function accountText(
  { backend }: Call,
  account: RangeAccount,
  { withCode, withStorage }: DumpOptions,
): Promise<string> {
  const { balance, nonce, storageRoot, codeHash, address, hash } = account
  const code = withCode ? backend.ranges.code(codeHash) : new Uint8Array(0)
  let text = `{"balance":"${balance}","nonce":${nonce},"root":${jsonBytes(storageRoot)},"codeHash":${jsonBytes(codeHash)}`
  if (code.length > 0) text += `,"code":${jsonBytes(code)}`
  if (withStorage && address !== undefined) {
    const limit = backend.settings.maxTraceBytes / BYTES_OF_SLOT
    const { items, next } = await backend.ranges.storage(address, storageRoot, {
      start: new Uint8Array(0),
      limit,
    })
    if (next !== undefined) throw new ServerError('response too large')
    const slots = items.flatMap(({ key, value }) =>
      key === undefined ? [] : [`${jsonBytes(key)}:"${bytesToPlainHex(value).replace(/^(00)+/, '')}"`],
    )
    if (slots.length > 0) text += `,"storage":{${slots.sort().join(',')}}`
  }
  if (address !== undefined) text += `,"address":${jsonBytes(address)}`
  return `${text},"key":${jsonBytes(hash)}}`
}

/** At least what a slot takes in the answer. */
const BYTES_OF_SLOT = 72
