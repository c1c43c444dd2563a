import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Hex } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Database } from '../../src/storage/database.js'
import { StorageWriteError } from '../../src/storage/errors.js'
import { startDevnet, stopAll, type Devnet } from '../devnet/support.js'

interface Log {
  topics: Hex[]
  logIndex: Hex
}

interface LoggedReceipt {
  blockNumber: Hex
  logs: Log[]
}

type Write = (this: Database, ...parameters: Parameters<Database['write']>) => void

const contract: Hex = `0x${'c0'.repeat(20)}`
/**
 * Code that emits logs until little gas is left, with the remaining gas as the four topics of each: JUMPDEST GAS GAS
 * GAS GAS PUSH0 PUSH0 LOG4 GAS PUSH2 2710 LT PUSH0 JUMPI.
 */
const logger: Hex = '0x5b5a5a5a5a5f5fa45a612710105f57'

let dataDir: string
let killed: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'standin-logs-'))
  killed = mkdtempSync(join(tmpdir(), 'standin-logs-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
  for (const directory of [dataDir, killed]) rmSync(directory, { recursive: true, force: true })
})

/** Queues a transaction with logs, by default more than 1,500. */
async function queueLogs({ call, from }: Devnet, gas: Hex = '0x300000'): Promise<Hex> {
  await call('anvil_setCode', contract, logger)
  return call<Hex>('eth_sendTransaction', { from, to: contract, gas })
}

const logsOf = ({ call }: Devnet, topics: unknown[]) =>
  call<Log[]>('eth_getLogs', { fromBlock: '0x0', address: contract, topics })

test('the logs of a block with many topics are found by each of them', async () => {
  const devnet = await startDevnet({ noMining: true })
  const hash = await queueLogs(devnet)
  const write = vi.spyOn(Database.prototype, 'write')
  await devnet.call('evm_mine')
  const rows = write.mock.calls.map(([{ operations }]) => operations.length)
  const { logs } = await devnet.call<LoggedReceipt>('eth_getTransactionReceipt', hash)
  expect(logs.length).toBeGreaterThan(1500)
  // A row for each topic of each log, in writes of at most 4,096 and those of the block itself.
  expect(rows.reduce((sum, count) => sum + count)).toBeGreaterThan(4 * logs.length)
  expect(Math.max(...rows)).toBeLessThan(4200)

  const [first, second] = [0, 1].map((position) => logs.map(({ topics }) => topics[position]!))
  expect(await logsOf(devnet, [])).toEqual(logs)
  expect(await logsOf(devnet, [first!.toReversed()])).toEqual(logs)
  expect(await logsOf(devnet, [[...first!, ...first!]])).toEqual(logs)
  expect(await logsOf(devnet, [first!.slice(100, 900), second!.slice(700)])).toEqual(logs.slice(700, 900))
  for (const index of [0, 1, 777, logs.length - 1]) {
    expect(await logsOf(devnet, [null, null, null, logs[index]!.topics[3]])).toEqual([logs[index]])
  }
})

test('a block that fails to be stored leaves no logs to the next, not even after a kill', async () => {
  const devnet = await startDevnet({ dataDir, noMining: true })
  const hash = await queueLogs(devnet)
  const write = Object.getOwnPropertyDescriptor(Database.prototype, 'write')?.value as Write
  let topic: Hex | undefined
  vi.spyOn(Database.prototype, 'write').mockImplementation(function (this: Database, batch) {
    if (batch.records.length === 0) {
      // Kind of row and position take three bytes, the topic 32, and the block's ordinal six.
      const row = batch.operations.find(({ key }) => key.length === 3 + 32 + 6)
      if (row !== undefined) topic ??= `0x${Buffer.from(row.key.subarray(3, 35)).toString('hex')}`
      return write.call(this, batch)
    }
    cpSync(dataDir, killed, { recursive: true, filter: (path) => !/^lock/i.test(basename(path)) })
    throw new StorageWriteError('No space is left', { cause: undefined })
  })
  await expect(devnet.call('evm_mine')).rejects.toMatchObject({ code: -32000 })
  vi.restoreAllMocks()
  expect(topic).toBeDefined()

  const again = await startDevnet({ dataDir: killed, noMining: true })
  for (const one of [devnet, again]) {
    await one.call('anvil_dropTransaction', hash)
    const later = await queueLogs(one, '0x30000')
    await one.call('evm_mine')
    const { blockNumber, logs } = await one.call<LoggedReceipt>('eth_getTransactionReceipt', later)
    expect(blockNumber).toBe('0x1')
    expect(logs.length).toBeGreaterThan(50)
    expect(await logsOf(one, [])).toEqual(logs)
    expect(await logsOf(one, [topic])).toEqual([])
    expect(await logsOf(one, [logs.map(({ topics }) => topics[0])])).toEqual(logs)
  }
})
