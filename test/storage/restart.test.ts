import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { verifyData } from '../../src/node/verifyData.js'
import { Generator } from '../differential/devnets/generate.js'
import { contracts, programs } from '../differential/devnets/programs.js'
import { sharedMethods } from '../differential/support/document.js'
import { Random } from '../differential/support/random.js'

const REQUESTS = 50
/** Controls of the process, and methods whose effects end with it. */
const excluded =
  /reset|RpcUrl|shutdown|ChainId|IntervalMining|increaseTime|setMinGasPrice|NextBlock|autoImpersonate/i

const directories: string[] = []
afterEach(() => Promise.all(directories.splice(0).map((path) => rm(path, { recursive: true, force: true }))))

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

/** Returns a function that answers a refusal with its message. */
function asking(node: StandinNode): Ask {
  return (method, ...params) =>
    node.request(method, params).catch((error: unknown) => `refused: ${(error as Error).message}`)
}

/** Asks for everything that lasts: blocks, receipts, logs, accounts with proofs, the mempool and snapshots. */
async function lastingAnswers(ask: Ask): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  const put = async (method: string, ...params: unknown[]) => {
    answers[`${method} ${JSON.stringify(params)}`] = await ask(method, ...params)
  }
  const head = Number(await ask('eth_blockNumber'))
  for (let number = 0; number <= head; number++) {
    const block = `0x${number.toString(16)}`
    await put('eth_getBlockByNumber', block, true)
    for (const method of ['debug_getRawBlock', 'debug_getRawReceipts', 'eth_getBlockReceipts']) {
      await put(method, block)
    }
    for (const address of contracts) await put('eth_getProof', address, ['0x0', '0x1'], block)
  }
  for (const address of contracts) {
    for (const method of ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']) {
      await put(method, address, 'latest')
    }
    await put('eth_getStorageAt', address, '0x0', 'latest')
  }
  await put('eth_getLogs', { fromBlock: 'earliest' })
  await put('txpool_content')
  await put('eth_feeHistory', '0x10', 'latest', [50])
  await put('debug_executionWitness', 'latest')
  const { snapshots } = (await ask('anvil_metadata')) as { snapshots: unknown }
  return { ...answers, snapshots }
}

test.each([1, 2, 3])(
  'a node answers the same after a restart, whatever it did before: seed %i',
  async (seed) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'standin-restart-'))
    directories.push(dataDir)
    const options = { dataDir, compat: 'anvil', timestamp: 1_800_000_000 } as const
    const first = await createNode({ ...options, port: 0 })
    const ask = asking(first)
    const methods = await sharedMethods(first.url, first.url, (method) => !excluded.test(method))
    const generator = new Generator(new Random(seed), 'anvil', methods)
    generator.beginEpisode()
    for (const [index, contract] of contracts.entries()) {
      await ask('anvil_setCode', contract, Object.values(programs)[index])
    }
    let snapshot: unknown = '0x0'
    for (let sent = 0; sent < REQUESTS;) {
      const { method, params, body } = await generator.next()
      if (body !== undefined || excluded.test(method)) continue
      const answer = await ask(method, ...params.map((value) => (value === '$snapshot' ? snapshot : value)))
      if (method === 'evm_snapshot') snapshot = answer
      sent++
    }
    const before = await lastingAnswers(ask)
    await first.stop()

    const problems: string[] = []
    await verifyData(dataDir, (line) => problems.push(line))
    expect(problems).toEqual([])
    const second = await createNode({ ...options, listen: false })
    expect(await lastingAnswers(asking(second))).toEqual(before)
    await second.stop()
  },
)
