import { expect, test } from 'vitest'
import { FORMAT_VERSION, type Manifest } from '../storage/manifest.js'
import { NetworkNumbers } from './networkNumbers.js'

function manifestOf(networks: Record<string, { index: number; resetTo?: number }>): Manifest {
  const entries = Object.entries(networks).map(([name, { index, resetTo }]) => [
    name,
    {
      index,
      clockOffsetSeconds: 0,
      chainId: '1',
      genesisHash: '0x',
      forks: [],
      resetTo: resetTo === undefined ? undefined : { index: resetTo, block: '1' },
    },
  ])
  return { formatVersion: FORMAT_VERSION, networks: Object.fromEntries(entries) }
}

test('a number that is stored or taken is not assigned again', () => {
  const numbers = new NetworkNumbers(manifestOf({ a: { index: 0, resetTo: 254 }, b: { index: 2 } }))
  expect([numbers.allocateLowest(), numbers.allocateLowest()]).toEqual([1, 3])
  expect([numbers.allocateHighest(), numbers.allocateHighest()]).toEqual([253, 252])
  numbers.release(1)
  numbers.release(2)
  expect([numbers.allocateLowest(), numbers.allocateLowest()]).toEqual([1, 4])
})

test('there are 255 numbers', () => {
  const numbers = new NetworkNumbers(manifestOf({}))
  for (let number = 0; number < 255; number++) expect(numbers.allocateLowest()).toBe(number)
  expect(() => numbers.allocateLowest()).toThrow('room for 255 chains')
  expect(() => numbers.allocateHighest()).toThrow('room for 255 chains')
})
