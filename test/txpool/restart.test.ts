import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet, stopDevnet } from '../devnet/support.js'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'standin-pool-order-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const start = () => startDevnet({ dataDir, noMining: true })

/** Sends a transaction of each account, with equal fees. @returns their hashes */
async function sendFromAll({ call }: Devnet): Promise<Hex[]> {
  const hashes: Hex[] = []
  for (const from of await call<Hex[]>('eth_accounts')) {
    const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
    hashes.push(await call<Hex>('eth_sendTransaction', { from, to: from, gas: '0x5208', ...fees }))
  }
  return hashes
}

test('transactions with equal fees are mined in order of arrival, also after a restart and a revert', async () => {
  const first = await start()
  const sent = await sendFromAll(first)
  const snapshot = await first.call<Hex>('evm_snapshot')
  await stopDevnet(first)

  const second = await start()
  await second.call('evm_mine')
  expect((await second.block()).transactions).toEqual(sent)
  await second.call('evm_revert', snapshot)
  await stopDevnet(second)

  const third = await start()
  const later = await third.call<Hex>('eth_sendTransaction', {
    ...{ from: third.from, to: third.to, gas: '0x5208' },
    ...{ nonce: '0x1', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' },
  })
  await stopDevnet(third)

  const fourth = await start()
  await fourth.call('evm_mine')
  expect((await fourth.block()).transactions).toEqual([...sent, later])
  await stopDevnet(fourth)
})
