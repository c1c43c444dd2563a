import { bigintToBytes, bytesToBigint, bytesToPlainHex, joinBytes } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import {
  type Keyspace,
  encodeOrdinal,
  ordinalAt,
  putOrdinal,
  putUint32,
  uint32At,
} from '../../storage/keyspace.js'
import {
  BULK_ROW_LENGTH,
  type BulkLocation,
  type RecordPosition,
  decodeBulkRow,
  encodeBulkRow,
} from '../../storage/records.js'
import { keccak256 } from '../crypto.js'
import { NO_BYTES } from '../state/account.js'
import type { ExecutionLog } from '../types.js'
import { decodeHeader, encodeHeader } from './header.js'
import type { EncodedBlock, StoredBlock, TransactionEntry, WireSpan } from './record.js'

/**
 * The region of a block's bulk data in the record file, in four parts: the RLP of the block, the RLP list of its
 * consensus receipts, its wire bytes, and a table of its logs (8 bytes each: offset and length of a log in the wire
 * bytes, 4 bytes big-endian each).
 */
export interface BlockRegion {
  /** Position of the region in the record file. */
  position: number
  blockLength: number
  receiptsLength: number
  wireLength: number
  logCount: number
}

/** Returns the length of a region in bytes. */
export function regionLength({ blockLength, receiptsLength, wireLength, logCount }: BlockRegion): number {
  return blockLength + receiptsLength + wireLength + LOG_ROW * logCount
}

/** The record after a block's region: enough for look-ups and to find the bulk data. */
export interface IndexRecord {
  block: StoredBlock
  region: BlockRegion
  head: WireSpan
  rows: TransactionRows
}

const FLAG_ALTERED = 1
const FLAG_PARENT_STATE_ROOT = 2
const FLAG_IMPERSONATED = 1
/** Offsets within the row of a transaction: the hash first, then these. */
const SENDER_AT = 32
const FLAGS_AT = 52
const TRANSACTION_SPAN_AT = 53
const RECEIPT_SPAN_AT = 61
/** hash (32), sender (20), flags (1), four span fields of 4 bytes. */
const TRANSACTION_ROW = 53 + 16
/** flags (1), total difficulty (32), size (4), four lengths of the region (16), head span (8). */
const FIXED = 1 + 32 + 4 + 16 + 8
/** Length in bytes of a row of the log table: offset and length of a log within the wire bytes. */
export const LOG_ROW = 8

/** Transactions encoded between two yields. */
const TRANSACTIONS_AT_ONCE = 1024

/**
 * The transactions of a block as they are stored, decoded one by one on demand: a block may have tens of thousands, and
 * most readers want one.
 */
export class TransactionRows {
  readonly bytes: Uint8Array
  readonly transactionSpans: WireSpans
  readonly receiptSpans: WireSpans

  /** @param bytes - rows as {@link TransactionRows.encode} makes them */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.transactionSpans = new WireSpans(bytes, TRANSACTION_SPAN_AT)
    this.receiptSpans = new WireSpans(bytes, RECEIPT_SPAN_AT)
  }

  /** Encodes transactions with the spans of their wire bytes and those of their receipts, in 69 bytes each. */
  static *encode(
    transactions: readonly TransactionEntry[],
    spans: Pick<EncodedBlock, 'transactions' | 'receipts'>,
  ): Steps<TransactionRows> {
    const bytes = new Uint8Array(TRANSACTION_ROW * transactions.length)
    for (const [index, { hash, sender, impersonated }] of transactions.entries()) {
      const at = TRANSACTION_ROW * index
      bytes.set(hash, at)
      bytes.set(sender, at + SENDER_AT)
      bytes[at + FLAGS_AT] = impersonated ? FLAG_IMPERSONATED : 0
      putSpan(bytes, spans.transactions[index]!, at + TRANSACTION_SPAN_AT)
      putSpan(bytes, spans.receipts[index]!, at + RECEIPT_SPAN_AT)
      if (index % TRANSACTIONS_AT_ONCE === TRANSACTIONS_AT_ONCE - 1) yield
    }
    return new TransactionRows(bytes)
  }

  /** Returns the transactions in order, as views of their rows. */
  entries(): TransactionEntry[] {
    return Array.from(
      { length: this.bytes.length / TRANSACTION_ROW },
      (_, index) => new StoredTransaction(this.bytes, TRANSACTION_ROW * index),
    )
  }
}

