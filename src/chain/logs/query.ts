import type { StoredBlock } from '../block/record.js'
import { LogTimeoutError, TooManyLogsError } from '../errors.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { bytesKey } from '../state/account.js'
import type { LogLimits, LogQuery } from '../view.js'
import { allOf, anyOf, type Posting, type PostingCursor } from './join.js'
import type { LogCriterion, TopicPosition } from '../block/indexRecord.js'

/** What a log query reads from. */
export interface LogSource {
  /** Opens the postings of a criterion between two ordinals, inclusive. */
  open(criterion: LogCriterion, from: number, to: number): PostingCursor
  /** Returns the canonical block with a number. */
  blockByNumber(number: bigint): StoredBlock | undefined
  /** Returns the block with an ordinal, if it is canonical. */
  canonicalBlock(ordinal: number): StoredBlock | undefined
  /** Returns the wire bytes of a block's logs by index; undefined means all of them. */
  logsWire(block: StoredBlock, indices: readonly number[] | undefined): Uint8Array[]
  /** Returns the number of topics of a log, given its wire bytes. */
  topicCount(log: Uint8Array): number
}

/**
 * Finds logs by joining rows of the index. The cost follows the rarest condition, not the length of the chain.
 *
 * Ordinals rise with numbers along the canonical chain, so a range of numbers is a range of ordinals. Rows of blocks
 * that left the chain are skipped.
 *
 * @returns the wire bytes of the logs, ordered by block and log index
 * @throws TooManyLogsError if there are more than `limits.maxResults`
 * @throws LogTimeoutError if it takes longer than `limits.timeoutMilliseconds`
 */
export async function queryLogs(
  source: LogSource,
  query: LogQuery,
  limits: LogLimits,
): Promise<Uint8Array[]> {
  const [from, to] = ordinals(source, query)
  if (from === undefined || to === undefined) return []
  const timed = timeLimit(limits)
  const cursors = toCriteria(query).map((values) =>
    anyOf(values.map((criterion) => timed(source.open(criterion, from, to)))),
  )
  try {
    return await collect(source, allOf(cursors, from), query, limits)
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()))
  }
}

/** Wraps cursors so that their calls yield to other work, and seeks throw once the time is up. */
function timeLimit({ timeoutMilliseconds }: LogLimits): (cursor: PostingCursor) => PostingCursor {
  const deadline = performance.now() + timeoutMilliseconds
  const slice = new TimeSlice()
  return (cursor) => ({
    async seek(ordinal) {
      await slice.pause()
      if (performance.now() > deadline) throw new LogTimeoutError()
      return cursor.seek(ordinal)
    },
    async close() {
      await slice.pause()
      await cursor.close()
    },
  })
}

function ordinals(source: LogSource, { range }: LogQuery): (number | undefined)[] {
  if ('block' in range) return [range.block.ordinal, range.block.ordinal]
  return [source.blockByNumber(range.from)?.ordinal, source.blockByNumber(range.to)?.ordinal]
}

/** Builds an AND of ORs; a query without conditions matches any log. */
function toCriteria({ addresses, topics }: LogQuery): LogCriterion[][] {
  const criteria: LogCriterion[][] = topics.map((alternatives, position) =>
    different(alternatives).map((topic) => ({ kind: 'topic', position: position as TopicPosition, topic })),
  )
  criteria.push(different(addresses).map((address) => ({ kind: 'address', address })))
  const conditions = criteria.filter((values) => values.length > 0)
  return conditions.length > 0 ? conditions : [[{ kind: 'any' }]]
}

/** Drops values that occur again. */
function different(values: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(values.map((value) => [bytesKey(value), value])).values()]
}

/**
 * A log needs at least as many topics as the query has positions, including wildcards (geth: eth/filters/filter.go,
 * includes). The index ensures that unless the last position is a wildcard.
 */
function topicsBeyondIndex({ topics }: LogQuery): number {
  return topics.at(-1)?.length === 0 ? topics.length : 0
}

async function collect(
  source: LogSource,
  postings: AsyncIterable<Posting>,
  query: LogQuery,
  limits: LogLimits,
): Promise<Uint8Array[]> {
  const found: Uint8Array[] = []
  const leastTopics = topicsBeyondIndex(query)
  let whole: bigint | undefined
  for await (const { ordinal, indices } of postings) {
    const block = 'block' in query.range ? query.range.block : source.canonicalBlock(ordinal)
    if (block === undefined) continue
    for (const log of source.logsWire(block, indices)) {
      if (leastTopics === 0 || source.topicCount(log) >= leastTopics) found.push(log)
    }
    if (found.length > limits.maxResults) {
      const first = 'block' in query.range ? block.header.number : query.range.from
      throw new TooManyLogsError(limits.maxResults, { from: first, to: whole ?? first })
    }
    whole = block.header.number
  }
  return found
}
