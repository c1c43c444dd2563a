import { bytesToPlainHex } from '../../encoding/hex.js'
import type { ExecutionLog } from '../types.js'
import { encodePosting } from './posting.js'

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
  /** See posting.ts. */
  posting: Uint8Array
}

/** The rows of the log index for the logs of one block, in their order in the block. */
export function logRows(logs: readonly ExecutionLog[]): LogRow[] {
  if (logs.length === 0) return []
  const rows = new Map<string, { criterion: LogCriterion; indices: number[] }>()
  const note = (key: string, criterion: LogCriterion, index: number): void => {
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { criterion, indices: [index] })
    else row.indices.push(index)
  }
  logs.forEach(({ address, topics }, index) => {
    note(bytesToPlainHex(address), { kind: 'address', address }, index)
    topics.forEach((topic, position) => {
      note(
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
