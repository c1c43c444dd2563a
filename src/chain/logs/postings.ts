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

/** Opens the rows of a criterion; the database is not touched before the first look. */
export function openPostings(
  database: Database,
  keys: Keyspace,
  criterion: LogCriterion,
  { from, to }: OrdinalRange,
): PostingCursor {
  const { position, value } = keyParts(criterion)
  let cursor: Walk | undefined
  let current: Posting | undefined
  let ended = false
  return {
    async seek(ordinal) {
      if (current !== undefined && current.ordinal >= ordinal) return current
      if (ended || ordinal > to) return undefined
      if (cursor === undefined) {
        cursor = database.openCursor(keys.logs(position, value, Math.max(from, ordinal), to))
      } else if (current !== undefined && ordinal > current.ordinal + 1) {
        cursor.seek(keys.log(position, value, ordinal))
      }
      const entry = await cursor.next()
      ended = entry === undefined
      current = entry && toPosting(criterion, entry[0], entry[1])
      return current
    },
    async close() {
      await cursor?.close()
    },
  }
}

function keyParts(criterion: LogCriterion): { position: LogPosition; value: Uint8Array } {
  if (criterion.kind === 'any') return { position: 'any', value: new Uint8Array(0) }
  if (criterion.kind === 'address') return { position: 'address', value: criterion.address }
  return { position: criterion.position, value: criterion.topic }
}

function toPosting(criterion: LogCriterion, key: Uint8Array, value: Uint8Array): Posting {
  const ordinal = ordinalOfKey(key)
  return criterion.kind === 'any' ? { ordinal } : { ordinal, indices: decodePosting(value) }
}
