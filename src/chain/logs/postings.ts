import type { Walk } from '../../storage/cursor.js'
import type { Database } from '../../storage/database.js'
import { ordinalOfKey, type Keyspace, type LogPosition } from '../../storage/keyspace.js'
import type { Posting, PostingCursor } from './join.js'
import { decodePosting } from './posting.js'
import type { LogCriterion } from './rows.js'

/** A range of ordinals, both included. */
export interface OrdinalRange {
  from: number
  to: number
}

/**
 * Opens the rows of a criterion; the database is not touched before the first look.
 *
 * A cursor that is first asked for an ordinal inside the range follows another one, of a rarer criterion perhaps: it
 * looks whether just that row is there, which costs a tenth of a walk.
 */
export function openPostings(
  database: Database,
  keys: Keyspace,
  criterion: LogCriterion,
  { from, to }: OrdinalRange,
): PostingCursor {
  const { position, value } = keyParts(criterion)
  const posting = (ordinal: number, bytes: Uint8Array): Posting =>
    criterion.kind === 'any' ? { ordinal } : { ordinal, indices: decodePosting(bytes) }
  let walk: Walk | undefined
  let current: Posting | undefined
  let ended = false
  const followed = (ordinal: number): Posting | undefined => {
    if (walk !== undefined || current !== undefined || ordinal === from) return undefined
    const row = database.get(keys.log(position, value, ordinal))
    return row && posting(ordinal, row)
  }
  return {
    async seek(ordinal) {
      if (current !== undefined && current.ordinal >= ordinal) return current
      if (ended || ordinal > to) return undefined
      const found = followed(ordinal)
      if (found !== undefined) return (current = found)
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
