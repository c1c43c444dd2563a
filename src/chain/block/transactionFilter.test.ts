import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { TransactionFilter } from './transactionFilter.js'

const hashOf = (text: string) => createHash('sha256').update(text).digest()

it('knows all that were added, and few others', () => {
  const filter = new TransactionFilter()
  const numbers = Array.from({ length: 20_000 }, (_, index) => index)
  expect(numbers.some((index) => filter.mayHold(hashOf(`added ${index}`)))).toBe(false)
  for (const index of numbers) filter.add(hashOf(`added ${index}`))
  expect(numbers.every((index) => filter.mayHold(hashOf(`added ${index}`)))).toBe(true)
  // 80,000 of 8,388,608 bits are set: each other one is taken for one of them with a chance of 8.3e-9.
  expect(numbers.some((index) => filter.mayHold(hashOf(`other ${index}`)))).toBe(false)
})
