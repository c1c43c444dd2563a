import { bytesToBigint, minimalBytes } from '../../encoding/quantity.js'
import { keccak256 } from '../keccak.js'
import { encodeRlp, payloadsOf } from '../rlp.js'
import type { HeaderFields } from '../types.js'

/** The number of fields of a header before London; each later field is appended (execution-specs, Header). */
const BASE_FIELDS = 15

/** A header as the list of byte strings that its RLP encodes. */
export function headerToList(header: HeaderFields): Uint8Array[] {
  const list = [
    header.parentHash,
    header.uncleHash,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    minimalBytes(header.difficulty),
    minimalBytes(header.number),
    minimalBytes(header.gasLimit),
    minimalBytes(header.gasUsed),
    minimalBytes(header.timestamp),
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  if (header.baseFeePerGas !== undefined) list.push(minimalBytes(header.baseFeePerGas))
  if (header.withdrawalsRoot !== undefined) list.push(header.withdrawalsRoot)
  if (header.blobGasUsed !== undefined) list.push(minimalBytes(header.blobGasUsed))
  if (header.excessBlobGas !== undefined) list.push(minimalBytes(header.excessBlobGas))
  if (header.parentBeaconBlockRoot !== undefined) list.push(header.parentBeaconBlockRoot)
  if (header.requestsHash !== undefined) list.push(header.requestsHash)
  return list
}

/** The RLP of a header. */
export function encodeHeader(header: HeaderFields): Uint8Array {
  return encodeRlp(headerToList(header))
}

/** The 32-byte hash of a header: keccak-256 of its RLP. */
export function hashHeader(header: HeaderFields): Uint8Array {
  return keccak256(encodeHeader(header))
}

/**
 * A header from the list of byte strings that its RLP holds. How many fields there are says which forks were active.
 *
 * @throws Error if the list is too short or too long, or holds something other than byte strings.
 */
export function headerFromList(list: readonly unknown[]): HeaderFields {
  if (list.length < BASE_FIELDS || list.length > BASE_FIELDS + 6) {
    throw new Error(`a block header has 15 to 21 fields, not ${list.length}`)
  }
  const bytes = (index: number): Uint8Array => {
    const item = list[index]
    if (!(item instanceof Uint8Array))
      throw new Error(`field ${index} of a block header is not a byte string`)
    return item
  }
  const number = (index: number): bigint => bytesToBigint(bytes(index))
  return {
    parentHash: bytes(0),
    uncleHash: bytes(1),
    coinbase: bytes(2),
    stateRoot: bytes(3),
    transactionsRoot: bytes(4),
    receiptsRoot: bytes(5),
    logsBloom: bytes(6),
    difficulty: number(7),
    number: number(8),
    gasLimit: number(9),
    gasUsed: number(10),
    timestamp: number(11),
    extraData: bytes(12),
    mixHash: bytes(13),
    nonce: bytes(14),
    baseFeePerGas: list.length > 15 ? number(15) : undefined,
    withdrawalsRoot: list.length > 16 ? bytes(16) : undefined,
    blobGasUsed: list.length > 17 ? number(17) : undefined,
    excessBlobGas: list.length > 18 ? number(18) : undefined,
    parentBeaconBlockRoot: list.length > 19 ? bytes(19) : undefined,
    requestsHash: list.length > 20 ? bytes(20) : undefined,
  }
}

/** A header from RLP that this program stored; its byte strings are views on it. */
export function decodeHeader(rlp: Uint8Array): HeaderFields {
  return headerFromList(payloadsOf(rlp))
}
