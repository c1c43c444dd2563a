import { expect, test } from 'vitest'
import { testBlock } from '../../test/support/callSite.js'
import { ChainEvents } from './events.js'
import type { ChainEvent } from './events.js'

const event: ChainEvent = {
  type: 'rewound',
  head: testBlock,
}

test('a listener that fails keeps no other from hearing of an event', () => {
  const events = new ChainEvents()
  const heard: string[] = []
  events.subscribe(() => {
    throw new Error('the disk is full')
  })
  events.subscribe(({ type }) => heard.push(type))
  expect(() => events.emit(event)).toThrow('the disk is full')
  expect(heard).toEqual(['rewound'])
})
