import { expect, test } from 'vitest'
import { decodeTransactionRow, encodeTransactionRow } from './transactionRow.js'

test('places are six bytes of ordinal and four of index, oldest first', () => {
  const places = [
    { ordinal: 0x010203040506, index: 0x0708090a },
    { ordinal: 2 ** 48 - 1, index: 2 ** 32 - 1 },
    { ordinal: 0, index: 0 },
  ]
  const bytes = encodeTransactionRow(places)
  expect(Buffer.from(bytes).toString('hex')).toBe(`0102030405060708090a${'ff'.repeat(10)}${'00'.repeat(10)}`)
  expect(decodeTransactionRow(bytes)).toEqual(places)
})
