import { RLP } from '@ethereumjs/rlp'
import { bytesToPlainHex } from '../../encoding/hex.js'
import type { Database } from '../../storage/database.js'
import { decodeOrdinal, encodeOrdinal, ordinalOfKey, type Keyspace } from '../../storage/keyspace.js'
import type { WriteBatch } from '../../storage/writeBatch.js'
import { logRows } from '../logs/rows.js'
import { ByteCache } from '../state/byteCache.js'
import { encodeSealedBlock } from './body.js'
import {
  decodeIndexRecord,
  decodeLogTable,
  encodeIndexRecord,
  encodeLogTable,
  type IndexRecord,
} from './indexRecord.js'
import { encodeRlp } from './encodeRlp.js'
import { encodeReceipts } from './receipts.js'
import type { BlockEncoder, SealedBlock, StoredBlock, TransactionLocation, WireSpan } from './record.js'
import { RecentRecords } from './recentRecords.js'
import type { Pieces } from '../timeSlice.js'
import { decodeTransactionRow, encodeTransactionRow } from './transactionRow.js'

/** Where a region lies that is not written yet. */
const NOWHERE = -1
/** The bytes of one entry in the table of logs. */
const LOG_ENTRY = 8
/** Below this share of a block's logs, they are read one by one instead of all at once. */
const SPARSE_SHARE = 4
/** Bytes of transactions and receipts in wire form that stay in memory: what was asked for is asked for again. */
const WIRE_CACHE_BYTES = 4 * 1024 * 1024
/** Above this many bytes, those of a block are not kept. */
const LONGEST_KEPT_WIRE = 1024 * 1024
/** Up to this many bytes, those of a new block are kept before anybody asked for them, and all are read for one. */
const LONGEST_KEPT_AT_ONCE = 16 * 1024

/** What a store of blocks works with. */
export interface BlockStoreOptions {
  database: Database
  keys: Keyspace
  encoder: BlockEncoder
}

/**
 * The stored blocks of one chain: index records in the key-value store, bulk in the record file. Blocks are only
 * added; which of them are canonical is told by the rows number -> ordinal.
 */
export class BlockStore {
  readonly #database: Database
  readonly #keys: Keyspace
  readonly #encoder: BlockEncoder
  readonly #recent = new RecentRecords()
  readonly #wires = new ByteCache(WIRE_CACHE_BYTES)
  /** The wire bytes of blocks that are not stored yet: a batch that is never written leaves nothing behind. */
  readonly #staged = new WeakMap<IndexRecord, Uint8Array>()
  #nextOrdinal = 0

  private constructor({ database, keys, encoder }: BlockStoreOptions) {
    this.#database = database
    this.#keys = keys
    this.#encoder = encoder
  }

  /** How many topics a log has, by its wire bytes. */
  topicCount(log: Uint8Array): number {
    return this.#encoder.topicCount(log)
  }

  static async open(options: BlockStoreOptions): Promise<BlockStore> {
    const store = new BlockStore(options)
    for await (const [key] of options.database.iterate({
      ...options.keys.blocks(),
      reverse: true,
      limit: 1,
    })) {
      store.#nextOrdinal = ordinalOfKey(key) + 1
    }
    return store
  }

  /**
   * Puts a sealed block into a batch, with which it becomes part of the store. One that is stored already, mined anew
   * to the letter after a revert, keeps its ordinal: a second one could be greater than those of the blocks that stand
   * on it, and ordinals have to rise along every branch.
   *
   * @returns what {@link added} is told once the batch is written
   */
  *stage(batch: WriteBatch, sealed: SealedBlock): Pieces<IndexRecord> {
    const parent = this.#recent.ordinal(bytesToPlainHex(sealed.header.parentHash))
    // Blocks are stored after their parents: a child of the last one cannot be stored yet.
    const isNew = parent !== undefined && parent === this.#nextOrdinal - 1
    const stored = isNew ? undefined : this.#storedOrdinal(this.#keys.ordinalByHash(sealed.hash))
    const known = stored === undefined ? undefined : this.#record(stored)
    if (known !== undefined) return known
    const ordinal = this.#nextOrdinal
    const record = yield* this.#stageRegion(batch, sealed, ordinal)
    yield
    const keys = this.#keys
    batch.put(keys.ordinalByHash(sealed.hash), encodeOrdinal(ordinal))
    sealed.transactions.forEach(({ hash }, index) => {
      const key = keys.transaction(hash)
      const earlier = this.#database.get(key)
      const places = earlier === undefined ? [] : decodeTransactionRow(earlier)
      batch.put(key, encodeTransactionRow([...places, { ordinal, index }]))
    })
    yield
    for (const { criterion, posting } of logRows(
      sealed.transactions.flatMap(({ receipt }) => receipt.logs),
    )) {
      if (criterion.kind === 'any') batch.put(keys.log('any', new Uint8Array(0), ordinal), posting)
      else if (criterion.kind === 'address')
        batch.put(keys.log('address', criterion.address, ordinal), posting)
      else batch.put(keys.log(criterion.position, criterion.topic, ordinal), posting)
    }
    return record
  }

