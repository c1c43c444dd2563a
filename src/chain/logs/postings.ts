import type { Walk } from '../../storage/walk.js'
import type { Database } from '../../storage/database.js'
import { type Keyspace, type LogPosition, ordinalOfKey } from '../../storage/keyspace.js'
import type { Posting, PostingCursor } from './join.js'
import { type LogCriterion, decodePosting } from '../block/indexRecord.js'

/** A range of ordinals, inclusive at both ends. */
export interface OrdinalRange {
  from: number
  to: number
}

/** Stores that postings are read from. */
export interface PostingSource {
  database: Database
  keys: Keyspace
  /** See {@link SingleBlockTable.find}. */
  singleBlock: (criterion: LogCriterion) => SingleBlock
}

/**
 * Opens a cursor over the rows of a criterion. Does not read the database before the first seek.
 *
 * A single row is looked up by key, at a tenth of the cost of an iterator: in a range of one block, for a value that
 * occurs in only one block, and on a first seek inside the range, led by another cursor with a rarer value.
 */
export function openPostings(
  { database, keys, singleBlock }: PostingSource,
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
  /** Looks up the first posting by key, and ends the cursor if there can be no other. */
  const findFirst = (ordinal: number): Posting | undefined => {
    started = true
    const single = from === to ? from : singleBlock(criterion)
    ended = single !== undefined
    if (typeof single === 'number') return single >= ordinal && single <= to ? postingAt(single) : undefined
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

/** Capacity in values; a power of two. */
const ENTRIES = 2 ** 17
/** Number of adjacent entries that a value may occupy; a power of two. */
const GROUP = 4
/** Replaces the ordinal of a value that occurs in more than one block. */
const MANY = 0xffff_ffff

/** The ordinal of the only block with a value; 'none' if no block has it, undefined if unknown. */
export type SingleBlock = number | 'none' | undefined

/**
 * Remembers the log index values that occur in only one block, so that a search for a rare value needs no LevelDB
 * iterator (a third of the time of such a search).
 *
 * A hash table of fixed size: 32 bits of the value's hash, then the block's ordinal plus one. Two values with the same
 * bits count as one that occurs in several blocks. Once a group is full, its other values are unknown.
 */
export class SingleBlockTable {
  /** Pairs of hash bits and ordinal plus one; zero in place of the latter marks a free entry. */
  readonly #table = new Uint32Array(2 * ENTRIES)
  /** Groups that overflowed. */
  readonly #isFull = new Uint8Array(ENTRIES / GROUP)

  /** Records that a block has a log with a value. */
  add(criterion: LogCriterion, ordinal: number): void {
    if (criterion.kind === 'any') return
    const { group, bits } = hashCriterion(criterion)
    const table = this.#table
    const recorded = ordinal + 1 < MANY ? ordinal + 1 : MANY
    for (let at = 2 * GROUP * group; at < 2 * GROUP * (group + 1); at += 2) {
      const known = table[at + 1]!
      if (known !== 0 && table[at] !== bits) continue
      table[at] = bits
      table[at + 1] = known === 0 || known === recorded ? recorded : MANY
      return
    }
    this.#isFull[group] = 1
  }

  /** Looks up a value. The answer is never wrong; it is undefined if several blocks may have the value. */
  find(criterion: LogCriterion): SingleBlock {
    if (criterion.kind === 'any') return undefined
    const { group, bits } = hashCriterion(criterion)
    for (let at = 2 * GROUP * group; at < 2 * GROUP * (group + 1); at += 2) {
      const known = this.#table[at + 1]!
      if (known === 0) return 'none'
      if (this.#table[at] === bits) return known === MANY ? undefined : known - 1
    }
    return this.#isFull[group] === 1 ? undefined : 'none'
  }
}

function hashCriterion(criterion: Exclude<LogCriterion, { kind: 'any' }>): { group: number; bits: number } {
  const isTopic = criterion.kind === 'topic'
  const bytes = isTopic ? criterion.topic : criterion.address
  let [low, high] = isTopic ? [criterion.position + 1, 0] : [0, 0]
  for (let i = 0; i < bytes.length; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    low = mixBits(low ^ word)
    high = mixBits(high + low)
  }
  return { group: low & (ENTRIES / GROUP - 1), bits: high >>> 0 }
}

/** Mixes all 32 bits (the finalizer of MurmurHash3). */
function mixBits(word: number): number {
  const half = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b)
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2_ae35)
  return whole ^ (whole >>> 16)
}
