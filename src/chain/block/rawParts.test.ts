import { RLP } from '@ethereumjs/rlp'
import { expect, it } from 'vitest'
import { rawTransactions } from './rawParts.js'

const header = Array.from({ length: 15 }, (_, index) => new Uint8Array(index === 6 ? 256 : 32).fill(index))
const blockOf = (transactions: (Uint8Array | Uint8Array[])[]) => RLP.encode([header, transactions, [], []])

it('finds the transactions of a block as they were sent', () => {
  const legacy = [Uint8Array.of(1), new Uint8Array(0), new Uint8Array(20).fill(7), new Uint8Array(300)]
  const typed = Uint8Array.of(2, ...RLP.encode([Uint8Array.of(1), new Uint8Array(80)]))
  const short = Uint8Array.of(1, 0xc0)
  const raws = [...rawTransactions(blockOf([typed, legacy, short]))]
  expect(raws).toEqual([typed, RLP.encode(legacy), short])
})

it('finds none in a block without transactions', () => {
  expect([...rawTransactions(blockOf([]))]).toEqual([])
})
