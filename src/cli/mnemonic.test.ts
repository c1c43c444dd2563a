import { expect, test } from 'vitest'
import { randomMnemonic, seededMnemonic } from './mnemonic.js'

// Printed by anvil 1.7.1 for --mnemonic-seed-unsafe with these numbers.
test.each([
  [1n, 'gesture car maximum regret pudding merry fatal electric sea grab crack social'],
  [123456789n, 'various drift siren clog glove luxury army latin live file exhibit tiger'],
])('seed %i has the same phrase as in anvil', (seed, phrase) => {
  expect(seededMnemonic(seed)).toBe(phrase)
})

test.each([12, 15, 18, 21, 24])('a new phrase has %i words and is never the same', (words) => {
  expect(randomMnemonic(words).split(' ')).toHaveLength(words)
  expect(randomMnemonic(words)).not.toBe(randomMnemonic(words))
})
