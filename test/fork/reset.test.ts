import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'
import { until } from '../support/until.js'
import { ownRemote, type Remote } from './remotes.js'

let remote: Remote
const nodes: StandinNode[] = []
const directories: string[] = []

beforeAll(async () => {
  remote = await ownRemote()
})
afterAll(() => remote?.stop())
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

async function start(options: NodeOptions): Promise<StandinNode> {
  const node = await createNode({ port: 0, ...options })
  nodes.push(node)
  return node
}

async function stop(node: StandinNode): Promise<void> {
  nodes.splice(nodes.indexOf(node), 1)
  await node.stop()
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-refork-'))
  directories.push(directory)
  return directory
}

interface Block {
  number: string
  hash: string
}

const heightOf = async (node: StandinNode) => Number(await node.request('eth_blockNumber'))
const headOf = async (node: StandinNode) =>
  (await node.request('eth_getBlockByNumber', ['latest', false])) as Block
const countOf = async (node: Pick<StandinNode, 'request'>, block: string | number = 'latest') => {
  const place = typeof block === 'number' ? `0x${block.toString(16)}` : block
  return Number(await node.request('eth_getStorageAt', [remote.counter, '0x0', place]))
}
const callCounter = (node: StandinNode) =>
  node.request('eth_sendTransaction', [{ from: remote.accounts[0], to: remote.counter, gas: '0x100000' }])
const metadataOf = async (node: StandinNode) =>
  (await node.request('anvil_metadata')) as {
    instanceId: string
    forkedNetwork: { forkBlockNumber: number } | null
  }

async function heads(node: StandinNode) {
  const socket = new WebSocket(node.wsUrl)
  await once(socket, 'open')
  const numbers: number[] = []
  const answered = once(socket, 'message')
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  await answered
  socket.on('message', (data: Buffer) => {
    const { params } = JSON.parse(data.toString()) as { params: { result: Block } }
    numbers.push(Number(params.result.number))
  })
  return { numbers, close: () => socket.close() }
}

test('a fork moves to another block of its remote and back', async () => {
  const node = await start({ forkUrl: remote.url })
  const before = await metadataOf(node)
  const snapshot = await node.snapshot()
  const filter = await node.request('eth_newFilter', [{ address: remote.counter }])
  const pushed = await heads(node)
  await callCounter(node)
  const local = await headOf(node)
  expect(await countOf(node)).toBe(2)

  const { firstBlock } = remote
  expect(await node.request('anvil_reset', [{ forking: { blockNumber: firstBlock } }])).toBeNull()
  expect(await heightOf(node)).toBe(firstBlock)
  expect(await countOf(node)).toBe(await countOf(remote, firstBlock))
  expect(await node.request('eth_getBlockByNumber', [`0x${remote.head.toString(16)}`, false])).toBeNull()
  expect(await node.request('eth_getBlockByHash', [local.hash, false])).toBeNull()
  expect(await node.revert(snapshot)).toBe(false)
  expect(await node.request('eth_getFilterChanges', [filter])).toEqual([])
  const { instanceId, forkedNetwork } = await metadataOf(node)
  expect(instanceId).not.toBe(before.instanceId)
  expect(forkedNetwork?.forkBlockNumber).toBe(firstBlock)

  await callCounter(node)
  expect(await countOf(node)).toBe(1)
  expect(await node.request('eth_getFilterChanges', [filter])).toHaveLength(1)
  await until(() => pushed.numbers.length === 2)
  expect(pushed.numbers).toEqual([remote.head + 1, firstBlock + 1])
  pushed.close()

  expect(await node.request('hardhat_reset', [])).toBe(true)
  expect(await heightOf(node)).toBe(remote.head)
  expect((await headOf(node)).hash).toBe(
    ((await remote.request('eth_getBlockByNumber', ['latest', false])) as Block).hash,
  )
  expect(await countOf(node)).toBe(1)
  expect((await metadataOf(node)).forkedNetwork?.forkBlockNumber).toBe(remote.head)
  await callCounter(node)
  expect(await countOf(node)).toBe(2)
})

test('many resets are possible, and each sees only its own block', async () => {
  const node = await start({ forkUrl: remote.url })
  for (const number of [remote.firstBlock, remote.head, remote.firstBlock, remote.firstBlock, remote.head]) {
    await node.request('anvil_reset', [{ forking: { jsonRpcUrl: remote.url, blockNumber: number } }])
    expect(await countOf(node)).toBe(await countOf(remote, number))
    await callCounter(node)
    expect(await countOf(node)).toBe((await countOf(remote, number)) + 1)
  }
})

test('a URL in a call is fetched only if allowed', async () => {
  const order = { forking: { jsonRpcUrl: remote.url, blockNumber: remote.head } }
  const closed = await start({})
  await expect(closed.request('anvil_reset', [order])).rejects.toThrow('--allow-remote-reset')
  await expect(closed.request('anvil_reset', [{ forking: { blockNumber: 1 } }])).rejects.toThrow(
    'Forking not enabled',
  )
  expect(await closed.request('anvil_setRpcUrl', ['http://127.0.0.1:1'])).toBeNull()
  const fork = await start({ forkUrl: remote.url })
  const elsewhere = { forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }
  await expect(fork.request('anvil_reset', [elsewhere])).rejects.toThrow('--allow-remote-reset')
  await expect(fork.request('anvil_setRpcUrl', ['http://127.0.0.1:1'])).rejects.toThrow(
    '--allow-remote-reset',
  )
  await callCounter(fork)
  const open = await start({ allowRemoteReset: true, forkRetries: 0 })
  await open.mine()
  await expect(open.request('anvil_reset', [elsewhere])).rejects.toThrow('does not answer')
  await expect(
    open.request('anvil_reset', [{ forking: { jsonRpcUrl: remote.url, blockNumber: 999 } }]),
  ).rejects.toThrow('has no block 999')
  expect(await heightOf(open)).toBe(1)
})

