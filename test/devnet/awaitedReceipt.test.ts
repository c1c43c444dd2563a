import type { Hex } from 'viem'
import { afterEach, expect, test, vi } from 'vitest'
import { BlockStore } from '../../src/chain/block/store.js'
import { until } from '../support/until.js'
import { refusalOf, startDevnet, stopAll } from './support.js'

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

test('a receipt that cannot be read is an error for its sender only', async () => {
  const { call, from, to, height } = await startDevnet({ noMining: true })
  const refusal = refusalOf(call('eth_sendTransactionSync', { from, to }, '0xea60'))
  await until(async () => (await call<{ pending: Hex }>('txpool_status')).pending === '0x1')
  vi.spyOn(BlockStore.prototype, 'transactionLocation').mockImplementation(() => {
    throw new Error('the disk is gone')
  })
  await call('evm_mine')
  expect(await height()).toBe(1)
  expect((await refusal).code).toBe(-32603)
})
