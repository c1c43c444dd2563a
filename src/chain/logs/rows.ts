import { bytesToPlainHex } from '../../encoding/hex.js'
import type { Keyspace } from '../../storage/keyspace.js'
import type { ExecutionLog } from '../types.js'

/** The place of a topic in a log. */
export type TopicPosition = 0 | 1 | 2 | 3

/** What a row of the log index is about: any log, an address, or a topic at a position. */
export type LogCriterion =
  | { kind: 'any' }
  | { kind: 'address'; address: Uint8Array }
  | { kind: 'topic'; position: TopicPosition; topic: Uint8Array }

/** One row for one block, without the block's ordinal. */
export interface LogRow {
  criterion: LogCriterion
  /** See {@link encodePosting}. */
  posting: Uint8Array
}

const NO_BYTES = new Uint8Array(0)

/** The key of a row for the block with an ordinal. */
export function logKey(keys: Pick<Keyspace, 'log'>, criterion: LogCriterion, ordinal: number): Uint8Array {
  if (criterion.kind === 'any') return keys.log('any', NO_BYTES, ordinal)
  return criterion.kind === 'address'
    ? keys.log('address', criterion.address, ordinal)
    : keys.log(criterion.position, criterion.topic, ordinal)
}

/** The rows of the log index for the logs of one block, in their order in the block. */
export function logRows(logs: readonly ExecutionLog[]): LogRow[] {
  if (logs.length === 0) return []
  const rows = new Map<string, { criterion: LogCriterion; indices: number[] }>()
  const record = (key: string, criterion: LogCriterion, index: number): void => {
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { criterion, indices: [index] })
    else row.indices.push(index)
  }
  logs.forEach(({ address, topics }, index) => {
    record(bytesToPlainHex(address), { kind: 'address', address }, index)
    topics.forEach((topic, position) => {
      record(
        `${position}${bytesToPlainHex(topic)}`,
        { kind: 'topic', position: position as TopicPosition, topic },
        index,
      )
    })
  })
  const found = [...rows.values()].map(({ criterion, indices }) => ({
    criterion,
    posting: encodePosting(indices),
  }))
  return [{ criterion: { kind: 'any' }, posting: new Uint8Array(0) }, ...found]
}

/**
 * A row of the log index says which logs of one block have one address, or one topic at one position. Its value is the
 * rising list of their indices in the block, each as the difference to the one before in LEB128.
 */

/** Encodes rising log indices. */
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

/** Decodes what {@link encodePosting} wrote. */
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

/** The indices that are in both rising lists. */
export function intersect(a: readonly number[], b: readonly number[]): number[] {
  const common: number[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i]! < b[j]!) i++
    else if (a[i]! > b[j]!) j++
    else {
      common.push(a[i]!)
      i++
      j++
    }
  }
  return common
}

/** The indices that are in either rising list. */
export function unite(a: readonly number[], b: readonly number[]): number[] {
  return [...new Set([...a, ...b])].sort((x, y) => x - y)
}
