import { expect, test } from 'vitest'
import { testBlock } from '../../test/support/callSite.js'
import { type ChainEvent, ChainEvents } from './reader.js'

const event: ChainEvent = {
  type: 'rewound',
  head: testBlock,
}

test('a listener that throws is reported, and does not keep others from receiving an event', () => {
  const faults: unknown[] = []
  const events = new ChainEvents((fault) => faults.push(fault))
  const received: string[] = []
  const failure = new Error('the disk is full')
  events.subscribe(() => {
    throw failure
  })
  events.subscribe(({ type }) => received.push(type))
  events.emit(event)
  expect(received).toEqual(['rewound'])
  expect(faults).toEqual([failure])
})
