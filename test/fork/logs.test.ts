import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'
import { ownRemote, type Remote } from './remotes.js'

let remote: Remote
const nodes: StandinNode[] = []

/** The remote has two calls of the counter; the fork starts after the second. */
beforeAll(async () => {
  remote = await ownRemote()
  await remote.request('eth_sendTransaction', [
    { from: remote.accounts[0], to: remote.counter, gas: '0x100000' },
  ])
})
afterAll(() => remote?.stop())
afterEach(() => Promise.all(nodes.splice(0).map((node) => node.stop())))

async function fork(options: NodeOptions = {}): Promise<StandinNode> {
  const node = await createNode({ port: 0, forkUrl: remote.url, ...options })
  nodes.push(node)
  return node
}

const callCounter = (node: StandinNode) =>
  node.request('eth_sendTransaction', [{ from: remote.accounts[0], to: remote.counter, gas: '0x100000' }])
const counts = (logs: unknown) => (logs as { data: string }[]).map(({ data }) => Number(data))
const topic = `0x${'0'.repeat(63)}1`

test('logs of the remote come first, then local ones, for every kind of query', async () => {
  const node = await fork()
  const forkBlock = (await node.request('eth_blockNumber')) as string
  const everything = { fromBlock: '0x0', address: remote.counter }
  const filter = await node.request('eth_newFilter', [everything])
  expect(counts(await node.request('eth_getFilterLogs', [filter]))).toEqual([1, 2])
  await callCounter(node)
  await callCounter(node)
  const find = async (range: object) => counts(await node.request('eth_getLogs', [range]))
  expect(await find(everything)).toEqual([1, 2, 3, 4])
  expect(await find({ ...everything, fromBlock: 'earliest', toBlock: 'latest' })).toEqual([1, 2, 3, 4])
  expect(await find({ ...everything, toBlock: forkBlock })).toEqual([1, 2])
  expect(await find({ ...everything, fromBlock: forkBlock })).toEqual([2, 3, 4])
  expect(await find({ fromBlock: '0x0', topics: [[topic]] })).toEqual([1, 2, 3, 4])
  expect(await find({ fromBlock: '0x0', topics: [null] })).toEqual([1, 2, 3, 4])
  expect(await find({ fromBlock: '0x0', topics: [null, null] })).toEqual([])
  expect(await find({ fromBlock: '0x0', topics: [`0x${'f'.repeat(64)}`] })).toEqual([])
  const { hash } = (await remote.request('eth_getBlockByNumber', [forkBlock, false])) as { hash: string }
  expect(await find({ blockHash: hash })).toEqual([2])
  expect(counts(await node.request('eth_getFilterLogs', [filter]))).toEqual([1, 2, 3, 4])
  expect(counts(await node.request('eth_getFilterChanges', [filter]))).toEqual([3, 4])
  await node.request('anvil_reorg', [1, []])
  expect(counts(await node.request('eth_getFilterChanges', [filter]))).toEqual([4])
  expect(counts(await node.request('eth_getFilterLogs', [filter]))).toEqual([1, 2, 3])
})

test('limits and refusals apply to both parts together', async () => {
  const node = await fork({ logsMaxResults: 3, logsMaxRange: 50, logsError: 'suggest' })
  const forkBlock = BigInt((await node.request('eth_blockNumber')) as string)
  const beyond = { fromBlock: '0x0', toBlock: `0x${(forkBlock + 1n).toString(16)}` }
  await expect(node.request('eth_getLogs', [beyond])).rejects.toThrow('beyond current head block')
  await expect(node.request('eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }])).rejects.toThrow(
    'invalid block range',
  )
  await callCounter(node)
  expect(await node.request('eth_getLogs', [{ fromBlock: '0x0' }])).toHaveLength(3)
  await callCounter(node)
  await expect(node.request('eth_getLogs', [{ fromBlock: '0x0' }])).rejects.toMatchObject({
    code: -32005,
    message: expect.stringContaining(`[0x0, 0x${forkBlock.toString(16).toUpperCase()}]`) as string,
  })
  await node.mine({ blocks: 60 })
  await expect(node.request('eth_getLogs', [{ fromBlock: '0x0' }])).rejects.toThrow('exceeds limit of 50')
})