test('headers of the remote are not sent to another host named in a call', async () => {
  const received: (string | undefined)[] = []
  const proxy = createServer((request, response) => {
    void (async () => {
      received.push(request.headers['x-secret'] as string | undefined)
      const answer = await fetch(remote.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: await text(request),
      })
      response.end(await answer.text())
    })()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  try {
    const forkHeader = ['x-secret: abc']
    const node = await start({ forkUrl: remote.url, forkHeader, allowRemoteReset: true })
    await node.request('anvil_reset', [{ forking: { jsonRpcUrl: url } }])
    expect(new Set(received)).toEqual(new Set([undefined]))
    received.length = 0
    const own = await start({ forkUrl: url, forkHeader })
    await own.request('anvil_reset', [{ forking: { blockNumber: remote.firstBlock } }])
    expect(new Set(received)).toEqual(new Set(['abc']))
    await Promise.all(nodes.splice(0).map((each) => each.stop()))
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

test('a local chain becomes a fork and local again, also across restarts', async () => {
  const dataDir = newDirectory()
  const options = { dataDir, allowRemoteReset: true }
  const first = await start(options)
  const genesis = await first.request('eth_getBlockByNumber', ['earliest', false])
  await first.request('eth_sendTransaction', [
    { from: first.accounts[0]?.address, to: remote.counter, value: '0x5' },
  ])
  const own = await headOf(first)
  const order = { forking: { jsonRpcUrl: remote.url, blockNumber: remote.head } }
  await first.request('anvil_reset', [order])
  expect(await first.request('eth_chainId')).toBe('0x4d')
  expect(await first.request('eth_getBlockByHash', [own.hash, false])).toBeNull()
  expect(await first.request('eth_getBalance', [remote.counter, 'latest'])).toBe('0x0')
  await first.request('evm_increaseTime', [100_000])
  await callCounter(first)
  expect(await countOf(first)).toBe(2)
  const forked = await headOf(first)
  await first.request('evm_setAutomine', [false])
  const waiting = await callCounter(first)
  await stop(first)

  const second = await start({ dataDir, noMining: true })
  expect(second.chainId).toBe(77)
  expect(await headOf(second)).toEqual(forked)
  expect(await countOf(second)).toBe(2)
  expect(await second.request('eth_pendingTransactions')).toMatchObject([{ hash: waiting }])
  await second.mine()
  expect(await countOf(second)).toBe(3)
  expect(await second.request('eth_getLogs', [{ fromBlock: '0x0', address: remote.counter }])).toHaveLength(3)
  await second.request('anvil_reset')
  expect(await second.request('eth_getBlockByNumber', ['latest', false])).toEqual(genesis)
  expect(await second.request('eth_chainId')).toBe('0x7a69')
  expect(await second.request('eth_pendingTransactions')).toEqual([])
  expect((await metadataOf(second)).forkedNetwork).toBeNull()
  await second.mine()
  const again = await headOf(second)
  await stop(second)

  const third = await start({ dataDir })
  expect(await headOf(third)).toEqual(again)
  expect(third.chainId).toBe(31337)
  expect(readFileSync(join(dataDir, 'manifest.json'), 'utf8')).not.toContain(remote.url)
})

test('a fork reset to another block stays there after a restart with the same command', async () => {
  const dataDir = newDirectory()
  const options = { dataDir, forkUrl: remote.url, forkBlock: BigInt(remote.head) }
  const first = await start(options)
  await first.request('anvil_reset', [{ forking: { blockNumber: remote.firstBlock } }])
  await first.mine()
  const head = await headOf(first)
  await stop(first)
  expect(readFileSync(join(dataDir, 'manifest.json'), 'utf8')).not.toContain(remote.url)
  const second = await start(options)
  expect(await headOf(second)).toEqual(head)
  await second.request('anvil_reset', [{}])
  expect(await heightOf(second)).toBe(remote.head)
  await stop(second)
  expect(await heightOf(await start(options))).toBe(remote.head)
})

test('a fork switches to another node of its chain on request', async () => {
  const node = await start({ forkUrl: remote.url, allowRemoteReset: true, forkRetries: 0 })
  const other = await start({})
  await expect(node.request('anvil_setRpcUrl', [other.url])).rejects.toThrow('does not have the block')
  expect(await countOf(node)).toBe(1)
  const mirror = await start({ forkUrl: remote.url })
  await mirror.mine()
  await node.request('anvil_setRpcUrl', [mirror.url])
  expect(await countOf(node)).toBe(1)
  const info = (await node.request('anvil_nodeInfo')) as { forkConfig: { forkUrl: string } }
  expect(info.forkConfig.forkUrl).toContain(new URL(mirror.url).host)
  await node.request('anvil_reset', [{ forking: { blockNumber: remote.head + 1 } }])
  expect(await heightOf(node)).toBe(remote.head + 1)
})
