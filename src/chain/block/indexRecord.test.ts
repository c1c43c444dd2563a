import { createHash } from 'node:crypto'
import { expect, it, test } from 'vitest'
import { TransactionFilter, decodeTransactionRow, encodeTransactionRow } from './indexRecord.js'

test('inclusions have six bytes of ordinal and four of index, oldest first', () => {
  const places = [
    { ordinal: 0x010203040506, index: 0x0708090a },
    { ordinal: 2 ** 48 - 1, index: 2 ** 32 - 1 },
    { ordinal: 0, index: 0 },
  ]
  const bytes = encodeTransactionRow(places)
  expect(Buffer.from(bytes).toString('hex')).toBe(`0102030405060708090a${'ff'.repeat(10)}${'00'.repeat(10)}`)
  expect(decodeTransactionRow(bytes)).toEqual(places)
})

const hashOf = (text: string) => createHash('sha256').update(text).digest()

it('may hold all added hashes, and few others', () => {
  const filter = new TransactionFilter()
  const numbers = Array.from({ length: 20_000 }, (_, index) => index)
  expect(numbers.some((index) => filter.mayHold(hashOf(`added ${index}`)))).toBe(false)
  for (const index of numbers) filter.add(hashOf(`added ${index}`))
  expect(numbers.every((index) => filter.mayHold(hashOf(`added ${index}`)))).toBe(true)
  // 80,000 of 8,388,608 bits are set, so any other hash passes with a probability of 8.3e-9.
  expect(numbers.some((index) => filter.mayHold(hashOf(`other ${index}`)))).toBe(false)
})
