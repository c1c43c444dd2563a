import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  http,
  toEventSelector,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'
import { readArtifact } from '../support/artifacts.js'

const open: { stop(): Promise<void> }[] = []
const directories: string[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((node) => node.stop()))
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

async function start(options: NodeOptions = {}): Promise<StandinNode> {
  const node = await createNode({ port: 0, ...options })
  open.push(node)
  return node
}

async function stop(node: StandinNode): Promise<void> {
  open.splice(open.indexOf(node), 1)
  await node.stop()
}

function dataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-chain-'))
  directories.push(directory)
  return directory
}

interface Block {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  stateRoot: Hex
  transactions: Hex[]
}

/** Shorthands for calls, typed as in the standard. */
function callsOf(node: StandinNode) {
  const call = async <T>(method: string, ...params: unknown[]) => (await node.request(method, params)) as T
  const [from, to] = node.accounts.map(({ address }) => address)
  return {
    call,
    block: (id: string) => call<Block | null>('eth_getBlockByNumber', id, false),
    number: async () => Number(await call<Hex>('eth_blockNumber')),
    balance: async (block = 'latest') => BigInt(await call<Hex>('eth_getBalance', to, block)),
    pay: (value: bigint) =>
      call<Hex>('eth_sendTransaction', { from, to, value: `0x${value.toString(16)}`, gas: '0x5208' }),
    from,
    to,
  }
}

const ether = 10n ** 18n

describe('reverting to a snapshot', () => {
  test('restores head, state, clock and pending transactions, and consumes the snapshot', async () => {
    const { call, block, number, balance, pay } = callsOf(await start())
    await pay(1n)
    await call('evm_setAutomine', false)
    const waiting = await pay(2n)
    const before = await block('latest')
    const snapshot = await call<Hex>('evm_snapshot')
    const later = await call<Hex>('evm_snapshot')
    await call('evm_increaseTime', 86_400)
    await call('evm_mine')
    const undone = await pay(4n)
    const dropped = await block('latest')
    expect(await number()).toBe(2)
    expect(BigInt(dropped!.timestamp) - BigInt(before!.timestamp)).toBeGreaterThanOrEqual(86_400n)

    expect(await call('evm_revert', snapshot)).toBe(true)
    expect(await block('latest')).toEqual(before)
    expect(await block('0x2')).toBeNull()
    expect(await call('eth_getBlockByHash', dropped!.hash, false)).toBeNull()
    expect(await call('eth_getTransactionByHash', undone)).toBeNull()
    expect(await call('eth_getTransactionByHash', waiting)).toMatchObject({
      hash: waiting,
      blockNumber: null,
    })
    expect(await call('eth_getTransactionReceipt', waiting)).toBeNull()
    expect(await balance()).toBe(10_000n * ether + 1n)
    expect(await call('evm_revert', snapshot)).toBe(false)
    expect(await call('evm_revert', later)).toBe(false)

    await call('evm_mine')
    const again = await block('latest')
    expect(again!.transactions).toEqual([waiting])
    expect(BigInt(again!.timestamp) - BigInt(before!.timestamp)).toBeLessThan(86_400n)
    expect(await balance()).toBe(10_000n * ether + 3n)
  })

  test('works after a restart too, with every state still readable', async () => {
    const dataDir = dataDirectory()
    const first = await start({ dataDir })
    const one = callsOf(first)
    await one.pay(1n)
    const snapshot = await one.call<Hex>('evm_snapshot')
    for (let i = 0; i < 5; i++) await one.pay(1n)
    await stop(first)

    const two = callsOf(await start({ dataDir }))
    expect(await two.number()).toBe(6)
    for (let height = 0n; height <= 6n; height++) {
      expect(await two.balance(`0x${height.toString(16)}`)).toBe(10_000n * ether + height)
    }
    expect(await two.call('evm_revert', snapshot)).toBe(true)
    expect(await two.number()).toBe(1)
    expect(await two.balance()).toBe(10_000n * ether + 1n)
    expect(await two.call('evm_snapshot')).not.toBe(snapshot)
    await two.pay(7n)
    expect(await two.balance()).toBe(10_000n * ether + 8n)
  })

  test('drops the logs of removed blocks', async () => {
    const { call, from } = callsOf(await start())
    const { abi, bytecode } = readArtifact('Events')
    const deployment = await call<Hex>('eth_sendTransaction', {
      from,
      data: encodeDeployData({ abi, bytecode }),
    })
    const { contractAddress: address } = await call<{ contractAddress: Hex }>(
      'eth_getTransactionReceipt',
      deployment,
    )
    const emit = (a: bigint) =>
      call<Hex>('eth_sendTransaction', {
        from,
        to: address,
        data: encodeFunctionData({ abi, functionName: 'emitOne', args: [a, 0n] }),
      })
    const found = async () => {
      const topics = [toEventSelector('One(uint256,uint256)')]
      const logs = await call<{ topics: Hex[] }[]>('eth_getLogs', { fromBlock: 'earliest', address, topics })
      return logs.map((log) => Number(log.topics[1]))
    }
    await emit(1n)
    const snapshot = await call<Hex>('evm_snapshot')
    await emit(2n)
    await emit(3n)
    expect(await found()).toEqual([1, 2, 3])
    await call('evm_revert', snapshot)
    expect(await found()).toEqual([1])
    await emit(4n)
    expect(await found()).toEqual([1, 4])
  })
})

