import { createHash } from 'node:crypto'
import { expect, it, test } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import {
  TransactionFilter,
  TransactionRows,
  decodeTransactionRow,
  encodeTransactionRow,
} from './indexRecord.js'

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

test('a row has a hash, a sender, flags and two spans, which are decoded on demand', () => {
  const transactions = [1, 2, 3].map((byte) => ({
    hash: new Uint8Array(32).fill(byte),
    sender: new Uint8Array(20).fill(byte + 0x10),
    impersonated: byte === 2,
  }))
  const spans = {
    transactions: [0x0a, 0x0b, 0x0c].map((length, index) => ({ offset: 0x100 * index, length })),
    receipts: [0x01020304, 0x0d, 0x0e].map((length, index) => ({ offset: 0x01000000 * index, length })),
  }
  const rows = runToCompletion(TransactionRows.encode(transactions, spans))
  expect(Buffer.from(rows.bytes.subarray(69, 138)).toString('hex')).toBe(
    `${'02'.repeat(32)}${'12'.repeat(20)}01${'00000100'}${'0000000b'}${'01000000'}${'0000000d'}`,
  )
  const entries = rows.entries().map(({ hash, sender, impersonated }) => ({ hash, sender, impersonated }))
  expect(entries).toEqual(transactions)
  expect([0, 1, 2].map((index) => rows.transactionSpans.at(index))).toEqual(spans.transactions)
  expect([0, 1, 2].map((index) => rows.receiptSpans.at(index))).toEqual(spans.receipts)
  expect(rows.transactionSpans.join()).toEqual({ offset: 0, length: 0x20c })
  expect(rows.transactionSpans.join(1, 2)).toEqual({ offset: 0x100, length: 0x0b })
  expect(rows.transactionSpans.join(2, 2)).toEqual({ offset: 0, length: 0 })
})
