import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { errorText } from '../../encoding/errorText.js'
import { bytesEqual, bytesToBigint } from '../../encoding/hex.js'
import { withdrawalToList } from '../block/body.js'
import { hashHeader, headerFromList, headerToList } from '../block/header.js'
import { ImportError } from '../errors.js'
import { countItems } from '../rlp.js'
import type { HeaderFields, Withdrawal } from '../types.js'

type Item = Uint8Array | NestedUint8Array

/** A decoded block whose transactions are still encoded. */
export interface BlockParts {
  /** 32 bytes. */
  hash: Uint8Array
  header: HeaderFields
  /** EIP-2718 encodings. */
  transactions: readonly Uint8Array[]
  uncles: readonly HeaderFields[]
  /** 32 bytes each, in the order of `uncles`. */
  uncleHashes: readonly Uint8Array[]
  /** Since Shanghai. */
  withdrawals?: readonly Withdrawal[]
  /** Length of the RLP in bytes. */
  size: number
}

/**
 * Decodes a block.
 *
 * @throws ImportError if the bytes are not the canonical RLP of a block.
 */
export function decodeBlock(bytes: Uint8Array): BlockParts {
  // A copy, because otherwise everything kept of the block would retain the memory of Node's buffers.
  const items = listOf(decodeRlp(new Uint8Array(bytes)), 'the block')
  const header = readHeader(items[0], 'the header')
  const refuse = (reason: string): never => {
    throw new ImportError(header.number, 'encoding', reason)
  }
  if (items.length < 3 || items.length > 4) refuse(`a block has 3 or 4 parts, not ${items.length}`)
  const uncles = listOf(items[2], 'uncles').map((item, index) => readHeader(item, `uncle ${index}`))
  const parts: BlockParts = {
    hash: hashHeader(header),
    header,
    transactions: listOf(items[1], 'transactions').map((item) =>
      item instanceof Uint8Array ? item : RLP.encode(item),
    ),
    uncles,
    uncleHashes: uncles.map(hashHeader),
    size: bytes.length,
  }
  if (items[3] !== undefined) parts.withdrawals = listOf(items[3], 'withdrawals').map(readWithdrawal)
  if (!bytesEqual(encodeAgain(parts, items[1]), bytes)) refuse('it is not the canonical RLP of its content')
  return parts
}

/** Re-encodes the parts. A difference reveals leading zeros in numbers, or over-long lengths. */
function encodeAgain(
  { header, uncles, withdrawals }: BlockParts,
  transactions: Item | undefined,
): Uint8Array {
  return RLP.encode([
    headerToList(header),
    transactions ?? [],
    uncles.map(headerToList),
    ...(withdrawals === undefined ? [] : [withdrawals.map(withdrawalToList)]),
  ])
}

/** Counts the items first: millions of empty items would take the library seconds, and more memory than there is. */
function decodeRlp(bytes: Uint8Array): Item {
  if (countItems(bytes) > Math.max(LEAST_BYTES_OF_ITEMS, bytes.length) / LEAST_BYTES_PER_ITEM) {
    throw new ImportError(undefined, 'encoding', 'it has more items than a block of its size')
  }
  try {
    return RLP.decode(bytes)
  } catch (error) {
    throw new ImportError(undefined, 'encoding', errorText(error))
  }
}

/** Minimum average length in bytes of a block's items; those of a withdrawal average five. */
const LEAST_BYTES_PER_ITEM = 4
/** Shorter encodings may have any number of items. */
const LEAST_BYTES_OF_ITEMS = 4096

function readHeader(item: Item | undefined, name: string): HeaderFields {
  const list = listOf(item, name).map((field, index) => {
    if (field instanceof Uint8Array) return checkLength(field, index, name)
    throw new ImportError(undefined, 'encoding', `field ${index} of ${name} is a list`)
  })
  try {
    return headerFromList(list)
  } catch (error) {
    throw new ImportError(undefined, 'encoding', `${name}: ${errorText(error)}`)
  }
}

/** Lengths of fixed-length header fields, by position. */
const HEADER_LENGTHS: Readonly<Record<number, number>> = {
  0: 32,
  1: 32,
  2: 20,
  3: 32,
  4: 32,
  5: 32,
  6: 256,
  13: 32,
  14: 8,
  16: 32,
  19: 32,
  20: 32,
}

function checkLength(field: Uint8Array, index: number, name: string): Uint8Array {
  const length = HEADER_LENGTHS[index]
  if (length !== undefined && field.length !== length) {
    throw new ImportError(
      undefined,
      'encoding',
      `field ${index} of ${name} has ${field.length} bytes, not ${length}`,
    )
  }
  return field.slice()
}

function readWithdrawal(item: Item): Withdrawal {
  const [index, validatorIndex, address, amount, ...rest] = listOf(item, 'a withdrawal')
  if (
    !(index instanceof Uint8Array && validatorIndex instanceof Uint8Array) ||
    !(address instanceof Uint8Array && amount instanceof Uint8Array) ||
    address.length !== 20 ||
    rest.length > 0
  ) {
    throw new ImportError(
      undefined,
      'encoding',
      'a withdrawal has an index, a validator, an address and an amount',
    )
  }
  return {
    index: bytesToBigint(index),
    validatorIndex: bytesToBigint(validatorIndex),
    address: address.slice(),
    amount: bytesToBigint(amount),
  }
}

function listOf(item: Item | undefined, name: string): Item[] {
  if (item === undefined || item instanceof Uint8Array)
    throw new ImportError(undefined, 'encoding', `${name} is not a list`)
  return item
}
