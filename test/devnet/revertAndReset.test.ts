import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, stopDevnet, type Devnet } from './support.js'

const someone: Hex = `0x${'51'.repeat(20)}`
const directories: string[] = []

afterEach(async () => {
  await stopAll()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function dataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-reset-'))
  directories.push(directory)
  return directory
}

/** Reads everything that is known about a block by its hash. */
async function found({ call }: Devnet, hash: Hex): Promise<unknown[]> {
  return Promise.all([
    call('eth_getBlockByHash', hash, false),
    call('eth_getBlockTransactionCountByHash', hash),
    call('eth_getTransactionByBlockHashAndIndex', hash, '0x0'),
  ])
}

describe('evm_revert', () => {
  test('removes blocks, so that not even their hashes find them, also after a restart', async () => {
    const dataDir = dataDirectory()
    const before = await startDevnet({ dataDir })
    const snapshot = await before.call('evm_snapshot')
    const { transactionHash } = await before.send({ to: someone, value: '0x1' })
    const removed = await before.block()
    await before.call('evm_revert', snapshot)
    const check = async (devnet: Devnet) => {
      expect(await found(devnet, removed.hash)).toEqual([null, null, null])
      expect(await devnet.call('eth_getTransactionByHash', transactionHash)).toBeNull()
      expect(await devnet.call('eth_getTransactionReceipt', transactionHash)).toBeNull()
      const at = { blockHash: removed.hash }
      expect(await refusalOf(devnet.call('eth_getBalance', someone, at))).toMatchObject({ code: -32000 })
      expect(await refusalOf(devnet.call('eth_getLogs', at))).toMatchObject({ message: 'unknown block' })
    }
    await check(before)
    await before.call('evm_mine')
    const kept = await before.block()
    const second = await before.call('evm_snapshot')
    await before.call('evm_mine')
    await before.call('evm_revert', second)
    expect(await before.call('eth_getBlockByHash', kept.hash, false)).toMatchObject({ number: '0x1' })
    await stopDevnet(before)
    const after = await startDevnet({ dataDir })
    await check(after)
    expect(await after.call('eth_getBlockByHash', kept.hash, false)).toMatchObject({ number: '0x1' })
  })

  test('is needed before the 10,001st snapshot', async () => {
    const { call } = await startDevnet()
    for (let taken = 0; taken < 10_000; taken += 500) {
      await Promise.all(Array.from({ length: 500 }, () => call('evm_snapshot')))
    }
    const { message } = await refusalOf(call('evm_snapshot'))
    expect(message).toBe('there are 10000 snapshots: revert to one before taking another')
    expect(await call('evm_revert', '0x270f')).toBe(true)
    expect(await call('evm_snapshot')).toBe('0x2710')
  })

  test('leaves the orphans of an earlier reorganisation', async () => {
    const devnet = await startDevnet()
    await devnet.call('anvil_mine', 2)
    const orphan = await devnet.block()
    await devnet.call('anvil_reorg', 1, [])
    const snapshot = await devnet.call('evm_snapshot')
    await devnet.call('evm_mine')
    await devnet.call('anvil_reorg', 1, [])
    await devnet.call('evm_revert', snapshot)
    expect(await devnet.call('eth_getBlockByHash', orphan.hash, false)).toMatchObject({ hash: orphan.hash })
  })
})

describe('hardhat_reset', () => {
  test('starts a new chain with the current time, and restarts snapshot ids', async () => {
    const dataDir = dataDirectory()
    const devnet = await startDevnet({ dataDir })
    const { call } = devnet
    const genesis = await devnet.block()
    const [first, second] = [await call('evm_snapshot'), await call('evm_snapshot')]
    expect([first, second]).toEqual(['0x0', '0x1'])
    await devnet.send({ to: someone, value: '0x1' })
    const mined = await devnet.block()
    const before = Math.floor(Date.now() / 1000)
    if (before === Number(genesis.timestamp)) await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(await call('hardhat_reset')).toBe(true)
    const fresh = await devnet.block()
    expect(fresh.number).toBe('0x0')
    expect(Number(fresh.timestamp)).toBeGreaterThan(Number(genesis.timestamp))
    expect({ ...fresh, hash: '', timestamp: '' }).toEqual({ ...genesis, hash: '', timestamp: '' })
    expect(await call('evm_snapshot')).toBe('0x0')
    expect(await call('eth_getBlockByHash', genesis.hash, false)).toBeNull()
    expect(await call('eth_getBlockByHash', mined.hash, false)).toBeNull()
    expect(await call('eth_getBalance', someone, 'latest')).toBe('0x0')
    expect((await devnet.send({ to: someone, value: '0x2' })).status).toBe('0x1')
    const head = await devnet.block()
    expect(head.parentHash).toBe(fresh.hash)
    await stopDevnet(devnet)
    const again = await startDevnet({ dataDir })
    expect(await again.block('earliest')).toEqual(fresh)
    expect((await again.block()).hash).toBe(head.hash)
    await again.call('anvil_reset')
    expect((await again.block()).hash).toBe(fresh.hash)
  })

  test('keeps a given time', async () => {
    const devnet = await startDevnet({ timestamp: 1_700_000_000n })
    const genesis = await devnet.block()
    await devnet.call('evm_mine')
    await devnet.call('hardhat_reset')
    expect(await devnet.block()).toEqual(genesis)
  })
})

describe('edits of the state', () => {
  test("show at the head's number and hash, and stay with that block", async () => {
    const { call, block } = await startDevnet()
    await call('evm_mine')
    const { hash, number } = await block()
    await call('anvil_setBalance', someone, '0x5')
    const balances = (...blocks: unknown[]) =>
      Promise.all(blocks.map((at) => call('eth_getBalance', someone, at)))
    expect(await balances(number, { blockHash: hash }, 'safe', 'latest', 'pending', '0x0')).toEqual([
      ...Array.from({ length: 5 }, () => '0x5'),
      '0x0',
    ])
    await call('evm_mine')
    await call('anvil_setBalance', someone, '0x6')
    expect(await balances('0x0', number, { blockHash: hash }, '0x2')).toEqual(['0x0', '0x5', '0x5', '0x6'])
  })
})

describe('a time beyond 2^64 - 1', () => {
  const largest = 2n ** 64n - 1n

  test.each([undefined, 'anvil', 'hardhat', 'ganache'] as const)(
    'is refused under --compat %s',
    async (compat) => {
      const devnet = await startDevnet(compat === undefined ? {} : { compat })
      const { timestamp } = await devnet.block()
      for (const [method, ...params] of [
        ['evm_increaseTime', numberToHex(largest + 1n)],
        ['evm_increaseTime', numberToHex(largest)],
        ['evm_setNextBlockTimestamp', numberToHex(largest + 1n)],
        ['evm_mine', numberToHex(largest + 1n)],
        ['evm_mine', { blocks: 1, timestamp: numberToHex(largest + 1n) }],
        ['evm_setTime', numberToHex((largest + 1n) * 1000n)],
      ] as [string, unknown][]) {
        const { code } = await refusalOf(devnet.call(method, ...params))
        expect([-32602, -32000]).toContain(code)
      }
      await devnet.call('evm_mine')
      expect(Number((await devnet.block()).timestamp) - Number(timestamp)).toBeLessThan(1000)
      await devnet.call('evm_mine', numberToHex(largest))
      expect((await devnet.block()).timestamp).toBe(numberToHex(largest))
    },
  )

  test('ends mining beyond it', async () => {
    const devnet = await startDevnet()
    await devnet.call('evm_mine', numberToHex(largest))
    expect(await refusalOf(devnet.call('evm_mine'))).toMatchObject({ code: -32602 })
    expect(await devnet.height()).toBe(1)
  })
})

describe('anvil_removeBlockTimestampInterval', () => {
  test('lets a chain ahead of the clock continue, like anvil', async () => {
    const devnet = await startDevnet({ compat: 'anvil' })
    await devnet.call('anvil_setBlockTimestampInterval', 500)
    await devnet.call('anvil_mine', 2)
    const ahead = Number((await devnet.block()).timestamp)
    expect(await devnet.call('anvil_removeBlockTimestampInterval')).toBe(true)
    await devnet.call('evm_mine')
    expect(Number((await devnet.block()).timestamp)).toBe(ahead + 1)
  })
})
