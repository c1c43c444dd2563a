import { parseTransaction, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

let node: StandinNode
beforeAll(async () => {
  node = await createNode({ port: 0 })
})
afterAll(() => node.stop())

test('eth_fillTransaction completes what was left open, for any account', async () => {
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
})
