import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useNode } from 'standin/node-test'

const node = useNode({ from: 'prepared.standin' })

test('the contract exists', async () => {
  const block = await node().request('eth_getBlockByNumber', ['0x2', true])
  const { contractAddress: to } = await node().request('eth_getTransactionReceipt', [
    block.transactions[0].hash,
  ])
  assert.equal(BigInt(await node().request('eth_call', [{ to }, 'latest'])), 42n)
})

test('a test starts from the prepared chain', async () => {
  await node().mine(3)
  assert.equal(await node().request('eth_blockNumber'), '0x5')
})

test('the next test does too', async () => {
  assert.equal(await node().request('eth_blockNumber'), '0x2')
})
