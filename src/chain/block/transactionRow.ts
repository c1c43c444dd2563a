import { ordinalAt, putOrdinal, putUint32 } from '../../storage/keyspace.js'

/** One place of a transaction: the block by its ordinal, and the index in it. */
export interface TransactionPlace {
  ordinal: number
  index: number
}

const PLACE_LENGTH = 10

/** The places of a transaction, 10 bytes each: ordinal (6) and index (4), big-endian, oldest first. */
export function encodeTransactionRow(places: readonly TransactionPlace[]): Uint8Array {
  const bytes = new Uint8Array(PLACE_LENGTH * places.length)
  places.forEach(({ ordinal, index }, i) => {
    putOrdinal(bytes, ordinal, PLACE_LENGTH * i)
    putUint32(bytes, index, PLACE_LENGTH * i + 6)
  })
  return bytes
}

/** Reads what {@link encodeTransactionRow} wrote. */
export function decodeTransactionRow(bytes: Uint8Array): TransactionPlace[] {
  const places: TransactionPlace[] = []
  for (let at = 0; at < bytes.length; at += PLACE_LENGTH) {
    const index =
      ((bytes[at + 6]! << 24) | (bytes[at + 7]! << 16) | (bytes[at + 8]! << 8) | bytes[at + 9]!) >>> 0
    places.push({ ordinal: ordinalAt(bytes, at), index })
  }
  return places
}