/** A transaction that views its row. Its members are getters, which a spread leaves out. */
class StoredTransaction implements TransactionEntry {
  readonly #rows: Uint8Array
  readonly #at: number

  constructor(rows: Uint8Array, at: number) {
    this.#rows = rows
    this.#at = at
  }

  get hash(): Uint8Array {
    return this.#rows.subarray(this.#at, this.#at + SENDER_AT)
  }

  get sender(): Uint8Array {
    return this.#rows.subarray(this.#at + SENDER_AT, this.#at + FLAGS_AT)
  }

  get impersonated(): boolean {
    return (this.#rows[this.#at + FLAGS_AT]! & FLAG_IMPERSONATED) !== 0
  }
}

/** Adjacent spans of wire bytes, one for each transaction of a block. */
export class WireSpans {
  readonly #rows: Uint8Array
  readonly #column: number

  /** @param column - offset of the span within the row of a transaction */
  constructor(rows: Uint8Array, column: number) {
    this.#rows = rows
    this.#column = column
  }

  get length(): number {
    return this.#rows.length / TRANSACTION_ROW
  }

  at(index: number): WireSpan {
    const at = TRANSACTION_ROW * index + this.#column
    return { offset: uint32At(this.#rows, at), length: uint32At(this.#rows, at + 4) }
  }

  /** Returns the span that covers those from `begin` up to but not including `end`. */
  join(begin = 0, end = this.length): WireSpan {
    if (begin >= end) return { offset: 0, length: 0 }
    const { offset } = this.at(begin)
    const last = this.at(end - 1)
    return { offset, length: last.offset + last.length - offset }
  }
}

function putSpan(bytes: Uint8Array, { offset, length }: WireSpan, at: number): void {
  putUint32(bytes, offset, at)
  putUint32(bytes, length, at + 4)
}

/**
 * Encodes an index record: fixed fields, the parent state root if flagged, then header RLP, uncle hashes and
 * transactions, each after its 4-byte length or count. All numbers are big-endian. The ordinal is the key and not
 * repeated; the region ends where the record begins.
 *
 * @param header the RLP of the header, if already known
 */
export function encodeIndexRecord(
  { block, region, head, rows }: IndexRecord,
  header = encodeHeader(block.header),
): Uint8Array {
  const length =
    FIXED +
    (block.parentStateRoot?.length ?? 0) +
    4 +
    header.length +
    4 +
    32 * block.uncleHashes.length +
    4 +
    rows.bytes.length
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  let at = 0
  const uint32 = (value: number): void => {
    view.setUint32(at, value)
    at += 4
  }
  const copy = (part: Uint8Array): void => {
    bytes.set(part, at)
    at += part.length
  }
  const flags = block.altered ? FLAG_ALTERED : 0
  bytes[at++] = block.parentStateRoot === undefined ? flags : flags | FLAG_PARENT_STATE_ROOT
  copy(bigintToBytes(block.totalDifficulty, 32))
  uint32(block.size)
  uint32(region.blockLength)
  uint32(region.receiptsLength)
  uint32(region.wireLength)
  uint32(region.logCount)
  uint32(head.offset)
  uint32(head.length)
  if (block.parentStateRoot !== undefined) copy(block.parentStateRoot)
  uint32(header.length)
  copy(header)
  uint32(block.uncleHashes.length)
  for (const hash of block.uncleHashes) copy(hash)
  uint32(block.transactions.length)
  copy(rows.bytes)
  return bytes
}

/**
 * Decodes the output of {@link encodeIndexRecord}.
 *
 * @param bytes in their own memory: the result consists of views of them. Otherwise a block with one transaction would
 *   take some thirty small arrays, most of what an old block costs V8.
 * @param place the record's position in the record file, and the ordinal of the block
 */
export function decodeIndexRecord(
  bytes: Uint8Array,
  { ordinal, position }: { ordinal: number; position: RecordPosition },
): IndexRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const uint32 = (): number => {
    at += 4
    return view.getUint32(at - 4)
  }
  const take = (length: number): Uint8Array => {
    at += length
    return bytes.subarray(at - length, at)
  }
  const span = (): WireSpan => ({ offset: uint32(), length: uint32() })
  const flags = bytes[at++]!
  const totalDifficulty = bytesToBigint(take(32))
  const size = uint32()
  const region: BlockRegion = {
    position: 0,
    blockLength: uint32(),
    receiptsLength: uint32(),
    wireLength: uint32(),
    logCount: uint32(),
  }
  region.position = position - regionLength(region)
  const head = span()
  const parentStateRoot = (flags & FLAG_PARENT_STATE_ROOT) === 0 ? undefined : take(32)
  const headerRlp = take(uint32())
  const header = decodeHeader(headerRlp)
  let hash: Uint8Array | undefined
  const uncleHashes = Array.from({ length: uint32() }, () => take(32))
  const rows = new TransactionRows(take(TRANSACTION_ROW * uint32()))
  const block = {
    ordinal,
    // Computed on demand: a call or proof on an old block does not need it.
    get hash() {
      return (hash ??= keccak256(headerRlp))
    },
    header,
    totalDifficulty,
    size,
    altered: (flags & FLAG_ALTERED) !== 0,
    ...(parentStateRoot !== undefined && { parentStateRoot }),
    transactions: rows.entries(),
    uncleHashes,
  }
  return { block, region, head, rows }
}

/** One inclusion of a transaction: the ordinal of the block, and the index within it. */
export interface TransactionInclusion {
  ordinal: number
  index: number
}

const INCLUSION_LENGTH = 10

/** What the row of a block says. */
export interface BlockRow {
  /** The place of its index record. */
  place: BulkLocation
  /** See {@link StoredBlock.stateNode}. */
  stateNode: number | undefined
}

/** Encodes the row of a block: the place, followed by the number of the node in six bytes, if known. */
export function encodeBlockRow({ place, stateNode }: BlockRow): Uint8Array {
  const row = encodeBulkRow(place)
  return stateNode === undefined ? row : joinBytes([row, encodeOrdinal(stateNode)])
}

/** Decodes the output of {@link encodeBlockRow}. */
export function decodeBlockRow(bytes: Uint8Array): BlockRow {
  const stateNode = bytes.length > BULK_ROW_LENGTH ? ordinalAt(bytes, BULK_ROW_LENGTH) : undefined
  return { place: decodeBulkRow(bytes), stateNode }
}

/** Encodes the inclusions of a transaction, oldest first, 10 bytes each: ordinal (6) and index (4), big-endian. */
export function encodeTransactionRow(inclusions: readonly TransactionInclusion[]): Uint8Array {
  const bytes = new Uint8Array(INCLUSION_LENGTH * inclusions.length)
  inclusions.forEach(({ ordinal, index }, i) => {
    putOrdinal(bytes, ordinal, INCLUSION_LENGTH * i)
    putUint32(bytes, index, INCLUSION_LENGTH * i + 6)
  })
  return bytes
}

/** Decodes the output of {@link encodeTransactionRow}. */
export function decodeTransactionRow(bytes: Uint8Array): TransactionInclusion[] {
  const inclusions: TransactionInclusion[] = []
  for (let at = 0; at < bytes.length; at += INCLUSION_LENGTH) {
    inclusions.push({ ordinal: ordinalAt(bytes, at), index: uint32At(bytes, at + 6) })
  }
  return inclusions
}

/** A power of two, large enough that with a million transactions one in forty absent ones passes. */
const BITS = 2 ** 23
const BITS_EACH = 4

/**
 * A Bloom filter that rules out most transactions never added, with bits taken from the hash itself. A LevelDB look-up
 * of an absent transaction takes as long as encoding its block.
 */
export class TransactionFilter {
  readonly #bits = new Uint8Array(BITS / 8)

