import type { IndexDatabase } from './indexDatabase.js'
import { segmentRowKey } from './keyspace.js'
import type { SegmentFiles } from './segmentFiles.js'

/**
 * Deletes a segment that has no living block: the file first, for a file without a row is one that the index has lost,
 * and its blocks would come back.
 */
export async function removeSegment(
  database: IndexDatabase,
  files: SegmentFiles,
  segment: number,
): Promise<void> {
  await files.remove(segment)
  await database.del(segmentRowKey(segment))
}
