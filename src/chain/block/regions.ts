import type { LogsExtent } from '../logs/query.js'
import { crc32 } from 'node:zlib'
import type { Steps } from '../../encoding/timeSlice.js'
import type { Database } from '../../storage/database.js'
import {
  type BulkLocation,
  FRAME_HEADER_LENGTH,
  type RecordStore,
  type RecordWindow,
} from '../../storage/records.js'
import { encodeListInSteps } from '../rlp.js'
import { ByteCache, NO_BYTES } from '../state/account.js'
import { envelopesOf, splitRlp } from '../strictRlp.js'
import { encodeReceipts, encodeSealedBlock } from './body.js'
import {
  type BlockRegion,
  type IndexRecord,
  LOG_ROW,
  TransactionRows,
  type WireSpans,
  decodeIndexRecord,
} from './indexRecord.js'
import type { BlockEncoder, BlockWire, SealedBlock, WireSpan } from './record.js'

/** If fewer than one in this many of a block's logs are wanted, they are read one by one instead of all at once. */
const SPARSE_SHARE = 4
/** Size of the cache for wire bytes of transactions and receipts, which tend to be requested repeatedly. */
const WIRE_CACHE_BYTES = 4 * 1024 * 1024
/** Longer wire bytes of a block are not cached. */
const MAX_CACHED_WIRE = 1024 * 1024
/** Up to this length, a new block's wire bytes are cached right away, and all are read for the sake of one. */
const MAX_CACHED_AT_ONCE = 16 * 1024
/** Bytes to read before an index record: the whole region of a block with one transaction, some 6,000 bytes. */
const LOOK_BACK = 8 * 1024

/** Bytes of the object that views a log. */
const LOG_OBJECT_BYTES = 200

/** Whether logs are so few of a block's that each is read for itself. */
function isSparse(count: number, logCount: number): boolean {
  return count * SPARSE_SHARE < logCount
}

/** The bulk data of stored blocks in the record file, with recent reads and writes cached. */
export class BlockRegions {
  readonly #records: Pick<RecordStore, 'read' | 'check' | 'damageAt'>
  readonly #window: RecordWindow
  readonly #wires = new ByteCache(WIRE_CACHE_BYTES)

  constructor({ records, window }: Pick<Database, 'records' | 'window'>) {
    this.#records = records
    this.#window = window
  }

  /**
   * Reads the index record at a place; the data that it refers to usually comes along.
   *
   * @throws DataDirectoryError if it is damaged
   */
  indexRecord(ordinal: number, { position, length, checksum }: BulkLocation): IndexRecord {
    this.#window.read(position, { before: LOOK_BACK, length })
    const bytes = this.#window.from(position)?.slice(0, length)
    if (bytes === undefined || bytes.length < length || crc32(bytes) !== checksum) {
      throw this.#records.damageAt(position)
    }
    return decodeIndexRecord(bytes, { ordinal, position })
  }

  /** Returns the wire bytes of a block, read on demand. */
  wire(record: IndexRecord): BlockWire {
    const { head } = record
    const { transactionSpans, receiptSpans } = record.rows
    return {
      head: () => this.#wire(record, head),
      transactions: () => this.#shared(record, transactionSpans),
      transaction: (index) => this.#itemWire(record, transactionSpans, index),
      transactionsBetween: (begin, end) => this.#itemWires(record, transactionSpans, { begin, end }),
      receipts: () => this.#shared(record, receiptSpans),
      receiptsLength: () => receiptSpans.join().length,
      receipt: (index) => this.#itemWire(record, receiptSpans, index),
      receiptStart: (index, length) => this.#startWire(record, receiptSpans.at(index), length),
      receiptsBetween: (begin, end) => this.#itemWires(record, receiptSpans, { begin, end }),
    }
  }

