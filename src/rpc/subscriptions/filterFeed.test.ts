import { expect, it, vi } from 'vitest'
import type { BlockPosition } from '../../chain/block/record.js'
import { type ChainEvent, ChainEvents } from '../../chain/reader.js'
import { type Collector, FilterFeed, FilterQueue, type KnownBlock } from './filterFeed.js'

const blocks = Array.from({ length: 5 }, (_, index): KnownBlock => {
  return { ordinal: index, hash: new Uint8Array(32).fill(index), header: { number: BigInt(index) } }
})
const rewound = { type: 'rewound' } as ChainEvent
const head = { type: 'head' } as ChainEvent

/** Creates a feed over a chain with the first of the blocks. */
function createFeed(canonical: number) {
  const chain = { isCanonical: ({ ordinal }: BlockPosition) => ordinal < canonical }
  const events = new ChainEvents((fault) => {
    throw fault
  })
  return { events, feed: new FilterFeed({ chain, events }) }
}

function collectorOf(values: ReturnType<Collector<string>['collect']>, fromBlocks = true) {
  return { collect: vi.fn(() => values), fromBlocks } satisfies Collector<string>
}

it('collects what comes with an event once for all filters of a kind', () => {
  const { events, feed } = createFeed(5)
  const collector = collectorOf([{ value: 'a', weight: 3 }, { value: 'b' }])
  const queues = Array.from({ length: 3 }, () => new FilterQueue<string>())
  const ends = queues.map((queue) => feed.subscribe(collector, queue))
  events.emit(head)
  ends[1]?.()
  events.emit(head)
  expect(collector.collect).toHaveBeenCalledTimes(2)
  expect(queues.map(({ weight }) => weight)).toEqual([8, 4, 8])
  expect(queues[1]?.take().values).toEqual(['a', 'b'])
})

it('drops what came since the newest block that is still canonical, but nothing that came with no block', () => {
  const { events, feed } = createFeed(2)
  const kept = new FilterQueue<string>()
  const dropped = new FilterQueue<string>()
  const later = [{ value: 'removed' }, { value: '3', block: blocks[3] }]
  feed.subscribe(collectorOf([{ value: '1', block: blocks[1] }, ...later]), kept)
  feed.subscribe(collectorOf(later), dropped)
  events.emit(head)
  events.emit(rewound)
  expect([kept.weight, dropped.weight]).toEqual([2, 1])
  expect([kept.take().values, dropped.take().values]).toEqual([['1', 'removed'], ['removed']])
})

it('does not look at what never comes with a block', () => {
  const { events, feed } = createFeed(0)
  const queue = new FilterQueue<string>()
  const rewind = vi.spyOn(queue, 'rewind')
  feed.subscribe(collectorOf([{ value: 'pending' }], false), queue)
  events.emit(head)
  events.emit(rewound)
  expect(rewind).not.toHaveBeenCalled()
  expect(queue.take().values).toEqual(['pending'])
})

it('returns values that a poll left first, without those rewound meanwhile', () => {
  const { events, feed } = createFeed(2)
  const queue = new FilterQueue<string>()
  feed.subscribe(
    collectorOf(blocks.slice(0, 4).map((block) => ({ value: `${block.ordinal}`, block }))),
    queue,
  )
  events.emit(head)
  const { values, putBack } = queue.take()
  expect(values).toEqual(['0', '1', '2', '3'])
  events.emit(rewound)
  queue.append([{ value: 'new', block: blocks[1] }], 1)
  putBack(1, ({ ordinal }) => ordinal < 2)
  expect(queue.weight).toBe(2)
  expect(queue.take().values).toEqual(['1', 'new'])
})

it('forgets values that a poll left once the chain was replaced', () => {
  const { events, feed } = createFeed(5)
  const queue = new FilterQueue([{ value: 'first', block: blocks[0] }])
  feed.subscribe(collectorOf([]), queue)
  const { putBack } = queue.take()
  events.emit({ type: 'replaced' } as ChainEvent)
  putBack(0, () => true)
  expect(queue.take().values).toEqual([])
})
