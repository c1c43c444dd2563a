import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { BlockStore } from '../../src/chain/block/store.js'
import { startDevnet, stopAll, stopDevnet, type Devnet } from '../devnet/support.js'
import { countTurns, endEverySlice } from '../support/turns.js'

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

/** 300 empty blocks, mined at once. */
const MANY = '0x12c'
/** Limit for the blocks read by all walks together. */
const FEW = 100

interface Page {
  txs: { hash: Hex }[]
  receipts: { transactionHash: Hex }[]
  firstPage: boolean
  lastPage: boolean
}

/** Returns the transactions of an account found by the methods that walk the chain, oldest first. */
async function found({ call }: Devnet, account: Hex): Promise<Hex[][]> {
  const hashesOf = ({ txs, receipts }: Page): Hex[] => {
    const hashes = txs.map(({ hash }) => hash)
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
    return hashes.reverse()
  }
  const frames = await call<{ transactionHash: Hex }[]>('trace_filter', {
    fromBlock: '0x0',
    toAddress: [account],
  })
  return [
    hashesOf(await call<Page>('ots_searchTransactionsBefore', account, 0, 100)),
    hashesOf(await call<Page>('ots_searchTransactionsAfter', account, 0, 100)),
    frames.map(({ transactionHash }) => transactionHash),
  ]
}

test('blocks without transactions are not read, and after a restart at most once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'standin-walk-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startDevnet({ dataDir })
  const sent: Hex[] = []
  for (let index = 0; index < 3; index++) {
    sent.push((await first.send({ to: first.to })).transactionHash)
    await first.call('hardhat_mine', MANY)
  }
  const reads = vi.spyOn(BlockStore.prototype, 'byOrdinal')
  expect(await found(first, first.to)).toEqual([sent, sent, sent])
  expect(reads.mock.calls.length).toBeLessThan(FEW)

  await stopDevnet(first)
  const again = await startDevnet({ dataDir })
  expect(await found(again, again.to)).toEqual([sent, sent, sent])
  reads.mockClear()
  sent.push((await again.send({ to: again.to })).transactionHash)
  expect(await found(again, again.to)).toEqual([sent, sent, sent])
  expect(reads.mock.calls.length).toBeLessThan(FEW)
})

test('removed blocks are skipped', async () => {
  const devnet = await startDevnet()
  const { call, send, to } = devnet
  const sent = [(await send({ to })).transactionHash]
  for (let index = 0; index < 3; index++) {
    const snapshot = await call<Hex>('evm_snapshot')
    await send({ to, value: '0x5' })
    await call('hardhat_mine', '0x2')
    await send({ to, value: '0x6' })
    await call('evm_revert', snapshot)
    sent.push((await send({ to, value: `0x${10 + index}` })).transactionHash)
  }
  expect(await found(devnet, to)).toEqual([sent, sent, sent])
})

test('pages skip blocks without transactions', async () => {
  const { call, send, to } = await startDevnet()
  const sent: Hex[] = []
  for (let index = 0; index < 4; index++) {
    sent.push((await send({ to })).transactionHash)
    await call('hardhat_mine', '0x9')
  }
  // Blocks 1, 11, 21 and 31 have transactions, and 40 is the head.
  const page = (method: string, block: number | Hex, size: number) => call<Page>(method, to, block, size)
  const [before, after] = ['ots_searchTransactionsBefore', 'ots_searchTransactionsAfter']
  expect(await page(before, 0, 2)).toMatchObject({
    txs: [{ hash: sent[3] }, { hash: sent[2] }],
    firstPage: true,
    lastPage: false,
  })
  expect(await page(before, 21, 2)).toMatchObject({
    txs: [{ hash: sent[1] }, { hash: sent[0] }],
    firstPage: false,
    lastPage: true,
  })
  expect(await page(after, 1, 1)).toMatchObject({
    txs: [{ hash: sent[1] }],
    firstPage: false,
    lastPage: false,
  })
  expect(await page(after, 25, 1)).toMatchObject({ txs: [{ hash: sent[3] }], firstPage: true })
  expect(await page(before, '0xffffffffffffffff', 1)).toMatchObject({ txs: [{ hash: sent[3] }] })
  for (const [method, block] of [
    [before, 1],
    [after, 31],
    [after, '0xffffffffffffffff'],
  ] as const) {
    expect(await page(method, block, 2), `${method} ${block}`).toMatchObject({ txs: [], receipts: [] })
  }
})

test('yields between blocks', async () => {
  const { call, send, to } = await startDevnet()
  const blocks = 12
  for (let index = 0; index < blocks; index++) await send({ to })
  const stranger = `0x${'ab'.repeat(20)}`
  const requests: [string, ...unknown[]][] = [
    ['ots_searchTransactionsBefore', stranger, 0, 5],
    ['ots_searchTransactionsAfter', stranger, 0, 5],
    ['trace_filter', { fromBlock: '0x0', toAddress: [stranger] }],
  ]
  endEverySlice()
  for (const [method, ...params] of requests) {
    // Before a block, before its transaction, and after a frame of another account.
    expect(await countTurns(() => call(method, ...params)), method).toBeGreaterThanOrEqual(3 * blocks)
  }
})