  /** Returns the wire bytes of logs, given ascending indices; undefined means all of them. */
  logs(record: IndexRecord, indices: readonly number[] | undefined): Uint8Array[] {
    const { logCount } = record.region
    if (logCount === 0) return []
    if (indices !== undefined && isSparse(indices.length, logCount)) {
      return indices.map((index) => this.#wire(record, decodeLogTable(this.#logTable(record, index, 1))[0]!))
    }
    const { offset, length } = record.rows.receiptSpans.join()
    const receipts = this.#wire(record, { offset, length })
    const start = receipts.byteOffset - offset
    const table = viewOf(this.#logTable(record, 0, logCount))
    const count = indices === undefined ? logCount : indices.length
    const logs: Uint8Array[] = []
    // Avoids spans and subarrays: this loop dominates an answer with thousands of logs, and often runs cold.
    for (let i = 0; i < count; i++) {
      const at = LOG_ROW * (indices === undefined ? i : indices[i]!)
      logs.push(new Uint8Array(receipts.buffer, start + table.getUint32(at), table.getUint32(at + 4)))
    }
    return logs
  }

  /** Returns the number of logs that {@link logs} returns, and approximately their bytes. */
  logsExtent(record: IndexRecord, indices: readonly number[] | undefined): LogsExtent {
    const { logCount } = record.region
    if (logCount === 0) return { count: 0, bytes: 0 }
    const count = indices?.length ?? logCount
    const { length } = record.rows.receiptSpans.join()
    const share = isSparse(count, logCount) ? count / logCount : 1
    return { count, bytes: count * LOG_OBJECT_BYTES + length * share }
  }

  /** Returns the RLP of the whole block. */
  blockRlp({ region }: IndexRecord): Uint8Array {
    return this.#records.read(region.position, 0, region.blockLength)
  }

  /** Yields the receipts in consensus form. */
  receiptsRlp({ region }: IndexRecord): Iterable<Uint8Array> {
    const encoded = this.#records.read(region.position, region.blockLength, region.receiptsLength)
    return envelopesOf(encoded, splitRlp(encoded, 0, encoded.length))
  }

  /**
   * Caches the wire bytes of a block stored just now, because the sender of a transaction asks for its receipt next.
   * Long blocks are skipped, as they would crowd out all others.
   */
  keep({ block, rows }: IndexRecord, bytes: Uint8Array): void {
    if (bytes.length > MAX_CACHED_AT_ONCE) return
    for (const { offset, length } of [rows.transactionSpans.join(), rows.receiptSpans.join()]) {
      if (length > 0) {
        this.#wires.set(wireKey(block.ordinal, { offset, length }), bytes.subarray(offset, offset + length))
      }
    }
  }

  /**
   * Returns the wire bytes of one of adjacent spans. Uses those of all spans if they are cached or short; otherwise
   * reads only the one.
   */
  #itemWire(record: IndexRecord, spans: WireSpans, index: number): Uint8Array {
    const span = spans.at(index)
    const all = spans.join()
    const kept =
      all.length <= MAX_CACHED_AT_ONCE
        ? this.#shared(record, spans)
        : this.#wires.get(wireKey(record.block.ordinal, all))
    if (kept === undefined) return this.#kept(record, span)
    const start = span.offset - all.offset
    return kept.subarray(start, start + span.length)
  }

  /** Returns the first wire bytes of a span. */
  #startWire(record: IndexRecord, { offset, length }: WireSpan, wanted: number): Uint8Array {
    return this.#wire(record, { offset, length: Math.min(length, wanted) })
  }

