import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppendFile, SegmentFiles } from '../../src/storage/segmentFiles.js'
import { refusalOf, startDevnet, stopAll, stopDevnet, type Block, type Devnet } from './support.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'standin-full-disk-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Accepts the given number of further writes; then the disk is full until `free` is called. */
function fillDiskAfter(appends: number): { free(): void } {
  let left = appends
  const take = (): void => {
    if (left-- <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  const { append } = AppendFile.prototype
  const { writeSync } = SegmentFiles.prototype
  const full = [
    vi.spyOn(AppendFile.prototype, 'append').mockImplementation(function (this: AppendFile, ...written) {
      take()
      append.apply(this, written)
    }),
    vi.spyOn(SegmentFiles.prototype, 'writeSync').mockImplementation(function (
      this: SegmentFiles,
      ...written
    ) {
      take()
      writeSync.apply(this, written)
    }),
  ]
  return { free: () => full.forEach((spy) => spy.mockRestore()) }
}

describe('a block that cannot be written', () => {
  const fixed = { time: 4_000_000_000, baseFee: 7n * 10n ** 9n, prevRandao: `0x${'5a'.repeat(32)}` as const }

  async function fixNextBlock({ call }: Devnet): Promise<void> {
    await call('evm_setNextBlockTimestamp', fixed.time)
    await call('anvil_setNextBlockBaseFeePerGas', numberToHex(fixed.baseFee))
    await call('hardhat_setPrevRandao', fixed.prevRandao)
  }

  const asFixed: Partial<Block> = {
    number: '0x1',
    timestamp: numberToHex(fixed.time),
    baseFeePerGas: numberToHex(fixed.baseFee),
    mixHash: fixed.prevRandao,
  }

  // A block is two appends: its bytes, then the commit.
  test.each([0, 1])('keeps the settings for the next block (after %i appends)', async (appends) => {
    const devnet = await startDevnet({ dataDir })
    await fixNextBlock(devnet)
    const disk = fillDiskAfter(appends)
    await refusalOf(devnet.call('evm_mine'))
    expect(await devnet.height()).toBe(0)
    disk.free()
    await devnet.call('evm_mine')
    expect(await devnet.block()).toMatchObject(asFixed)
  })

  test('keeps them across a restart', async () => {
    const devnet = await startDevnet({ dataDir })
    await fixNextBlock(devnet)
    const disk = fillDiskAfter(1)
    await refusalOf(devnet.call('evm_mine'))
    disk.free()
    await stopDevnet(devnet)
    const again = await startDevnet({ dataDir })
    await again.call('evm_mine')
    expect(await again.block()).toMatchObject(asFixed)
  })

  test('does not pass its planned time to another one', async () => {
    const { call, block } = await startDevnet()
    const disk = fillDiskAfter(0)
    await refusalOf(call('evm_mine', fixed.time))
    disk.free()
    await call('evm_mine')
    expect(Number((await block()).timestamp)).toBeLessThan(fixed.time)
  })
})

test('a transaction reported as failed is not mined later, and can be resent', async () => {
  const { call, from, to, height } = await startDevnet()
  const disk = fillDiskAfter(0)
  await refusalOf(call('eth_sendTransaction', { from, to, value: '0x1' }))
  disk.free()
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  expect(await call('eth_getTransactionCount', from, 'pending')).toBe('0x0')
  await call('eth_sendTransaction', { from, to, value: '0x1' })
  expect(await height()).toBe(1)
  expect(await call('eth_getTransactionCount', from, 'latest')).toBe('0x1')
})

test('a transaction stays pending if its replacement cannot be written', async () => {
  const devnet = await startDevnet({ dataDir })
  const { call, from, to } = devnet
  await call('evm_setAutomine', false)
  const request = { from, to, nonce: '0x0', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' }
  const hash = await call<Hex>('eth_sendTransaction', { ...request, value: '0x1' })
  const disk = fillDiskAfter(0)
  await refusalOf(
    call('eth_sendTransaction', {
      ...request,
      value: '0x2',
      maxFeePerGas: '0xee6b2800',
      maxPriorityFeePerGas: '0x77359400',
    }),
  )
  disk.free()
  expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  expect(await call('eth_getTransactionCount', from, 'pending')).toBe('0x1')
  await call('evm_mine')
  expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', blockNumber: '0x1' })
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})

test('a stored block is reported even if later writes fail', async () => {
  const { call, from, to, height } = await startDevnet({ noMining: true })
  await call('eth_sendTransaction', { from, to, value: '0x1' })
  const fault = once(process, 'warning')
  // The block is two appends; the third removes the transaction from the stored mempool.
  const disk = fillDiskAfter(2)
  await call('evm_mine')
  disk.free()
  expect(String(await fault)).toContain('StandinFault: events: StorageWriteError')
  expect(await height()).toBe(1)
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})

test('a setting that cannot be written has no effect', async () => {
  const { call, block } = await startDevnet()
  const { gasLimit } = await block()
  const disk = fillDiskAfter(0)
  await refusalOf(call('evm_setBlockGasLimit', '0x1000000'))
  await refusalOf(call('evm_increaseTime', 1_000_000_000))
  disk.free()
  const before = Number((await block()).timestamp)
  await call('evm_mine')
  expect((await block()).gasLimit).toBe(gasLimit)
  expect(Number((await block()).timestamp)).toBeLessThan(before + 1_000_000)
})

test('a revert that cannot be written leaves clock and settings unchanged', async () => {
  const { call, block } = await startDevnet()
  const id = await call<Hex>('evm_snapshot')
  await call('evm_setBlockGasLimit', '0x1000000')
  const disk = fillDiskAfter(0)
  await refusalOf(call('evm_revert', id))
  disk.free()
  await call('evm_mine')
  expect((await block()).gasLimit).toBe('0x1000000')
})

describe('loading a state', () => {
  test('is atomic, wherever the node is killed', async () => {
    // Another genesis block than the target's, even if both start within one second.
    const source = await startDevnet({ timestamp: 1_700_000_000n })
    const someone: Hex = `0x${'51'.repeat(20)}`
    await source.call('anvil_setBalance', someone, '0x7')
    await source.call('evm_setBlockGasLimit', '0x1000000')
    await source.call('anvil_mine', 3)
    const dump = await source.call<Hex>('anvil_dumpState')
    let failures = 0
    for (let isLoaded = false; !isLoaded; failures += isLoaded ? 0 : 1) {
      const devnet = await startDevnet({ dataDir })
      const disk = fillDiskAfter(failures)
      isLoaded = await devnet.call('anvil_loadState', dump).then(
        () => true,
        () => false,
      )
      disk.free()
      await stopDevnet(devnet)
      const again = await startDevnet({ dataDir })
      expect(await again.height()).toBe(isLoaded ? 3 : 0)
      expect(await again.call('eth_getBalance', someone, 'latest')).toBe(isLoaded ? '0x7' : '0x0')
      await again.call('evm_mine')
      expect((await again.block()).gasLimit === '0x1000000').toBe(isLoaded)
      await stopDevnet(again)
      rmSync(dataDir, { recursive: true })
    }
    // Each of its four blocks is an append for its bytes and one for the commit.
    expect(failures).toBeGreaterThan(8)
  })
})
