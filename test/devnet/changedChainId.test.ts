import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDevnet, stopDevnet } from './support.js'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'standin-chain-id-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

/** Returns the chain id: CHAINID PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const chainIdCode = '0x465f5260205ff3'
const reader: Hex = `0x${'c1'.repeat(20)}`
const stranger: Hex = `0x${'5a'.repeat(20)}`
const word = (value: number) => value.toString(16).padStart(64, '0')

test('transactions for another chain id are dropped when it changes, and stay dropped', async () => {
  const directory = join(dataDir, 'waiting')
  const first = await startDevnet({ dataDir: directory, noMining: true })
  const { call, from, to } = first
  const send = (sender: Hex) => call<Hex>('eth_sendTransaction', { from: sender, to: reader, gas: '0x10000' })
  const before = await send(from)
  const snapshot = await call<Hex>('evm_snapshot')
  await call('anvil_setChainId', 1)
  expect(await call('eth_getTransactionByHash', before)).toBeNull()
  // The mempool of the snapshot is restored without it.
  await call('evm_revert', snapshot)
  const after = await send(to)
  await call('evm_mine')
  expect((await first.block()).transactions).toEqual([after])
  await stopDevnet(first)

  const second = await startDevnet({ dataDir: directory, noMining: true })
  expect(await second.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  await stopDevnet(second)
})

test('blocks are traced with the chain id of their transactions, and the mempool drops those of another', async () => {
  const first = await startDevnet({ dataDir })
  const { call, from } = first
  await call('anvil_setCode', reader, chainIdCode)
  await call('anvil_setBalance', stranger, '0xde0b6b3a7640000')
  const before = await call<Hex>('eth_sendTransaction', { from, to: reader })
  await call('anvil_setChainId', 1)
  const after = await call<Hex>('eth_sendTransaction', { from, to: reader })
  const returned = async (hash: Hex, { call }: Pick<typeof first, 'call'>) => {
    const { returnValue } = await call<{ returnValue: string }>('debug_traceTransaction', hash, {})
    return returnValue
  }
  expect(await returned(before, first)).toBe(`0x${word(31337)}`)
  expect(await returned(after, first)).toBe(`0x${word(1)}`)
  expect(await call('eth_call', { to: reader })).toBe(`0x${word(1)}`)
  await call('evm_setAutomine', false)
  await call('anvil_impersonateAccount', stranger)
  const waiting = await call<Hex>('eth_sendTransaction', { from: stranger, to: reader })
  const state = await call('anvil_dumpState', true)
  await stopDevnet(first)

  const second = await startDevnet({ dataDir })
  expect(await second.call('eth_chainId')).toBe('0x7a69')
  expect(await second.call('eth_getTransactionByHash', waiting)).toBeNull()
  expect(await returned(before, second)).toBe(`0x${word(31337)}`)
  expect(await returned(after, second)).toBe(`0x${word(1)}`)
  await stopDevnet(second)

  const third = await startDevnet({ chainId: 5 })
  expect(await third.call('anvil_loadState', state)).toBe(true)
  expect(await third.call('eth_getTransactionByHash', after)).toMatchObject({ chainId: '0x1' })
  await stopDevnet(third)
})
