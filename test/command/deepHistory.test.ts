import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildCommand, startCommand, stopCommand, type Command, type Ready } from '../support/command.js'
import { callRpc } from '../support/rpc.js'

const dataDir = mkdtempSync(join(tmpdir(), 'standin-deep-'))
let running: (Command & { ready: Ready }) | undefined

beforeAll(buildCommand, 120_000)
afterAll(async () => {
  if (running !== undefined) await stopCommand(running, 'SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

/** Starts the node, or kills and restarts it. */
async function restart(): Promise<void> {
  if (running !== undefined) await stopCommand(running, 'SIGKILL')
  running = await startCommand(['--data-dir', dataDir])
}

function call<T>(method: string, ...params: unknown[]): Promise<T> {
  if (running === undefined) throw new Error('the node does not run')
  return callRpc<T>(running.ready.url, method, params)
}

/** Runtime code that emits a log with the first word of its call data as topic: log1(0, 0, calldataload(0)). */
const emitterCode = '0x5f355f5fa100'
const emitter: Hex = `0x${'e1'.repeat(20)}`
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

interface Log {
  topics: Hex[]
  blockNumber: Hex
  blockHash: Hex
}

const emission = (value: number) => ({
  from: running?.ready.accounts[0]?.address,
  to: emitter,
  data: word(value),
  gas: '0x20000',
})

async function emit(values: readonly number[]): Promise<void> {
  for (const value of values) await call('eth_sendTransaction', emission(value))
}

/** Collects every log of the chain from the receipts instead of the index. */
async function logsOfReceipts(): Promise<Log[]> {
  const height = Number(await call<Hex>('eth_blockNumber'))
  const logs: Log[] = []
  for (let number = 0; number <= height; number++) {
    const receipts = await call<{ logs: Log[] }[]>('eth_getBlockReceipts', numberToHex(number))
    logs.push(...receipts.flatMap((receipt) => receipt.logs))
  }
  return logs
}

/** Compares the index with the receipts by address, by topic and without a filter. @returns the topics */
async function checkedTopics(): Promise<number[]> {
  const truth = await logsOfReceipts()
  const find = (conditions: object) => call<Log[]>('eth_getLogs', { fromBlock: '0x0', ...conditions })
  expect(await find({})).toEqual(truth)
  expect(await find({ address: emitter })).toEqual(truth)
  const even = truth.filter(({ topics }) => Number(topics[0]) % 2 === 0)
  const wanted = Array.from({ length: 60 }, (_, index) => word(2 * index))
  expect(await find({ topics: [wanted] })).toEqual(even)
  return truth.map(({ topics }) => Number(topics[0]))
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('deep reorganisations, rollbacks and the log index survive kills', async () => {
  await restart()
  await call('anvil_setCode', emitter, emitterCode)
  await emit(range(1, 40))
  expect(await checkedTopics()).toEqual(range(1, 40))
  const orphan = await call<{ hash: Hex }>('eth_getBlockByNumber', '0x28', false)

  // Replaces blocks 11 to 40; two of the new ones have a log.
  const pairs = [
    [emission(101), 3],
    [emission(102), 29],
  ]
  await call('evm_setAutomine', false)
  await call('anvil_reorg', 30, pairs)
  await call('anvil_dropAllTransactions')
  expect(await checkedTopics()).toEqual([...range(1, 10), 101, 102])
  const head = await call<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
  await restart()
  expect(await call('eth_getBlockByNumber', 'latest', false)).toEqual(head)
  expect(await checkedTopics()).toEqual([...range(1, 10), 101, 102])
  const logsOfOrphan = await call<Log[]>('eth_getLogs', { blockHash: orphan.hash })
  expect(logsOfOrphan.map(({ topics }) => Number(topics[0]))).toEqual([40])

  await call('anvil_rollback', 27)
  expect(await call('eth_blockNumber')).toBe('0xd')
  await restart()
  expect(await call('eth_blockNumber')).toBe('0xd')
  expect(await checkedTopics()).toEqual(range(1, 10))
  await emit(range(51, 55))
  await restart()
  expect(await checkedTopics()).toEqual([...range(1, 10), ...range(51, 55)])
  expect(await call('eth_pendingTransactions')).toEqual([])

  await call('anvil_reset')
  await restart()
  expect(await call('eth_blockNumber')).toBe('0x0')
  expect(await checkedTopics()).toEqual([])
})
