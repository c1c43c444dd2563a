import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { RecordStore } from '../../src/storage/records.js'
import { startDevnet, stopAll, stopDevnet } from '../devnet/support.js'

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

test('one read fetches an old block with its transactions, its receipt and the top of its state', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'standin-neighbours-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startDevnet({ dataDir })
  const sent: Hex[] = []
  for (let index = 0; index < 20; index++)
    sent.push((await first.send({ to: first.to, value: '0x1' })).transactionHash)
  const block = await first.call('eth_getBlockByNumber', '0x5', true)
  const balances = await Promise.all(
    ['0x5', '0x6'].map((number) => first.call('eth_getBalance', first.to, number)),
  )
  await stopDevnet(first)

  const { call, to } = await startDevnet({ dataDir })
  const wide = vi.spyOn(RecordStore.prototype, 'readInto')
  const narrow = vi.spyOn(RecordStore.prototype, 'read')
  expect(await call('eth_getBlockByNumber', '0x5', true)).toEqual(block)
  expect(await call('eth_getBalance', to, '0x5')).toBe(balances[0])
  expect(wide).toHaveBeenCalledOnce()

  expect(await call('eth_getBalance', to, '0x6')).toBe(balances[1])
  expect(wide).toHaveBeenCalledTimes(2)
  expect(narrow).not.toHaveBeenCalled()
})