  /** @param hash - 32 bytes */
  add(hash: Uint8Array): void {
    for (let i = 0; i < BITS_EACH; i++) {
      const bit = bitOf(hash, i)
      this.#bits[bit >>> 3]! |= 1 << (bit & 7)
    }
  }

  /** Whether a transaction may have been added; never false for one that was. */
  mayHold(hash: Uint8Array): boolean {
    for (let i = 0; i < BITS_EACH; i++) {
      const bit = bitOf(hash, i)
      if ((this.#bits[bit >>> 3]! & (1 << (bit & 7))) === 0) return false
    }
    return true
  }
}

function bitOf(hash: Uint8Array, i: number): number {
  const at = 4 * i
  return ((hash[at]! << 16) | (hash[at + 1]! << 8) | hash[at + 2]!) & (BITS - 1)
}

/** Index of a topic within a log. */
export type TopicPosition = 0 | 1 | 2 | 3

/** What a row of the log index covers: any log, an address, or a topic at a position. */
export type LogCriterion =
  | { kind: 'any' }
  | { kind: 'address'; address: Uint8Array }
  | { kind: 'topic'; position: TopicPosition; topic: Uint8Array }

/** One row for one block, without the block's ordinal. */
export interface LogRow {
  criterion: LogCriterion
  /** Encoded by {@link encodePosting}. */
  posting: Uint8Array
}

/** Returns the key of a row for the block with an ordinal. */
export function logKey(keys: Pick<Keyspace, 'log'>, criterion: LogCriterion, ordinal: number): Uint8Array {
  if (criterion.kind === 'any') return keys.log('any', NO_BYTES, ordinal)
  return criterion.kind === 'address'
    ? keys.log('address', criterion.address, ordinal)
    : keys.log(criterion.position, criterion.topic, ordinal)
}

/** Logs or rows processed between two yields. */
const LOGS_AT_ONCE = 256

/** Builds the rows of the log index for the logs of one block, given in block order. */
export function* logRows(logs: readonly ExecutionLog[]): Steps<LogRow[]> {
  if (logs.length === 0) return []
  const rows = new Map<string, { criterion: LogCriterion; indices: number[] }>()
  const record = (key: string, criterion: LogCriterion, index: number): void => {
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { criterion, indices: [index] })
    else row.indices.push(index)
  }
  for (const [index, { address, topics }] of logs.entries()) {
    record(bytesToPlainHex(address), { kind: 'address', address }, index)
    topics.forEach((topic, position) => {
      record(
        `${position}${bytesToPlainHex(topic)}`,
        { kind: 'topic', position: position as TopicPosition, topic },
        index,
      )
    })
    if (index % LOGS_AT_ONCE === LOGS_AT_ONCE - 1) yield
  }
  const found: LogRow[] = [{ criterion: { kind: 'any' }, posting: NO_BYTES }]
  for (const { criterion, indices } of rows.values()) {
    found.push({ criterion, posting: encodePosting(indices) })
    if (found.length % LOGS_AT_ONCE === 0) yield
  }
  return found
}

/**
 * Encodes the value of a row of the log index: the ascending indices of a block's logs with one address, or one topic
 * at one position, delta-encoded in LEB128.
 */
export function encodePosting(indices: readonly number[]): Uint8Array {
  const bytes: number[] = []
  let previous = 0
  for (const index of indices) {
    let difference = index - previous
    while (difference >= 0x80) {
      bytes.push((difference & 0x7f) | 0x80)
      difference >>>= 7
    }
    bytes.push(difference)
    previous = index
  }
  return Uint8Array.from(bytes)
}

/** Decodes the output of {@link encodePosting}. */
export function decodePosting(bytes: Uint8Array): number[] {
  const indices: number[] = []
  let index = 0
  let difference = 0
  let shift = 0
  for (const byte of bytes) {
    difference |= (byte & 0x7f) << shift
    shift += 7
    if (byte >= 0x80) continue
    index += difference
    indices.push(index)
    difference = 0
    shift = 0
  }
  return indices
}
