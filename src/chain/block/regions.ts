import { RLP } from '@ethereumjs/rlp'
import { crc32 } from 'node:zlib'
import type { Steps } from '../../encoding/timeSlice.js'
import type { Database } from '../../storage/database.js'
import {
  type BulkPlace,
  FRAME_HEADER_LENGTH,
  type RecordStore,
  type RecordWindow,
} from '../../storage/records.js'
import { encodeRlp } from '../rlp.js'
import { ByteCache } from '../state/account.js'
import { encodeReceipts, encodeSealedBlock } from './body.js'
import {
  type BlockRegion,
  type IndexRecord,
  decodeIndexRecord,
  decodeLogTable,
  encodeLogTable,
} from './indexRecord.js'
import type { BlockEncoder, BlockWire, SealedBlock, WireSpan } from './record.js'

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
/** What is read before an index record: of a block with one transaction the whole region, some 6,000 bytes. */
const LOOK_BACK = 8 * 1024

/** The bulk of stored blocks: what stands in the record file, with what was read or stored last kept in memory. */
export class BlockRegions {
  readonly #records: Pick<RecordStore, 'read' | 'check' | 'damageAt'>
  readonly #window: RecordWindow
  readonly #wires = new ByteCache(WIRE_CACHE_BYTES)

  constructor({ records, window }: Pick<Database, 'records' | 'window'>) {
    this.#records = records
    this.#window = window
  }

  /**
   * The index record that lies at a place; what it refers to mostly comes with it.
   *
   * @throws DataDirectoryError if it is damaged.
   */
  indexRecord(ordinal: number, { position, length, checksum }: BulkPlace): IndexRecord {
    this.#window.read(position, { before: LOOK_BACK, length })
    const bytes = this.#window.from(position)?.slice(0, length)
    if (bytes === undefined || bytes.length < length || crc32(bytes) !== checksum) {
      throw this.#records.damageAt(position)
    }
    return decodeIndexRecord(bytes, { ordinal, position })
  }

  /** What answers about a block are made of. */
  wire(record: IndexRecord): BlockWire {
    const { head, transactionSpans, receiptSpans } = record
    return {
      head: () => this.#wire(record, head),
      transactions: () => this.#shared(record, transactionSpans),
      transaction: (index) => this.#oneOf(record, transactionSpans, index),
      transactionsBetween: (begin, end) => this.#each(record, transactionSpans.slice(begin, end)),
      receipts: () => this.#shared(record, receiptSpans),
      receipt: (index) => this.#oneOf(record, receiptSpans, index),
      receiptsBetween: (begin, end) => this.#each(record, receiptSpans.slice(begin, end)),
    }
  }

  /** The wire bytes of logs by their rising indices; undefined stands for all of them. */
  logs(record: IndexRecord, indices: readonly number[] | undefined): Uint8Array[] {
    const { logCount } = record.region
    if (logCount === 0) return []
    if (indices !== undefined && indices.length * SPARSE_SHARE < logCount) {
      return indices.map((index) => this.#wire(record, decodeLogTable(this.#logTable(record, index, 1))[0]!))
    }
    const { offset, length } = joined(record.receiptSpans)
    const receipts = this.#wire(record, { offset, length })
    const start = receipts.byteOffset - offset
    const table = viewOf(this.#logTable(record, 0, logCount))
    const count = indices === undefined ? logCount : indices.length
    const logs: Uint8Array[] = []
    // One loop without spans and subarrays: an answer of thousands of logs is mostly this, and often the first one.
    for (let i = 0; i < count; i++) {
      const at = LOG_ENTRY * (indices === undefined ? i : indices[i]!)
      logs.push(new Uint8Array(receipts.buffer, start + table.getUint32(at), table.getUint32(at + 4)))
    }
    return logs
  }

  /** The RLP of the whole block. */
  blockRlp({ region }: IndexRecord): Uint8Array {
    return this.#records.read(region.position, 0, region.blockLength)
  }

  /** The consensus forms of the receipts. */
  receiptsRlp({ region }: IndexRecord): Uint8Array[] {
    const list = RLP.decode(this.#records.read(region.position, region.blockLength, region.receiptsLength))
    return list as Uint8Array[]
  }

  /**
   * Keeps the wire bytes of a block that was stored just now: who has sent a transaction asks for its receipt next. Long
   * blocks would crowd out all others.
   */
  keep({ block, transactionSpans, receiptSpans }: IndexRecord, bytes: Uint8Array): void {
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

  #each(record: IndexRecord, spans: readonly WireSpan[]): Uint8Array[] {
    const all = joined(spans)
    const bytes = this.#wire(record, all)
    return spans.map(({ offset, length }) =>
      bytes.subarray(offset - all.offset, offset - all.offset + length),
    )
  }

  /** The wire bytes of adjacent spans, kept for the next time; callers must not change them. */
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
    return this.#bytesOf(region, region.blockLength + region.receiptsLength + offset, length)
  }

  #logTable({ region }: IndexRecord, first: number, count: number): Uint8Array {
    const start = region.blockLength + region.receiptsLength + region.wireLength
    return this.#bytesOf(region, start + LOG_ENTRY * first, LOG_ENTRY * count)
  }

  /** So many bytes of a region from an offset on, in memory of their own. */
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

/** Where a region lies that is not written yet. */
const NOWHERE = -1

/** The bulk of a block in the form in which it is stored. */
export interface EncodedRegion {
  /** Its index record, which does not know yet where the region lies. */
  record: IndexRecord
  /** What the region is made of, as {@link IndexRecord} says. */
  pieces: readonly Uint8Array[]
  /** The piece that answers are made of. */
  wire: Uint8Array
}

/** Encodes the bulk of a sealed block that is stored under an ordinal. */
export function* encodeRegion(
  sealed: SealedBlock,
  ordinal: number,
  encoder: Pick<BlockEncoder, 'encode'>,
): Steps<EncodedRegion> {
  const { header, hash, size, altered, parentStateRoot, totalDifficulty, uncleHashes } = sealed
  const blockRlp = sealed.encoded?.block ?? encodeSealedBlock(sealed)
  yield
  const receiptsRlp = encodeRlp(sealed.encoded?.receipts ?? (yield* encodeReceipts(sealed.transactions)))
  yield
  const encoded = yield* encoder.encode(sealed)
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
  const pieces = [blockRlp, receiptsRlp, encoded.bytes, encodeLogTable(encoded.logs)]
  return { record, pieces, wire: encoded.bytes }
}
