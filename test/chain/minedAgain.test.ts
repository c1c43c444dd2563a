import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { verifyData } from '../../src/node/verifyData.js'
import { startDevnet, stopAll, stopDevnet, type Devnet } from '../devnet/support.js'

const directories: string[] = []

afterEach(async () => {
  await stopAll()
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/** Runtime code that emits one anonymous log with the first word of its call data. */
const emitterCode = '0x60205f5f3760205fa000'
const emitter: Hex = `0x${'e1'.repeat(20)}`

const emit = ({ call, from }: Devnet, value: number) =>
  call<Hex>('eth_sendTransaction', {
    from,
    to: emitter,
    data: `0x${value.toString(16).padStart(64, '0')}`,
    gas: '0x20000',
  })

async function logged({ call }: Devnet): Promise<number[]> {
  const logs = await call<{ data: Hex }[]>('eth_getLogs', { fromBlock: 'earliest', address: emitter })
  return logs.map(({ data }) => Number(data))
}

test('a block mined identically after a revert has its old hash and children', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'standin-mined-again-'))
  directories.push(dataDir)
  const first = await startDevnet({ dataDir, deterministic: true })
  const { call } = first
  await call('anvil_setCode', emitter, emitterCode)
  const snapshot = await call<Hex>('evm_snapshot')
  await emit(first, 1)
  const below = await first.block()
  await emit(first, 2)
  const rawMiddle = await call<Hex>('debug_getRawBlock', 'latest')
  await emit(first, 3)
  const tip = await first.block()
  const rawTip = await call<Hex>('debug_getRawBlock', 'latest')

  await call('evm_revert', snapshot)
  await emit(first, 1)
  expect((await first.block()).hash).toBe(below.hash)
  expect(await logged(first)).toEqual([1])

  expect(await call('standin_importBlocks', [rawMiddle, rawTip])).toBe(tip.hash)
  expect(await logged(first)).toEqual([1, 2, 3])
  await stopDevnet(first)

  const second = await startDevnet({ dataDir, deterministic: true })
  expect((await second.block()).hash).toBe(tip.hash)
  expect(await logged(second)).toEqual([1, 2, 3])
  await emit(second, 4)
  expect(await logged(second)).toEqual([1, 2, 3, 4])
  const [onlyOne] = below.transactions
  expect(await second.call('eth_getTransactionReceipt', onlyOne)).toMatchObject({ blockHash: below.hash })
  await stopDevnet(second)

  const problems: string[] = []
  await verifyData(dataDir, (line) => problems.push(line))
  expect(problems).toEqual([])
})