describe('restarts', () => {
  test('keep acknowledged pending transactions, and drop them once mined', async () => {
    const dataDir = dataDirectory()
    const first = await start({ dataDir, noMining: true })
    const account = privateKeyToAccount(first.accounts[0]!.privateKey)
    const raw = await createWalletClient({ account, transport: http(first.url) }).signTransaction({
      chain: null,
      chainId: 31337,
      type: 'eip1559',
      to: account.address,
      nonce: 1,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    })
    const one = callsOf(first)
    const gapped = await one.call<Hex>('eth_sendRawTransaction', raw)
    const ready = await one.pay(5n)
    await stop(first)

    const second = await start({ dataDir, noMining: true })
    const two = callsOf(second)
    await two.call('evm_mine')
    expect((await two.block('latest'))!.transactions).toEqual([ready, gapped])
    await stop(second)

    const three = callsOf(await start({ dataDir, noMining: true }))
    await three.call('evm_mine')
    expect((await three.block('latest'))!.transactions).toEqual([])
  })

  test('resume the clock where it was', async () => {
    const dataDir = dataDirectory()
    const first = await start({ dataDir })
    await callsOf(first).call('evm_increaseTime', 1_000_000)
    await stop(first)
    const { call, block } = callsOf(await start({ dataDir }))
    await call('evm_mine')
    expect(Number((await block('latest'))!.timestamp) - Date.now() / 1000).toBeGreaterThan(999_000)
  })

  test('refuse the data of another chain by name', async () => {
    const dataDir = dataDirectory()
    await stop(await start({ dataDir }))
    await expect(createNode({ port: 0, dataDir, chainId: 5 })).rejects.toThrow('chain id 31337, not 5')
    await expect(createNode({ port: 0, dataDir, hardfork: 'london' })).rejects.toThrow('fork schedule')
  })
})

describe('mining', () => {
  test('gives blocks increasing timestamps, and a requested one exactly', async () => {
    const { call, block } = callsOf(await start())
    const times: number[] = []
    for (let i = 0; i < 5; i++) {
      await call('evm_mine')
      times.push(Number((await block('latest'))!.timestamp))
    }
    expect(times.every((time, i) => i === 0 || time > times[i - 1]!)).toBe(true)
    const wanted = times[4]! + 12_345
    await call('evm_setNextBlockTimestamp', wanted)
    await call('evm_mine')
    expect(Number((await block('latest'))!.timestamp)).toBe(wanted)
    await expect(call('evm_setNextBlockTimestamp', wanted - 1)).rejects.toThrow(/lower than/)
    await call('evm_mine', wanted + 100)
    expect(Number((await block('latest'))!.timestamp)).toBe(wanted + 100)
  })

  test('fills a block up to its gas limit and leaves the rest for the next', async () => {
    const { call, block, pay } = callsOf(await start({ gasLimit: 50_000n, noMining: true }))
    const hashes = [await pay(1n), await pay(2n), await pay(3n)]
    await call('evm_mine')
    expect((await block('latest'))!.transactions).toEqual(hashes.slice(0, 2))
    await call('evm_mine')
    expect((await block('latest'))!.transactions).toEqual(hashes.slice(2))
  })

  test('by interval runs until it is stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { call, number, pay, balance } = callsOf(await start({ blockTime: 5 }))
    await pay(9n)
    const wait = async (seconds: number) => {
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      // Queued behind the block that the interval has begun.
      await call('evm_increaseTime', 0)
    }
    await wait(4.999)
    expect(await number()).toBe(0)
    await wait(0.001)
    expect(await number()).toBe(1)
    expect(await balance()).toBe(10_000n * ether + 9n)
    await wait(5)
    await wait(5)
    expect(await number()).toBe(3)
    await call('evm_setIntervalMining', 0)
    await wait(60)
    expect(await number()).toBe(3)
  })

  test('mines pending transactions when automine is turned on, a block each', async () => {
    const { call, number, pay, block } = callsOf(await start({ noMining: true }))
    const hashes = [await pay(1n), await pay(2n)]
    await call('evm_setAutomine', true)
    expect(await number()).toBe(2)
    expect([(await block('0x1'))!.transactions, (await block('0x2'))!.transactions]).toEqual(
      hashes.map((h) => [h]),
    )
  })

  test('shows the same block as pending and, once mined, as latest', async () => {
    const { call, pay } = callsOf(await start({ noMining: true, pendingFields: 'geth', deterministic: true }))
    await pay(3n)
    const pending = await call<Block>('eth_getBlockByNumber', 'pending', false)
    await call('evm_mine')
    const mined = await call<Block>('eth_getBlockByNumber', 'latest', false)
    expect(pending.transactions).toEqual(mined.transactions)
    expect(pending.stateRoot).toBe(mined.stateRoot)
    expect(pending.number).toBe(mined.number)
  })

  test('produces the same chain in every deterministic run', async () => {
    const run = async () => {
      const { call, pay, block } = callsOf(await start({ deterministic: true }))
      for (let i = 1n; i <= 3n; i++) await pay(i)
      await call('evm_increaseTime', 100)
      await call('evm_mine')
      return block('latest')
    }
    expect(await run()).toEqual(await run())
  })
})

test('a reset starts over from the genesis', async () => {
  const node = await start()
  const { block, balance, number, pay } = callsOf(node)
  const genesis = await block('earliest')
  await pay(5n)
  await node.reset()
  expect(await block('latest')).toEqual(genesis)
  expect(await balance()).toBe(10_000n * ether)
  await pay(6n)
  expect(await number()).toBe(1)
  expect(await balance()).toBe(10_000n * ether + 6n)
})
