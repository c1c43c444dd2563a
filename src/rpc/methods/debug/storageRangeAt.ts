import { bytesToHex } from '../../../encoding/hex.js'
import type { RangePage } from '../../../chain/state/stateRange.js'
import { ResponseTooLargeError, ServerError } from '../../errors.js'
import { ListWriter, PieceWriter, jsonBytes } from '../../format/pieces.js'
import { type Call, defineMethod, required } from '../../method.js'
import { address, data } from '../../params/bytes.js'
import { blockSelector } from '../../params/blockSelector.js'
import { int } from '../../params/numbers.js'
import { WireBytes } from '../../wire.js'
import { findBlock, isPending, printedSelector } from '../findBlock.js'

/** Minimum bytes of a slot in the answer. */
const BYTES_OF_SLOT = 160

/**
 * debug_storageRangeAt: returns an account's slots, ordered by key hash, from a given hash on. Like in geth 1.17, they
 * are those at the start of the block, whatever the index: its storage tries do not reflect changes by earlier
 * transactions of the block (eth/api_debug.go, storageRangeAt).
 *
 * @throws ServerError if the block is unknown or the first one, or has no transaction with that index
 * @throws ResponseTooLargeError
 */
export const storageRangeAt = defineMethod(
  'debug_storageRangeAt',
  [
    required('block', blockSelector),
    required('transactionIndex', int),
    required('address', address),
    required('start', data),
    required('limit', int),
  ],
  async (call, selector, index, account, start, limit) => {
    const { view, backend } = call
    const block = isPending(selector) ? (await view.pendingBlock()).block : findBlock(view, selector)
    if (block === undefined) throw new ServerError(`block ${printedSelector(selector)} not found`)
    const { header, transactions, hash } = block
    if (header.number === 0n) throw new ServerError('no transaction in genesis')
    if (index < 0 || index >= Math.max(transactions.length, 1)) {
      throw new ServerError(`transaction index ${index} out of range for block ${bytesToHex(hash)}`)
    }
    const parent = view.blockByHash(header.parentHash)
    if (parent === undefined) throw new ServerError(`parent ${bytesToHex(header.parentHash)} not found`)
    const root = block.parentStateRoot ?? parent.header.stateRoot
    const storageRoot = backend.ranges.storageRoot(root, account)
    if (storageRoot === undefined) return { storage: null, nextKey: null }
    // A start may be longer than the hash of a slot; one byte more tells that it lies behind it.
    return listSlots(call, storageRoot, { start: start.subarray(0, 33), limit: Math.max(limit, 0) })
  },
)

async function listSlots(
  { backend }: Call,
  storageRoot: Uint8Array,
  { start, limit }: RangePage,
): Promise<WireBytes> {
  const writer = new PieceWriter()
  writer.append('{"storage":')
  const members = new ListWriter(writer, '{}')
  const maximum = Math.floor(backend.settings.maxTraceBytes / BYTES_OF_SLOT)
  let count = 0
  let next: Uint8Array | undefined
  for await (const { hash, key, value } of backend.ranges.allSlots(storageRoot, start)) {
    if (count === limit) {
      next = hash
      break
    }
    if (count++ === maximum) throw new ResponseTooLargeError()
    const keyText = key === undefined ? 'null' : jsonBytes(key)
    members.append(`${jsonBytes(hash)}:{"key":${keyText},"value":${jsonBytes(value)}}`)
  }
  members.end()
  writer.append(`,"nextKey":${next === undefined ? 'null' : jsonBytes(next)}}`)
  return new WireBytes(writer.pieces())
}
