import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useNode } from 'standin/node-test'

const node = useNode({ from: 'prepared.standin' })

test('the contract is there', async () => {
  const block = await node().request('eth_getBlockByNumber', ['0x2', true])
  const { contractAddress: to } = await node().request('eth_getTransactionReceipt', [
    block.transactions[0].hash,
  ])
  assert.equal(BigInt(await node().request('eth_call', [{ to }, 'latest'])), 42n)
})

test('a test begins where the preparation ended', async () => {
  await node().mine(3)
  assert.equal(await node().request('eth_blockNumber'), '0x5')
})

test('and so does the next', async () => {
  assert.equal(await node().request('eth_blockNumber'), '0x2')
})
