import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../support/until.js'
import { refusalOf, startDevnet, stopAll, stopDevnet, type Devnet } from './support.js'

const directories: string[] = []

afterEach(async () => {
  await stopAll()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function dataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-history-'))
  directories.push(directory)
  return directory
}

/** Emits one anonymous log with the first word of its data: log0(0, 32) after calldatacopy. */
const emitterCode = '0x60205f5f3760205fa000'
const emitter: Hex = `0x${'e1'.repeat(20)}`
const word = (value: number) => value.toString(16).padStart(64, '0')

interface Log {
  data: Hex
  removed: boolean
  blockHash: Hex
}

const emit = ({ call, from }: Devnet, value: number) =>
  call<Hex>('eth_sendTransaction', { from, to: emitter, data: `0x${word(value)}`, gas: '0x20000' })
const shown = (logs: Log[]) => logs.map(({ data, removed }) => (removed ? -Number(data) : Number(data)))

describe('snapshots', () => {
  test('nest; a revert deletes its snapshot and later ones', async () => {
    const { call, height } = await startDevnet()
    const first = await call<Hex>('evm_snapshot')
    await call('evm_mine')
    const second = await call<Hex>('evm_snapshot')
    await call('evm_mine')
    expect(await call('anvil_revert', second)).toBe(true)
    expect(await height()).toBe(1)
    expect(await call('evm_revert', first)).toBe(true)
    expect(await height()).toBe(0)
    expect(await call('evm_revert', first)).toBe(false)
    expect(await call('evm_revert', '0x63')).toBe(false)
    expect(await call('hardhat_snapshot')).toBe(numberToHex(Number(second) + 1))
  })

  test('revert edits, settings and filters, but not impersonations', async () => {
    const devnet = await startDevnet()
    const { call, from, block } = devnet
    await call('anvil_setCode', emitter, emitterCode)
    const logs = await call<Hex>('eth_newFilter', { address: emitter })
    const blocks = await call<Hex>('eth_newBlockFilter')
    await emit(devnet, 1)
    const before = await block()
    const snapshot = await call<Hex>('evm_snapshot')
    await call('anvil_setBalance', from, 1)
    await call('anvil_setCoinbase', emitter)
    await call('anvil_setBalance', from, numberToHex(10n ** 20n))
    await call('anvil_impersonateAccount', emitter)
    await emit(devnet, 2)
    const later = await call<Hex>('eth_newFilter', { address: emitter })
    await emit(devnet, 3)
    expect(shown(await call('eth_getFilterChanges', logs))).toEqual([1, 2, 3])
    await call('evm_revert', snapshot)
    expect(shown(await call('eth_getFilterChanges', logs))).toEqual([1])
    expect(await call('eth_getFilterChanges', blocks)).toEqual([before.hash])
    expect(await call('eth_getFilterChanges', later)).toEqual([])
    await emit(devnet, 4)
    expect(shown(await call('eth_getFilterChanges', later))).toEqual([4])
    expect((await block()).miner).toBe(before.miner)
    expect(BigInt(await call<Hex>('eth_getBalance', from, 'latest'))).toBeGreaterThan(10n ** 21n)
    expect(await call<Hex[]>('eth_accounts')).toContain(emitter)
  })

  test('nested in each other, restore what each filter had not returned yet', async () => {
    const devnet = await startDevnet()
    const { call } = devnet
    await call('anvil_setCode', emitter, emitterCode)
    const filter = await call<Hex>('eth_newFilter', { address: emitter })
    const changes = async () => shown(await call<Log[]>('eth_getFilterChanges', filter))
    await emit(devnet, 1)
    const outer = await call<Hex>('evm_snapshot')
    await emit(devnet, 2)
    const middle = await call<Hex>('evm_snapshot')
    const inner = await call<Hex>('evm_snapshot')
    expect(await changes()).toEqual([1, 2])
    await emit(devnet, 3)
    await call('evm_revert', inner)
    expect(await changes()).toEqual([1, 2])
    await call('evm_revert', middle)
    await emit(devnet, 4)
    const again = await call<Hex>('evm_snapshot')
    expect(await changes()).toEqual([1, 2, 4])
    await call('evm_revert', again)
    expect(await changes()).toEqual([1, 2, 4])
    await call('evm_revert', outer)
    expect(await changes()).toEqual([1])
    expect(await changes()).toEqual([])
  })

  test('have ids that are never reused, even after a restart', async () => {
    const dataDir = dataDirectory()
    const first = await startDevnet({ dataDir })
    const kept = await first.call<Hex>('evm_snapshot')
    const used = await first.call<Hex>('evm_snapshot')
    await first.call('evm_revert', used)
    await stopDevnet(first)
    const second = await startDevnet({ dataDir })
    const next = await second.call<Hex>('evm_snapshot')
    expect(Number(next)).toBe(Number(used) + 1)
    expect(await second.call('evm_revert', used)).toBe(false)
    expect(await second.call('evm_revert', kept)).toBe(true)
    await stopDevnet(second)
    const third = await startDevnet({ dataDir })
    expect(Number(await third.call<Hex>('evm_snapshot'))).toBe(Number(next) + 1)
  })

  test('restore the mempool, even after a restart', async () => {
    const dataDir = dataDirectory()
    const first = await startDevnet({ dataDir, noMining: true })
    const waiting = await first.call<Hex>('eth_sendTransaction', {
      from: first.from,
      to: first.to,
      value: '0x1',
    })
    const snapshot = await first.call<Hex>('evm_snapshot')
    await first.call('evm_mine')
    await first.call('eth_sendTransaction', { from: first.from, to: first.to, value: '0x2' })
    await stopDevnet(first)
    const second = await startDevnet({ dataDir, noMining: true })
    expect(await second.call('evm_revert', snapshot)).toBe(true)
    expect(await second.call<{ hash: Hex }[]>('eth_pendingTransactions')).toMatchObject([{ hash: waiting }])
    await stopDevnet(second)
    const third = await startDevnet({ dataDir, noMining: true })
    expect(await third.call<{ hash: Hex }[]>('eth_pendingTransactions')).toMatchObject([{ hash: waiting }])
  })
})

describe('a rollback', () => {
  test('removes blocks and their transactions without reporting logs', async () => {
    const devnet = await startDevnet()
    const { call, height } = devnet
    await call('anvil_setCode', emitter, emitterCode)
    const filter = await call<Hex>('eth_newFilter', { address: emitter })
    const kept = await emit(devnet, 1)
    const gone = await emit(devnet, 2)
    expect(await call('anvil_rollback')).toBeNull()
    expect(await height()).toBe(1)
    expect(await call('eth_getTransactionByHash', gone)).toBeNull()
    expect(await call('eth_getTransactionByHash', kept)).not.toBeNull()
    expect(await call('eth_pendingTransactions')).toEqual([])
    expect(shown(await call('eth_getFilterChanges', filter))).toEqual([1])
    await call('anvil_setBalance', emitter, 5)
    await call('evm_mine')
    await call('anvil_rollback', 1)
    expect(await call('eth_getBalance', emitter, 'latest')).toBe('0x5')
    expect(await refusalOf(call('anvil_rollback', 9))).toEqual({
      code: -32602,
      message: 'Rollback depth must not exceed current chain height: current height 1, depth 9',
    })
  })
})

describe('a reorganisation', () => {
  test('keeps settings for the next block for that block', async () => {
    const { call, block } = await startDevnet()
    await call('anvil_mine', 3)
    const fixed = Number((await block()).timestamp) + 1000
    await call('evm_setNextBlockTimestamp', fixed)
    await call('anvil_setNextBlockBaseFeePerGas', '0x7')
    await call('anvil_reorg', 3, [])
    const remined = await Promise.all(['0x1', '0x2', '0x3'].map((number) => block(number)))
    const times = remined.map(({ timestamp }) => Number(timestamp))
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
    expect(times.at(-1)).toBeLessThan(fixed)
    expect(remined.map(({ baseFeePerGas }) => baseFeePerGas)).not.toContain('0x7')
    await call('evm_mine')
    expect(await block()).toMatchObject({ timestamp: numberToHex(fixed), baseFeePerGas: '0x7' })
  })

  async function subscribe({ node }: Devnet, ...params: unknown[]) {
    const socket = new WebSocket(node.wsUrl)
    await once(socket, 'open')
    const pushes: unknown[] = []
    const answered = once(socket, 'message')
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
    await answered
    socket.on('message', (data: Buffer) => {
      pushes.push((JSON.parse(data.toString()) as { params: { result: unknown } }).params.result)
    })
    return { pushes, close: () => socket.close() }
  }

  test('reports removed blocks, then added ones, and makes the transactions pending again', async () => {
    const devnet = await startDevnet()
    const { call, block, height } = devnet
    await call('anvil_setCode', emitter, emitterCode)
    await emit(devnet, 1)
    const hashes = [await emit(devnet, 2), await emit(devnet, 3)]
    const orphans = [await block('0x2'), await block('0x3')]
    const logs = await subscribe(devnet, 'logs', { address: emitter })
    const heads = await subscribe(devnet, 'newHeads')
    const filter = await call<Hex>('eth_newFilter', { address: emitter })
    const impostor: Hex = `0x${'33'.repeat(20)}`
    await call('anvil_setBalance', impostor, numberToHex(10n ** 18n))
    await call('evm_mine')
    orphans.push(await block('0x4'))
    const replacement = { from: impostor, to: emitter, data: `0x${word(9)}`, gas: '0x20000' }
    // The edit is part of block 4's parent state and not of the new branch's.
    expect(await call('anvil_reorg', 3, [[{ ...replacement, from: devnet.to }, 1]])).toBeNull()
    expect(await height()).toBe(4)
    await until(() => logs.pushes.length === 3)
    expect(shown(logs.pushes as Log[])).toEqual([-2, -3, 9])
    expect(shown(await call('eth_getFilterChanges', filter))).toEqual([-2, -3, 9])
    const head = await block()
    await until(() => heads.pushes.length === 2)
    expect((heads.pushes as { hash: Hex }[]).map(({ hash }) => hash)).toEqual([orphans[2]?.hash, head.hash])
    for (const orphan of orphans) {
      expect((await block(orphan.number)).hash).not.toBe(orphan.hash)
      expect(await call('eth_getBlockByHash', orphan.hash, false)).toMatchObject({ hash: orphan.hash })
    }
    const waiting = await call<{ hash: Hex; blockHash: null }[]>('eth_pendingTransactions')
    expect(waiting.map(({ hash }) => hash)).toEqual(hashes)
    await call('evm_mine')
    expect((await block()).transactions).toEqual(hashes)
    logs.close()
    heads.close()
  })

  test('survives a restart, with its orphans and pending transactions', async () => {
    const dataDir = dataDirectory()
    const first = await startDevnet({ dataDir })
    const hash = await first.call<Hex>('eth_sendTransaction', { from: first.from, to: first.to })
    const orphan = await first.block()
    const order = { jsonrpc: '2.0', id: 1, method: 'anvil_reorg', params: { depth: 1, tx_block_pairs: [] } }
    const headers = { 'content-type': 'application/json' }
    await fetch(first.node.url, { method: 'POST', headers, body: JSON.stringify(order) })
    const head = await first.block()
    await stopDevnet(first)
    const second = await startDevnet({ dataDir, noMining: true })
    expect((await second.block()).hash).toBe(head.hash)
    expect(await second.call('eth_getBlockByHash', orphan.hash, false)).toMatchObject({ number: '0x1' })
    expect(await second.call<{ hash: Hex }[]>('eth_pendingTransactions')).toMatchObject([{ hash }])
  })

  test("happens if another node's branch becomes canonical", async () => {
    const options = { deterministic: true }
    const [other, devnet] = [await startDevnet(options), await startDevnet(options)]
    const { call, from, to, block } = devnet
    await other.call('evm_mine')
    await other.send({ to: other.from, value: '0x1', from: other.to })
    await other.call('evm_increaseTime', 77)
    await other.call('evm_mine')
    const left = await call<Hex>('eth_sendTransaction', { from, to, value: '0x5' })
    const orphan = await block()
    const raw = await Promise.all(['0x1', '0x2', '0x3'].map((id) => other.call<Hex>('debug_getRawBlock', id)))
    const head = await other.block()
    expect(await call('standin_importBlocks', raw)).toBe(head.hash)
    expect(await block()).toEqual(head)
    expect(await call('eth_getBlockByHash', orphan.hash, false)).toMatchObject({ hash: orphan.hash })
    expect(await call<{ hash: Hex }[]>('eth_pendingTransactions')).toMatchObject([{ hash: left }])
    await call('evm_mine')
    expect((await block()).transactions).toEqual([left])
    const broken = `${raw[2]?.slice(0, -2) ?? ''}00`
    expect((await refusalOf(call('standin_importBlocks', [broken]))).code).toBe(-32602)
  })

  test("may contain another node's transaction with thousands of addresses in its access list", async () => {
    const options = { deterministic: true, gasLimit: 10_000_000 }
    const [other, { call }] = [await startDevnet(options), await startDevnet(options)]
    // The items of a list that cost least gas.
    const accessList = Array.from({ length: 4000 }, (_, index) => ({
      address: `0x${index.toString(16).padStart(40, '0')}`,
      storageKeys: [],
    }))
    await other.call('eth_sendTransaction', { from: other.from, to: other.to, accessList, gas: '0x989680' })
    const { hash, transactions } = await other.block()
    expect(transactions).toHaveLength(1)
    const raw = await other.call<Hex>('debug_getRawBlock', 'latest')
    expect(await call('standin_importBlocks', [raw])).toBe(hash)
  })

  test('is refused if there are not enough blocks', async () => {
    const { call, from } = await startDevnet()
    await call('evm_mine')
    expect((await refusalOf(call('anvil_reorg', 2, []))).message).toBe(
      'Reorg depth must not exceed current chain height: current height 1, depth 2',
    )
    expect((await refusalOf(call('anvil_reorg', 1, [[{ from }, 1]]))).message).toMatch(
      /must not exceed \(depth-1\) 0/,
    )
    expect((await refusalOf(call('anvil_reorg', 1, [['0x1234', 0]]))).code).toBe(-32000)
  })
})

describe('a reset', () => {
  test.each([[[]], [[{}]], [[null]], [[{ forking: { blockNumber: null } }]], [[{ forking: null }]]])(
    'takes %j',
    async (params) => {
      const { call, height, from, to } = await startDevnet()
      const snapshot = await call<Hex>('evm_snapshot')
      await call('eth_sendTransaction', { from, to, value: '0x5' })
      await call('evm_increaseTime', 1000)
      expect(await call('hardhat_reset', ...params)).toBe(true)
      expect(await height()).toBe(0)
      expect(BigInt(await call<Hex>('eth_getBalance', to, 'latest'))).toBe(10_000n * 10n ** 18n)
      expect(await call('evm_revert', snapshot)).toBe(false)
    },
  )

  test('does not fetch a URL that a caller names', async () => {
    const { call } = await startDevnet()
    const order = { forking: { jsonRpcUrl: 'http://127.0.0.1:1', blockNumber: 1 } }
    expect((await refusalOf(call('anvil_reset', order))).code).toBe(-32602)
  })
})
