import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { MemoryShare } from '../../encoding/memoryShare.js'
import type { StoredBlock } from '../block/record.js'
import { TooManyLogsError } from '../errors.js'
import { type LogSource, queryLogs } from './query.js'

const MEGABYTE = 1024 * 1024
/** All memory that requests share, and the megabyte that each has for itself. */
const HELD = 257 * MEGABYTE
const bounds = { maxResults: 100, timeoutMilliseconds: 60_000 }
const query = { range: { from: 0n, to: 9n }, addresses: [], topics: [] }

/** Ten blocks with as many logs each, of a megabyte together. */
function createSource(logsPerBlock: number): { source: LogSource; read: bigint[] } {
  const read: bigint[] = []
  const blocks = Array.from(
    { length: 10 },
    (_, ordinal) => ({ ordinal, header: { number: BigInt(ordinal) } }) as StoredBlock,
  )
  const source: LogSource = {
    open: () => ({
      seek: async (ordinal) => (ordinal < blocks.length ? { ordinal } : undefined),
      close: async () => undefined,
    }),
    blockByNumber: (number) => blocks[Number(number)],
    canonicalBlock: (ordinal) => blocks[ordinal],
    logsExtent: () => ({ count: logsPerBlock, bytes: MEGABYTE }),
    logsWire: ({ header }) => {
      read.push(header.number)
      return Array.from({ length: logsPerBlock }, () => new Uint8Array(1))
    },
    topicCount: () => 1,
  }
  return { source, read }
}

it('reads no log of a query with too many', async () => {
  const { source, read } = createSource(11)
  const refusal = new TooManyLogsError(100, { from: 0n, to: 8n })
  await expect(queryLogs(source, query, bounds)).rejects.toEqual(refusal)
  expect(read).toEqual([])
})

it('counts the logs that remain where the index does not tell', async () => {
  const { source, read } = createSource(11)
  // A wildcard at the end: logs with fewer topics are dropped only once they are read.
  const wildcard = { ...query, topics: [[], []] }
  expect(await queryLogs(source, wildcard, bounds)).toEqual([])
  expect(read).toHaveLength(10)
})

it('waits while other requests hold too much, before it reads', async () => {
  const { source, read } = createSource(1)
  const holder = new MemoryShare()
  expect(holder.claim(HELD)).toBeUndefined()
  const memory = new MemoryShare()
  const finding = queryLogs(source, query, { ...bounds, requester: { memory } })
  for (let turns = 0; turns < 20; turns++) await turn()
  // A megabyte is free for every request.
  expect(read).toEqual([0n])
  holder.end()
  expect(await finding).toHaveLength(10)
  memory.end()
})

it('ends when nobody waits for the logs any more', async () => {
  const { source, read } = createSource(1)
  const holder = new MemoryShare()
  expect(holder.claim(HELD)).toBeUndefined()
  const controller = new AbortController()
  const memory = new MemoryShare()
  const finding = queryLogs(source, query, { ...bounds, requester: { memory, signal: controller.signal } })
  for (let turns = 0; turns < 20; turns++) await turn()
  controller.abort()
  holder.end()
  await expect(finding).rejects.toThrow('the client is gone')
  expect(read).toEqual([0n])
  memory.end()
})
