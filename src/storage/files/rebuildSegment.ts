import { applyChanges } from './indexDatabase.js'
import type { IndexChange, IndexDatabase } from './indexDatabase.js'
import { rowKey, rowKind } from './keyspace.js'
import { headerLength, readRecordHeader } from './record.js'
import { encodeBlockRow } from './rows.js'
import type { SegmentRow } from './rows.js'
import type { SegmentFiles } from './segmentFiles.js'

/** Rows that are written at once. */
const batchSize = 4096

/** Whether a block is what its key says; asked of those that nothing but their own file tells of. */
export type BlockCheck = (key: Uint8Array, data: Uint8Array) => Promise<boolean>

/** Where segments and what is known of them are. */
export interface RebuildSource {
  database: IndexDatabase
  files: SegmentFiles
  isIntact: BlockCheck
}

/** A record as it lies in a segment. */
interface FoundRecord {
  key: Uint8Array
  label: Uint8Array
  /** Position of the data, and their length. */
  offset: number
  length: number
}

/**
 * Gives the blocks of a segment without a row to the index, those excepted that it has already. A process that ends in
 * the first write to a segment leaves such a file, and then none of its blocks was acknowledged; but an index that has
 * lost a row leaves one too, and nothing tells the two apart. A write that was not finished leaves holes: what is not
 * intact is left out. The counts are still to be made.
 */
export async function rebuildSegment(source: RebuildSource, segment: number): Promise<SegmentRow> {
  const { database } = source
  const row: SegmentRow = { committedLength: 0, liveBlocks: 0, liveBytes: 0 }
  let changes: IndexChange[] = []
  for await (const { key, label, offset, length } of readRecords(source, segment)) {
    row.committedLength = offset + length
    const indexKey = rowKey(rowKind.block, key)
    if (database.getSync(indexKey) !== undefined) continue
    changes.push({
      type: 'put',
      key: indexKey,
      value: encodeBlockRow({ segment, offset, length, labels: [label] }),
    })
    if (changes.length < batchSize) continue
    await applyChanges(database, changes, { sync: true })
    changes = []
  }
  await applyChanges(database, changes, { sync: true })
  return row
}

/** The records of a segment whose blocks are intact, up to the first that is not there as a whole. */
async function* readRecords(
  { files, isIntact }: RebuildSource,
  segment: number,
): AsyncGenerator<FoundRecord> {
  const size = await files.size(segment)
  for (let position = 0; position + headerLength <= size;) {
    const header = Buffer.from(await files.read(segment, position, new Uint8Array(headerLength)))
    const { data, key, label } = readRecordHeader(header)
    const nameStart = position + headerLength
    const offset = nameStart + key + label
    if (key === 0 || offset + data > size) return
    const name = await files.read(segment, nameStart, new Uint8Array(key + label))
    const bytes = await files.read(segment, offset, new Uint8Array(data))
    const found = { key: name.slice(0, key), label: name.slice(key), offset, length: data }
    if (await isIntact(found.key, bytes)) yield found
    position = offset + data
  }
}
