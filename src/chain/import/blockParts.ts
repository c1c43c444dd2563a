import { errorText } from '../../encoding/errorText.js'
import { bytesEqual, bytesToBigint } from '../../encoding/hex.js'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import { withdrawalToList } from '../block/body.js'
import { encodeHeader, hashHeader, headerFromList } from '../block/header.js'
import { ImportError, TransactionEncodingError } from '../errors.js'
import { encodeRlp, isList, itemEnd, payloadStart } from '../rlp.js'
import { type RlpSpan, splitRlp } from '../strictRlp.js'
import type { HeaderFields, Withdrawal } from '../types.js'

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
 * @throws ImportError if the bytes are not the canonical RLP of a block
 */
export function decodeBlock(bytes: Uint8Array): BlockParts {
  return runToCompletion(decodeBlockInSteps(bytes))
}

/** Incremental version of {@link decodeBlock}: yields between pieces. */
export function* decodeBlockInSteps(given: Uint8Array): Steps<BlockParts> {
  // What is kept of the block are copies, which a Buffer's slices would not be.
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.length)
  yield* checkCount(bytes)
  let number: bigint | undefined
  try {
    const block = partAt(bytes, 0, bytes.length)
    if (block.end < bytes.length) throw new ImportError(undefined, 'encoding', 'there are bytes after it')
    const [ofHeader, ...parts] = partsOf(bytes, block, 'the block', MAX_PARTS)
    const header = readHeader(bytes, ofHeader, 'the header')
    number = header.number
    const [transactions, uncles, withdrawals] = parts
    if (transactions === undefined || uncles === undefined || parts.length > 3) {
      throw new ImportError(number, 'encoding', `a block has 3 or 4 parts, not ${parts.length + 1}`)
    }
    const body: BlockParts = {
      hash: hashHeader(header),
      header,
      transactions: yield* each(bytes, listOf(transactions, 'transactions'), (part) =>
        bytes.slice(part.isList ? part.at : part.start, part.end),
      ),
      uncles: yield* each(bytes, listOf(uncles, 'uncles'), (part, index) =>
        readHeader(bytes, part, `uncle ${index}`),
      ),
      uncleHashes: [],
      size: bytes.length,
    }
    const uncleHashes = body.uncles.map(hashHeader)
    if (withdrawals === undefined) return { ...body, uncleHashes }
    const read = (part: Part): Withdrawal => readWithdrawal(bytes, part, header)
    return {
      ...body,
      uncleHashes,
      withdrawals: yield* each(bytes, listOf(withdrawals, 'withdrawals'), read),
    }
  } catch (error) {
    if (!(error instanceof TransactionEncodingError)) throw error
    throw new ImportError(number, 'encoding', error.message)
  }
}

/** Most parts that are read of a block. */
const MAX_PARTS = 5
/** Items read between two yields. */
const ITEMS_AT_ONCE = 512

/** An item of an encoding. */
interface Part extends RlpSpan {
  /** Where the item begins, with its own header. */
  at: number
}

function partAt(bytes: Uint8Array, at: number, limit: number): Part {
  return { ...splitRlp(bytes, at, limit), at }
}

/** Returns the items of a list, at most so many. */
function partsOf(bytes: Uint8Array, part: Part | undefined, name: string, most: number): Part[] {
  const { start, end } = listOf(part, name)
  const parts: Part[] = []
  for (let at = start; at < end && parts.length < most; at = parts.at(-1)?.end ?? end) {
    parts.push(partAt(bytes, at, end))
  }
  return parts
}

/** Reads each item of a list. */
function* each<T>(
  bytes: Uint8Array,
  { start, end }: Part,
  read: (part: Part, index: number) => T,
): Steps<T[]> {
  const items: T[] = []
  for (let at = start; at < end;) {
    const part = partAt(bytes, at, end)
    if (items.push(read(part, items.length)) % ITEMS_AT_ONCE === 0) yield
    at = part.end
  }
  return items
}

/** @throws ImportError if there are more items than a block has: millions of them would take long */
function* checkCount(bytes: Uint8Array): Steps<void> {
  const most = Math.max(MIN_BYTES_OF_ITEMS, bytes.length) / MIN_BYTES_PER_ITEM
  if (yield* hasAtMost(most, bytes)) return
  throw new ImportError(undefined, 'encoding', 'it has more items than a block of its size')
}

