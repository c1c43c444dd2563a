import { expect, test } from 'vitest'
import { testHeader } from '../../test/support/callSite.js'
import { ChainEvents } from './events.js'
import type { ChainEvent } from './events.js'

const event: ChainEvent = {
  type: 'rewound',
  head: {
    ordinal: 0,
    hash: new Uint8Array(32),
    header: testHeader,
    totalDifficulty: 0n,
    size: 0,
    altered: false,
    transactions: [],
    uncleHashes: [],
  },
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
