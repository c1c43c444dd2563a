import { createPublicClient, createWalletClient, http, parseTransaction, publicActions, type Hex } from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

let node: StandinNode
beforeAll(async () => {
  node = await createNode({ port: 0 })
})
afterAll(() => node.stop())

test('eth_fillTransaction completes missing fields, for any account', async () => {
  const [first, second] = node.accounts.map(({ address }) => address.toLowerCase())
  await node.request('eth_sendTransaction', [{ from: first, to: second, value: '0x1' }])
  const filled = (await node.request('eth_fillTransaction', [{ from: first, to: second, value: '0x5' }])) as {
    raw: Hex
    tx: Record<string, unknown>
  }
  expect(filled.tx).toMatchObject({
    type: '0x2',
    chainId: '0x7a69',
    nonce: '0x1',
    to: second,
    value: '0x5',
    gas: '0x5208',
    v: '0x0',
    r: '0x0',
    s: '0x0',
  })
  expect(parseTransaction(filled.raw)).toMatchObject({ type: 'eip1559', nonce: 1, value: 5n, gas: 21_000n })
  const legacy = await node.request('eth_fillTransaction', [
    { to: second, gasPrice: '0x77359400', gas: '0x5208' },
  ])
  expect(legacy).toMatchObject({ tx: { type: '0x0', nonce: '0x0', gasPrice: '0x77359400' } })
  // An unsigned legacy transaction has no chain id (EIP-155).
  expect(legacy).not.toHaveProperty('tx.chainId')
})

test('eth_fillTransaction accepts a tiny tip while the base fee falls', async () => {
  const [first, second] = node.accounts.map(({ address }) => address)
  const request = { from: first, to: second, maxPriorityFeePerGas: '0x1' }
  const { tx } = (await node.request('eth_fillTransaction', [request])) as { tx: { maxFeePerGas: Hex } }
  const { baseFeePerGas } = (await node.request('eth_getBlockByNumber', ['latest', false])) as {
    baseFeePerGas: Hex
  }
  // The head used almost no gas, so the next base fee is about an eighth lower.
  expect(BigInt(tx.maxFeePerGas)).toBeGreaterThanOrEqual((BigInt(baseFeePerGas) * 7n) / 8n + 1n)
  expect(tx).toMatchObject({ maxPriorityFeePerGas: '0x1', gas: '0x5208' })
})

test('every method that takes a transaction accepts one prepared by viem', async () => {
  const [account, to] = node.accounts.map(({ address }) => address) as [Hex, Hex]
  const client = createWalletClient({ chain: foundry, transport: http(node.url) }).extend(publicActions)
  const request = await client.prepareTransactionRequest({ account, to, value: 5n })
  // viem raises the cap by a fifth, and with it the gasPrice that the answer shows beside it.
  expect(request).toMatchObject({ gasPrice: request.maxFeePerGas })
  expect(await client.estimateGas(request)).toBe(21_000n)
  expect(await client.call(request)).toEqual({ data: undefined })
  const hash = await client.sendTransaction(request as never)
  const { type, maxFeePerGas } = await client.getTransaction({ hash })
  expect({ type, maxFeePerGas }).toEqual({ type: 'eip1559', maxFeePerGas: request.maxFeePerGas })
})

test("viem's fillTransaction reads the answer of every type", async () => {
  const [account, to] = node.accounts.map(({ address }) => address) as [Hex, Hex]
  const client = createPublicClient({ chain: foundry, transport: http(node.url) })
  for (const fields of [{}, { gasPrice: 2n * 10n ** 9n }, { maxFeePerGas: 3n * 10n ** 9n }]) {
    const { transaction } = await client.fillTransaction({ account, to, value: 5n, ...fields })
    expect(transaction).toMatchObject({ value: 5n, gas: 21_000n, ...fields })
  }
})
