import type { StoredBlock } from '../block/record.js'
import { ClientGoneError, LogTimeoutError, TooManyLogsError } from '../errors.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { bytesKey } from '../state/account.js'
import type { LogLimits, LogQuery } from '../view.js'
import type { Requester } from '../vm/blockEnvironment.js'
import { allOf, anyOf, type Posting, type PostingCursor } from './join.js'
import type { LogCriterion, TopicPosition } from '../block/indexRecord.js'

/** How much the logs of a block are. */
export interface LogsExtent {
  count: number
  /** Of their wire form, with the objects that view it. */
  bytes: number
}

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
  /** Returns the number of logs that `logsWire` returns, and approximately their bytes. */
  logsExtent(block: StoredBlock, indices: readonly number[] | undefined): LogsExtent
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
  const clock = new QueryClock(limits)
  const timed = timeLimit(clock)
  const cursors = toCriteria(query).map((values) =>
    anyOf(values.map((criterion) => timed(source.open(criterion, from, to)))),
  )
  try {
    return await collect(source, allOf(cursors, from), query, { ...limits, clock })
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()))
  }
}

/** Yields to other work, and ends a query once its time is up. */
class QueryClock {
  readonly #deadline: number
  readonly #slice = new TimeSlice()

  constructor({ timeoutMilliseconds }: LogLimits) {
    this.#deadline = performance.now() + timeoutMilliseconds
  }

  pause(): Promise<void> | undefined {
    return this.#slice.pause()
  }

  /** @throws LogTimeoutError */
  async check(): Promise<void> {
    await this.pause()
    if (performance.now() > this.#deadline) throw new LogTimeoutError()
  }
}

/** Wraps cursors so that their calls yield to other work, and seeks throw once the time is up. */
function timeLimit(clock: QueryClock): (cursor: PostingCursor) => PostingCursor {
  return (cursor) => ({
    async seek(ordinal) {
      await clock.check()
      return cursor.seek(ordinal)
    },
    async close() {
      await clock.pause()
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
  limits: LogLimits & { clock: QueryClock },
): Promise<Uint8Array[]> {
  const leastTopics = topicsBeyondIndex(query)
  const blocks = await findBlocks(source, postings, query, leastTopics === 0 ? limits.maxResults : Infinity)
  const found: Uint8Array[] = []
  const limit = new ResultLimit(query, limits.maxResults)
  for (const { block, indices } of blocks) {
    await makeRoom(source.logsExtent(block, indices).bytes, limits.requester)
    await limits.clock.check()
    for (const log of source.logsWire(block, indices)) {
      if (leastTopics === 0 || source.topicCount(log) >= leastTopics) found.push(log)
    }
    limit.check(found.length, block)
  }
  return found
}

/** Logs of a block by index; undefined means all of them. */
interface BlockLogs {
  block: StoredBlock
  indices: readonly number[] | undefined
}

/**
 * Finds the blocks of a query, before any log is read: those of a block may be megabytes.
 *
 * @throws TooManyLogsError
 */
async function findBlocks(
  source: LogSource,
  postings: AsyncIterable<Posting>,
  query: LogQuery,
  maxLogs: number,
): Promise<BlockLogs[]> {
  const blocks: BlockLogs[] = []
  const limit = new ResultLimit(query, maxLogs)
  let count = 0
  for await (const { ordinal, indices } of postings) {
    const block = 'block' in query.range ? query.range.block : source.canonicalBlock(ordinal)
    if (block === undefined) continue
    count += source.logsExtent(block, indices).count
    limit.check(count, block)
    blocks.push({ block, indices })
  }
  return blocks
}

/** Refuses too many logs, and names the blocks that fit. */
class ResultLimit {
  readonly #query: LogQuery
  readonly #maxLogs: number
  /** The last block all of whose logs fit. */
  #whole: bigint | undefined

  constructor(query: LogQuery, maxLogs: number) {
    this.#query = query
    this.#maxLogs = maxLogs
  }

  /**
   * @param count - logs of all blocks up to this one
   * @throws TooManyLogsError
   */
  check(count: number, { header: { number } }: StoredBlock): void {
    const { range } = this.#query
    if (count > this.#maxLogs) {
      const from = 'block' in range ? number : range.from
      throw new TooManyLogsError(this.#maxLogs, { from, to: this.#whole ?? from })
    }
    this.#whole = number
  }
}

/**
 * Counts logs that a request will hold until it is answered, and waits while others hold too much.
 *
 * @throws ClientGoneError if nobody waits for them any more
 */
async function makeRoom(bytes: number, requester: Requester | undefined): Promise<void> {
  const room = requester?.memory?.hold(bytes)
  if (room === undefined) return
  await room
  if (requester?.signal?.aborted === true) throw new ClientGoneError()
}
