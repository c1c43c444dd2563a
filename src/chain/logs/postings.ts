import type { Walk } from '../../storage/cursor.js'
import type { Database } from '../../storage/database.js'
import { ordinalOfKey, type Keyspace, type LogPosition } from '../../storage/keyspace.js'
import type { Posting, PostingCursor } from './join.js'
import type { Lone } from './lonePostings.js'
import { decodePosting } from './posting.js'
import type { LogCriterion } from './rows.js'

/** A range of ordinals, both included. */
export interface OrdinalRange {
  from: number
  to: number
}

/** What postings are read from. */
export interface PostingSource {
  database: Database
  keys: Keyspace
  /** What LonePostings knows of a value. */
  lonePosting: (criterion: LogCriterion) => Lone
}

/**
 * Opens the rows of a criterion; the database is not touched before the first look.
 *
 * Rows are looked up by their keys, which costs a tenth of a walk, where at most one can be meant: in a range of one
 * block, for a value that is in one block alone, and for a cursor that is first asked for an ordinal inside the range,
 * since it follows another one, of a rarer criterion perhaps.
 */
export function openPostings(
  { database, keys, lonePosting }: PostingSource,
  criterion: LogCriterion,
  { from, to }: OrdinalRange,
): PostingCursor {
  const { position, value } = keyParts(criterion)
  const posting = (ordinal: number, bytes: Uint8Array): Posting =>
    criterion.kind === 'any' ? { ordinal } : { ordinal, indices: decodePosting(bytes) }
  let walk: Walk | undefined
  let current: Posting | undefined
  let started = false
  let ended = false
  const postingAt = (ordinal: number): Posting | undefined => {
    const row = database.get(keys.log(position, value, ordinal))
    return row && posting(ordinal, row)
  }
  /** What the first look finds by a key; it is the last look too where no other posting can be there. */
  const findFirst = (ordinal: number): Posting | undefined => {
    started = true
    const lone = from === to ? from : lonePosting(criterion)
    ended = lone !== undefined
    if (typeof lone === 'number') return lone >= ordinal && lone <= to ? postingAt(lone) : undefined
    return ended || ordinal === from ? undefined : postingAt(ordinal)
  }
  return {
    async seek(ordinal) {
      if (current !== undefined && current.ordinal >= ordinal) return current
      if (ended || ordinal > to) return undefined
      const found = started ? undefined : findFirst(ordinal)
      if (found !== undefined || ended) return (current = found)
      if (walk === undefined) {
        walk = database.openCursor(keys.logs(position, value, Math.max(from, ordinal), to))
      } else if (current !== undefined && ordinal > current.ordinal + 1) {
        walk.seek(keys.log(position, value, ordinal))
      }
      const entry = await walk.next()
      ended = entry === undefined
      current = entry && posting(ordinalOfKey(entry[0]), entry[1])
      return current
    },
    async close() {
      await walk?.close()
    },
  }
}

function keyParts(criterion: LogCriterion): { position: LogPosition; value: Uint8Array } {
  if (criterion.kind === 'any') return { position: 'any', value: new Uint8Array(0) }
  if (criterion.kind === 'address') return { position: 'address', value: criterion.address }
  return { position: criterion.position, value: criterion.topic }
}