  /** Takes note that a staged block is stored. */
  added(record: IndexRecord): StoredBlock {
    this.#nextOrdinal = Math.max(this.#nextOrdinal, record.block.ordinal + 1)
    this.#recent.set(record)
    const wire = this.#staged.get(record)
    this.#staged.delete(record)
    if (wire !== undefined) this.#keepWire(record, wire)
    return record.block
  }

  byOrdinal(ordinal: number): StoredBlock | undefined {
    return this.#record(ordinal)?.block
  }

  byHash(hash: Uint8Array): StoredBlock | undefined {
    const ordinal =
      this.#recent.ordinal(bytesToPlainHex(hash)) ?? this.#storedOrdinal(this.#keys.ordinalByHash(hash))
    return ordinal === undefined ? undefined : this.byOrdinal(ordinal)
  }

  canonicalOrdinal(number: bigint): number | undefined {
    return this.#storedOrdinal(this.#keys.ordinalByNumber(number))
  }

  isCanonical(block: StoredBlock): boolean {
    return this.canonicalOrdinal(block.header.number) === block.ordinal
  }

  /** Where a transaction is on the canonical chain. */
  transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    const row = this.#database.get(this.#keys.transaction(hash))
    if (row === undefined) return undefined
    for (const { ordinal, index } of decodeTransactionRow(row).reverse()) {
      const block = this.byOrdinal(ordinal)
      if (block !== undefined && this.isCanonical(block)) return { block, index }
    }
    return undefined
  }

  headWire(block: StoredBlock): Uint8Array {
    const record = this.#recordOf(block)
    return this.#wire(record, record.head)
  }

  transactionsWire(block: StoredBlock): Uint8Array {
    const record = this.#recordOf(block)
    return this.#shared(record, record.transactionSpans)
  }

  transactionWire(block: StoredBlock, index: number): Uint8Array {
    const record = this.#recordOf(block)
    return this.#oneOf(record, record.transactionSpans, index)
  }

  receiptsWire(block: StoredBlock): Uint8Array {
    const record = this.#recordOf(block)
    return this.#shared(record, record.receiptSpans)
  }

  receiptWire(block: StoredBlock, index: number): Uint8Array {
    const record = this.#recordOf(block)
    return this.#oneOf(record, record.receiptSpans, index)
  }

  /** The wire bytes of logs of a block by their rising indices; undefined stands for all of them. */
  logsWire(block: StoredBlock, indices: readonly number[] | undefined): Uint8Array[] {
    const record = this.#recordOf(block)
    const { logCount } = record.region
    if (logCount === 0) return []
    if (indices !== undefined && indices.length * SPARSE_SHARE < logCount) {
      return indices.map((index) => this.#wire(record, decodeLogTable(this.#logTable(record, index, 1))[0]!))
    }
    const { offset, length } = joined(record.receiptSpans)
    const receipts = this.#wire(record, { offset, length })
    const spans = decodeLogTable(this.#logTable(record, 0, logCount))
    const wanted = indices === undefined ? spans : indices.map((index) => spans[index]!)
    return wanted.map((span) => receipts.subarray(span.offset - offset, span.offset - offset + span.length))
  }

  /** The RLP of a whole block. */
  blockRlp(block: StoredBlock): Uint8Array {
    const { region } = this.#recordOf(block)
    return this.#database.records.read(region.position, 0, region.blockLength)
  }

  /** The consensus forms of a block's receipts. */
  receiptsRlp(block: StoredBlock): Uint8Array[] {
    const { region } = this.#recordOf(block)
    const list = RLP.decode(
      this.#database.records.read(region.position, region.blockLength, region.receiptsLength),
    )
    return list as Uint8Array[]
  }

  *#stageRegion(batch: WriteBatch, sealed: SealedBlock, ordinal: number): Pieces<IndexRecord> {
    const { header, hash, size, altered, parentStateRoot, totalDifficulty, uncleHashes } = sealed
    const blockRlp = sealed.encoded?.block ?? encodeSealedBlock(sealed)
    yield
    const receiptsRlp = encodeRlp(sealed.encoded?.receipts ?? encodeReceipts(sealed.transactions))
    yield
    const encoded = yield* this.#encoder.encode(sealed)
    yield
    const entries = sealed.transactions.map(({ hash: transactionHash, sender, impersonated }) => ({
      hash: transactionHash,
      sender,
      impersonated,
    }))
    const record: IndexRecord = {
      block: {
        ordinal,
        hash,
        header,
        totalDifficulty,
        size,
        altered,
        ...(parentStateRoot !== undefined && { parentStateRoot }),
        transactions: entries,
        uncleHashes,
      },
      region: {
        position: NOWHERE,
        blockLength: blockRlp.length,
        receiptsLength: receiptsRlp.length,
        wireLength: encoded.bytes.length,
        logCount: encoded.logs.length,
      },
      head: encoded.head,
      transactionSpans: encoded.transactions,
      receiptSpans: encoded.receipts,
    }
    batch.putRecord({
      pieces: [blockRlp, receiptsRlp, encoded.bytes, encodeLogTable(encoded.logs)],
      row: (position) => {
        record.region.position = position
        return { key: this.#keys.block(ordinal), value: encodeIndexRecord(record, sealed.encoded?.header) }
      },
    })
    this.#staged.set(record, encoded.bytes)
    return record
  }

  /** Who has sent a transaction asks for its receipt next. Long blocks would crowd out all others. */
  #keepWire({ block, transactionSpans, receiptSpans }: IndexRecord, bytes: Uint8Array): void {
    if (bytes.length > LONGEST_KEPT_AT_ONCE) return
    for (const { offset, length } of [joined(transactionSpans), joined(receiptSpans)]) {
      if (length > 0) {
        this.#wires.set(wireKey(block.ordinal, { offset, length }), bytes.subarray(offset, offset + length))
      }
    }
  }

  /** The wire bytes of one of adjacent spans: from those of all where these are kept or few, else they alone are read. */
  #oneOf(record: IndexRecord, spans: readonly WireSpan[], index: number): Uint8Array {
    const span = spans[index]!
    const all = joined(spans)
    const kept =
      all.length <= LONGEST_KEPT_AT_ONCE
        ? this.#shared(record, spans)
        : this.#wires.get(wireKey(record.block.ordinal, all))
    if (kept === undefined) return this.#kept(record, span)
    const start = span.offset - all.offset
    return kept.subarray(start, start + span.length)
  }

  /** The wire bytes of adjacent spans, kept for the next time; nobody changes them. */
  #shared(record: IndexRecord, spans: readonly WireSpan[]): Uint8Array {
    const span = joined(spans)
    return span.length > LONGEST_KEPT_WIRE ? this.#wire(record, span) : this.#kept(record, span)
  }

  /** The wire bytes of a span, from the cache or the file, and in the cache from now on. */
  #kept(record: IndexRecord, span: WireSpan): Uint8Array {
    const key = wireKey(record.block.ordinal, span)
    let bytes = this.#wires.get(key)
    if (bytes === undefined) {
      bytes = this.#wire(record, span)
      this.#wires.set(key, bytes)
    }
    return bytes
  }

  #wire({ region }: IndexRecord, { offset, length }: WireSpan): Uint8Array {
    return this.#database.records.read(
      region.position,
      region.blockLength + region.receiptsLength + offset,
      length,
    )
  }

  #logTable({ region }: IndexRecord, first: number, count: number): Uint8Array {
    const start = region.blockLength + region.receiptsLength + region.wireLength
    return this.#database.records.read(region.position, start + LOG_ENTRY * first, LOG_ENTRY * count)
  }

  #recordOf(block: StoredBlock): IndexRecord {
    const record = this.#record(block.ordinal)
    if (record === undefined) throw new Error(`block of ordinal ${block.ordinal} is not stored`)
    return record
  }

  #record(ordinal: number): IndexRecord | undefined {
    const recent = this.#recent.get(ordinal)
    if (recent !== undefined) return recent
    const bytes = this.#database.get(this.#keys.block(ordinal))
    if (bytes === undefined) return undefined
    const record = decodeIndexRecord(bytes, ordinal)
    this.#recent.set(record)
    return record
  }

  #storedOrdinal(key: Uint8Array): number | undefined {
    const value = this.#database.get(key)
    return value === undefined ? undefined : decodeOrdinal(value)
  }
}

/** The first of several spans and all of them begin at the same place. */
function wireKey(ordinal: number, { offset, length }: WireSpan): string {
  return `${ordinal}/${offset}/${length}`
}

/** The span from the first to the last of adjacent spans. */
function joined(spans: readonly WireSpan[]): WireSpan {
  const first = spans[0]
  const last = spans[spans.length - 1]
  if (first === undefined || last === undefined) return { offset: 0, length: 0 }
  return { offset: first.offset, length: last.offset + last.length - first.offset }
}