  /** Returns the wire bytes of each span from `begin` up to but not including `end`. */
  #itemWires(
    record: IndexRecord,
    spans: WireSpans,
    { begin, end }: { begin: number; end: number },
  ): Uint8Array[] {
    const last = Math.min(end, spans.length)
    const all = spans.join(begin, last)
    const bytes = this.#wire(record, all)
    const wires: Uint8Array[] = []
    for (let index = begin; index < last; index++) {
      const { offset, length } = spans.at(index)
      wires.push(bytes.subarray(offset - all.offset, offset - all.offset + length))
    }
    return wires
  }

  /** Returns the wire bytes of adjacent spans, and caches them. Callers must not modify them. */
  #shared(record: IndexRecord, spans: WireSpans): Uint8Array {
    const span = spans.join()
    return span.length > MAX_CACHED_WIRE ? this.#wire(record, span) : this.#kept(record, span)
  }

  /** Returns the wire bytes of a span from the cache or the file, and caches them. */
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
    return this.#bytesOf(region, region.blockLength + region.receiptsLength + offset, length)
  }

  #logTable({ region }: IndexRecord, first: number, count: number): Uint8Array {
    const start = region.blockLength + region.receiptsLength + region.wireLength
    return this.#bytesOf(region, start + LOG_ROW * first, LOG_ROW * count)
  }

  /** Returns a copy of `length` bytes of a region, starting at an offset. */
  #bytesOf({ position }: BlockRegion, offset: number, length: number): Uint8Array {
    const buffered = this.#window.from(position + offset)
    if (buffered === undefined || buffered.length < length)
      return this.#records.read(position, offset, length)
    this.#records.check(position, this.#window.from(position - FRAME_HEADER_LENGTH))
    return buffered.slice(0, length)
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Returns a cache key. It includes the length, because a list of spans begins where its first span does. */
function wireKey(ordinal: number, { offset, length }: WireSpan): string {
  return `${ordinal}/${offset}/${length}`
}

/** Position of a region that is not written yet. */
const NOWHERE = -1

/** The bulk data of a block in stored form. */
export interface EncodedRegion {
  /** The index record, still without the position of the region. */
  record: IndexRecord
  /** The parts of the region, as in {@link BlockRegion}. */
  pieces: readonly Uint8Array[]
  /** The part with the wire bytes. */
  wire: Uint8Array
}

/** Encodes the bulk data of a sealed block, to be stored under an ordinal. */
export function* encodeRegion(
  sealed: SealedBlock,
  ordinal: number,
  encoder: Pick<BlockEncoder, 'encode'>,
): Steps<EncodedRegion> {
  const { header, hash, size, altered, parentStateRoot, totalDifficulty, uncleHashes } = sealed
  const blockRlp = sealed.encoded?.block ?? (yield* encodeSealedBlock(sealed))
  yield
  const receipts = sealed.encoded?.receipts ?? (yield* encodeReceipts(sealed.transactions))
  const receiptsRlp = yield* encodeListInSteps(receipts)
  yield
  const encoded = yield* encoder.encode(sealed)
  yield
  const rows = yield* TransactionRows.encode(sealed.transactions, encoded)
  const record: IndexRecord = {
    block: {
      ordinal,
      hash,
      header,
      totalDifficulty,
      size,
      altered,
      ...(parentStateRoot !== undefined && { parentStateRoot }),
      transactions: rows.entries(),
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
    rows,
  }
  const pieces = [blockRlp, receiptsRlp, encoded.bytes, encodeLogTable(encoded.logs)]
  return { record, pieces, wire: encoded.bytes }
}

/** Encodes the table of logs at the end of a region. */
function encodeLogTable(logs: readonly WireSpan[]): Uint8Array {
  if (logs.length === 0) return NO_BYTES
  const bytes = new Uint8Array(LOG_ROW * logs.length)
  const view = new DataView(bytes.buffer)
  logs.forEach(({ offset, length }, index) => {
    view.setUint32(LOG_ROW * index, offset)
    view.setUint32(LOG_ROW * index + 4, length)
  })
  return bytes
}

/** Decodes the output of {@link encodeLogTable}. */
function decodeLogTable(bytes: Uint8Array): WireSpan[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / LOG_ROW }, (_, index) => ({
    offset: view.getUint32(LOG_ROW * index),
    length: view.getUint32(LOG_ROW * index + 4),
  }))
}
