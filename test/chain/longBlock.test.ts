import type { Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { startDevnet, stopAll } from '../devnet/support.js'

afterEach(stopAll)

interface Transaction {
  hash: Hex
  transactionIndex: Hex
}

test('a block whose transactions were read one by one still has all of them', async () => {
  const { call, from } = await startDevnet({})
  await call('evm_setAutomine', false)
  const sent: Hex[] = []
  // Larger as JSON than one read, so that single transactions are read without the others.
  for (let index = 0; index < 40; index++) {
    sent.push(await call<Hex>('eth_sendTransaction', { from, to: from, gas: '0x5208' }))
  }
  await call('evm_mine')
  for (const [index, hash] of sent.entries()) {
    const expected = { hash, transactionIndex: `0x${index.toString(16)}` }
    expect(await call<Transaction>('eth_getTransactionByHash', hash)).toMatchObject(expected)
    expect(await call<Transaction>('eth_getTransactionByHash', hash)).toMatchObject(expected)
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ transactionHash: hash })
  }
  const { transactions } = await call<{ transactions: Transaction[] }>('eth_getBlockByNumber', 'latest', true)
  expect(transactions.map(({ hash }) => hash)).toEqual(sent)
  const receipts = await call<{ transactionHash: Hex }[]>('eth_getBlockReceipts', 'latest')
  expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(sent)
})