/** Whether an encoding has at most so many items, its lists included. */
export function* hasAtMost(most: number, bytes: Uint8Array): Steps<boolean> {
  let count = 0
  for (let at = 0; at < bytes.length;) {
    at = isList(bytes, at) ? payloadStart(bytes, at) : itemEnd(bytes, at)
    if (++count > most) return false
    if (count % COUNTED_AT_ONCE === 0) yield
  }
  return true
}

/** Items counted between two yields. */
const COUNTED_AT_ONCE = 65_536

/** Minimum average length in bytes of a block's items; those of a withdrawal average five. */
const MIN_BYTES_PER_ITEM = 4
/** Shorter encodings may have any number of items. */
const MIN_BYTES_OF_ITEMS = 4096

/** Most fields that are read of a header: one more than there may be. */
const MAX_FIELDS = 22

function readHeader(bytes: Uint8Array, part: Part | undefined, name: string): HeaderFields {
  const fields = partsOf(bytes, part, name, MAX_FIELDS).map((field, index) => {
    if (!field.isList) return checkLength(bytes.slice(field.start, field.end), index, name)
    throw new ImportError(undefined, 'encoding', `field ${index} of ${name} is a list`)
  })
  let header: HeaderFields
  try {
    header = headerFromList(fields)
  } catch (error) {
    throw new ImportError(undefined, 'encoding', `${name}: ${errorText(error)}`)
  }
  checkCanonical(bytes, part, encodeHeader(header), header)
  return header
}

/** @throws ImportError if an item is not encoded as its content would be: numbers may have leading zeros */
function checkCanonical(
  bytes: Uint8Array,
  part: Part | undefined,
  encoded: Uint8Array,
  { number }: HeaderFields,
): void {
  if (part !== undefined && bytesEqual(bytes.subarray(part.at, part.end), encoded)) return
  throw new ImportError(number, 'encoding', 'it is not the canonical RLP of its content')
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

/** Position of the extra data, whose length is checked with the rest of the header. */
const EXTRA_DATA = 12
/** Maximum bytes of a number. */
const MAX_NUMBER_LENGTH = 32

function checkLength(field: Uint8Array, index: number, name: string): Uint8Array {
  const length = HEADER_LENGTHS[index]
  const refuse = (wanted: string): never => {
    const reason = `field ${index} of ${name} has ${field.length} bytes, ${wanted}`
    throw new ImportError(undefined, 'encoding', reason)
  }
  if (length !== undefined && field.length !== length) refuse(`not ${length}`)
  if (length === undefined && index !== EXTRA_DATA && field.length > MAX_NUMBER_LENGTH) {
    refuse(`more than ${MAX_NUMBER_LENGTH}`)
  }
  return field
}

function readWithdrawal(bytes: Uint8Array, part: Part, header: HeaderFields): Withdrawal {
  const fields = partsOf(bytes, part, 'a withdrawal', WITHDRAWAL_FIELDS + 1)
  const [index, validatorIndex, address, amount] = fields.map(({ start, end }) => bytes.slice(start, end))
  if (
    fields.length !== WITHDRAWAL_FIELDS ||
    fields.some((field) => field.isList) ||
    !isNumber(index) ||
    !isNumber(validatorIndex) ||
    !isNumber(amount) ||
    address?.length !== 20
  ) {
    throw new ImportError(
      undefined,
      'encoding',
      'a withdrawal has an index, a validator, an address and an amount',
    )
  }
  const withdrawal = {
    index: bytesToBigint(index),
    validatorIndex: bytesToBigint(validatorIndex),
    address,
    amount: bytesToBigint(amount),
  }
  checkCanonical(bytes, part, encodeRlp(withdrawalToList(withdrawal)), header)
  return withdrawal
}

const WITHDRAWAL_FIELDS = 4

function isNumber(bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes !== undefined && bytes.length <= 8
}

function listOf(part: Part | undefined, name: string): Part {
  if (part?.isList === true) return part
  throw new ImportError(undefined, 'encoding', `${name} is not a list`)
}
