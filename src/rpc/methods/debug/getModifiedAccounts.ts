import type { StoredBlock } from '../../../chain/block/record.js'
import { bytesToPlainHex } from '../../../encoding/hex.js'
import { ResponseTooLargeError, ServerError } from '../../errors.js'
import { ListWriter, PieceWriter, jsonBytes } from '../../format/pieces.js'
import { type Call, defineMethod, optional, required } from '../../method.js'
import { hash } from '../../params/bytes.js'
import { controlUint64 } from '../../params/numbers.js'
import { WireBytes } from '../../wire.js'

/** Bytes of an address in the answer. */
const BYTES_OF_ADDRESS = 45

/** debug_getModifiedAccountsByNumber: returns the accounts that differ between the states after two blocks. */
export const getModifiedAccountsByNumber = defineMethod(
  'debug_getModifiedAccountsByNumber',
  [required('start', controlUint64), optional('end', controlUint64)],
  (call, start, end) => {
    const { view } = call
    const first = view.resolve({ number: start })
    if (first === undefined) throw new ServerError(`start block ${start.toString(16)} not found`)
    if (end === undefined) return modifiedIn(call, first)
    const last = view.resolve({ number: end })
    if (last === undefined) throw new ServerError(`end block ${end} not found`)
    return modifiedBetween(call, first, last)
  },
)

/** debug_getModifiedAccountsByHash: like debug_getModifiedAccountsByNumber, with block hashes. */
export const getModifiedAccountsByHash = defineMethod(
  'debug_getModifiedAccountsByHash',
  [required('startHash', hash), optional('endHash', hash)],
  (call, startHash, endHash) => {
    const { view } = call
    const first = view.blockByHash(startHash)
    if (first === undefined) throw new ServerError(`start block ${bytesToPlainHex(startHash)} not found`)
    if (endHash === undefined) return modifiedIn(call, first)
    const last = view.blockByHash(endHash)
    if (last === undefined) throw new ServerError(`end block ${bytesToPlainHex(endHash)} not found`)
    return modifiedBetween(call, first, last)
  },
)

function modifiedIn(call: Call, block: StoredBlock): Promise<WireBytes | null> {
  const parent = call.view.blockByHash(block.header.parentHash)
  if (parent === undefined) throw new ServerError(`block ${block.header.number.toString(16)} has no parent`)
  return modifiedBetween(call, parent, block)
}

/** Returns the accounts that differ; null if none does, as in geth. */
async function modifiedBetween(
  { backend }: Call,
  { header: start }: StoredBlock,
  { header: end }: StoredBlock,
): Promise<WireBytes | null> {
  if (start.number >= end.number) {
    throw new ServerError(
      `start block height (${start.number}) must be less than end block height (${end.number})`,
    )
  }
  const writer = new PieceWriter()
  const list = new ListWriter(writer)
  const maximum = Math.floor(backend.settings.maxTraceBytes / BYTES_OF_ADDRESS)
  let count = 0
  for await (const { address, hash } of backend.ranges.changedAccounts(start.stateRoot, end.stateRoot)) {
    if (address === undefined) throw new ServerError(`no preimage found for hash ${bytesToPlainHex(hash)}`)
    if (count++ === maximum) throw new ResponseTooLargeError()
    list.append(jsonBytes(address))
  }
  if (count === 0) return null
  list.end()
  return new WireBytes(writer.pieces())
}
