import { expect, onTestFinished, test } from 'vitest'
import { createNode } from '../index.js'
import { leaseShared, withSnapshot } from './lease.js'

async function start() {
  const node = await createNode({ listen: false })
  onTestFinished(() => node.stop())
  return { node, height: async () => Number(await node.request('eth_blockNumber')) }
}

test("a lease's changes to the chain are undone at its end", async () => {
  const { node, height } = await start()
  await node.mine(2)
  const lease = await leaseShared(node)
  await withSnapshot(node, () => node.mine(3))
  expect(await height()).toBe(2)
  await node.mine()
  await lease.end()
  expect(await height()).toBe(2)
})

test('a reset during a lease leaves no later blocks', async () => {
  const { node, height } = await start()
  const lease = await leaseShared(node)
  await withSnapshot(node, async () => {
    await node.reset()
    await node.mine(3)
  })
  expect(await height()).toBe(0)
  await node.mine()
  await lease.end()
  expect(await height()).toBe(0)
})
