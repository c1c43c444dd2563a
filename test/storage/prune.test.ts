import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { pruneData } from '../../src/node/storedData.js'
import { verifyData } from '../../src/node/verifyData.js'
import { refusalOf, startDevnet, stopAll, stopDevnet, type Devnet } from '../devnet/support.js'
import { bundleProgram } from '../support/bundledProcess.js'
import { buildCommand, runCommand } from '../support/command.js'
import { fillChain } from './support.js'

const blocks = 40
/** Answers before pruning. */
interface Answers {
  contract: Hex
  history: unknown[]
  states: unknown[]
}

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'standin-prune-'))
})
afterEach(stopAll)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Collects what pruning keeps: blocks, transactions and receipts. */
async function historyOf({ call }: Devnet): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let number = 0; number <= blocks; number++) {
    const block = await call<{ transactions: { hash: Hex }[] }>(
      'eth_getBlockByNumber',
      numberToHex(number),
      true,
    )
    answers.push(block)
    for (const { hash } of block.transactions) answers.push(await call('eth_getTransactionReceipt', hash))
  }
  answers.push(await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }))
  return answers
}

/** Collects answers from the state of a block. */
async function stateAt({ call, from, to }: Devnet, contract: Hex, number: number): Promise<unknown> {
  const block = numberToHex(number)
  return [
    await call('eth_getBalance', from, block),
    await call('eth_getBalance', to, block),
    await call('eth_getCode', contract, block),
    await call('eth_getProof', contract, ['0x0', '0x3', '0x6'], block),
  ]
}

async function makeChain(dataDir: string): Promise<Answers & { snapshot: Hex; early: unknown }> {
  const devnet = await startDevnet({ dataDir })
  const { call } = devnet
  await fillChain(devnet, 10)
  const early = await stateAt(devnet, devnet.to, 11)
  const snapshot = await call<Hex>('evm_snapshot')
  const { contract } = await fillChain(devnet, blocks - 12)
  expect(await devnet.height()).toBe(blocks)
  const states: unknown[] = []
  for (let number = 0; number <= blocks; number++) states.push(await stateAt(devnet, contract, number))
  const answers = { contract, history: await historyOf(devnet), states, snapshot, early }
  await stopDevnet(devnet)
  return answers
}

const noProblems = async (dataDir: string): Promise<void> => {
  const problems: string[] = []
  await verifyData(dataDir, (line) => problems.push(line))
  expect(problems).toEqual([])
}

describe('a pruned chain', () => {
  test('answers about its history and newest states as before, and about older states like geth', async () => {
    const dataDir = join(directory, 'pruned')
    const { contract, history, states, snapshot, early } = await makeChain(dataDir)
    await noProblems(dataDir)
    const [pruned, ...others] = await pruneData(dataDir, 5n)
    expect(others).toEqual([])
    expect(pruned).toMatchObject({ from: BigInt(blocks - 4) })
    expect(pruned?.deleted).toBeGreaterThan(blocks)
    await noProblems(dataDir)
    expect(await pruneData(dataDir, 30n)).toMatchObject([{ from: BigInt(blocks - 4), deleted: 0 }])

    const devnet = await startDevnet({ dataDir })
    const { call } = devnet
    expect(await historyOf(devnet)).toEqual(history)
    for (const number of [0, 36, 37, 38, 39, 40]) {
      expect(await stateAt(devnet, contract, number)).toEqual(states[number])
    }
    for (const number of [1, 10, 20, 35]) {
      const { stateRoot } = await devnet.block(numberToHex(number))
      const root = stateRoot.slice(2)
      const refusal = {
        code: -32000,
        message: `missing trie node ${root} (path ) state 0x${root} is not available, not found`,
      }
      const block = numberToHex(number)
      expect(await refusalOf(call('eth_getBalance', devnet.to, block))).toEqual(refusal)
      expect(await refusalOf(call('eth_getProof', devnet.to, [], block))).toEqual(refusal)
      expect(await refusalOf(call('eth_call', { to: contract }, block))).toEqual(refusal)
    }
    // The snapshot keeps the state of block 11.
    expect(await call('debug_getAccessibleState', '0x1', 'latest')).toBe(11)
    expect(await call('debug_getAccessibleState', '0xc', 'latest')).toBe(36)
    expect(await refusalOf(call('debug_getAccessibleState', '0x14', '0xb'))).toEqual({
      code: -32000,
      message: 'no state found',
    })
    const { transactions } = await devnet.block('0x14')
    expect(await refusalOf(call('debug_traceTransaction', transactions[0]))).toMatchObject({ code: -32000 })
    expect(await refusalOf(call('anvil_rollback', 20))).toMatchObject({ code: -32000 })
    expect(await devnet.height()).toBe(blocks)
    await devnet.send({ to: contract, data: `0x${'11'.repeat(64)}` })

    expect(await call('evm_revert', snapshot)).toBe(true)
    expect(await devnet.height()).toBe(11)
    expect(await stateAt(devnet, devnet.to, 11)).toEqual(early)
    await devnet.send({ to: devnet.to, value: '0x1' })
    await stopDevnet(devnet)
    await noProblems(dataDir)
  })

  test('cannot be pruned while a node has it open', async () => {
    const dataDir = join(directory, 'used')
    const devnet = await startDevnet({ dataDir })
    await devnet.call('evm_mine')
    await expect(pruneData(dataDir, 1n)).rejects.toThrow('already open in this process')
    await expect(verifyData(dataDir, () => undefined)).rejects.toThrow('already open in this process')
  })
})

/** Prunes to the number of states in its second argument, and kills itself after as many steps as the third. */
const killedPruning = `
  import { Database } from './src/storage/database.js'
  import { pruneData } from './src/node/storedData.js'
  const [dataDir, keep, step] = process.argv.slice(2)
  let left = Number(step)
  for (const name of ['write', 'flush', 'compact']) {
    const original = Database.prototype[name]
    Database.prototype[name] = function (...given) {
      if (left-- <= 0) process.kill(process.pid, 'SIGKILL')
      return original.apply(this, given)
    }
  }
  await pruneData(dataDir, BigInt(keep))
`

test('loses nothing when pruning is killed at any step, and resumes', async () => {
  const dataDir = join(directory, 'killed')
  const { contract, history, states } = await makeChain(dataDir)
  const program = await bundleProgram(killedPruning)
  let killed = 0
  for (let step = 0; step < 9; step++) {
    const child = program.run(dataDir, String(33 - 3 * step), String(step))
    const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    if (signal === 'SIGKILL') killed++
    await noProblems(dataDir)
  }
  program.remove()
  expect(killed).toBeGreaterThanOrEqual(6)
  expect(await pruneData(dataDir, 3n)).toMatchObject([{ from: 38n }])

  const devnet = await startDevnet({ dataDir })
  expect(await historyOf(devnet)).toEqual(history)
  for (const number of [0, 38, 39, 40]) {
    expect(await stateAt(devnet, contract, number)).toEqual(states[number])
  }
})

describe('the command', () => {
  beforeAll(buildCommand, 120_000)

  test('prunes and verifies, and reports what it did', async () => {
    const dataDir = join(directory, 'command')
    await makeChain(dataDir)
    const prune = runCommand(['prune', '--data-dir', dataDir, '--keep', '3'])
    expect(await prune.ended).toBe(0)
    expect(prune.stdout()).toMatch(
      /^Chain local: kept the states from block 38 on: \d+ trie nodes; deleted \d+\n$/,
    )
    const verify = runCommand(['verify', '--data-dir', dataDir])
    expect(await verify.ended).toBe(0)
    expect(verify.stdout()).toMatch(/^\d+ blocks, \d+ states .*\nNo problems\n$/s)
  })

  test.each([
    [['prune', '--keep', '1'], /^standin: prune: --data-dir is missing$/],
    [['prune', '--data-dir', 'x'], /^standin: prune: --keep is missing$/],
    [
      ['prune', '--data-dir', 'x', '--keep', '0'],
      /^standin: --keep: expected a whole number of at least 1, got "0"$/,
    ],
    [['verify'], /^standin: verify: --data-dir is missing$/],
    [['verify', '--data-dir', '/nowhere/at/all'], /^standin: There is no chain in \/nowhere\/at\/all\.$/],
  ])('refuses %j in one line', async (args, line) => {
    const command = runCommand(args)
    expect(await command.ended).toBe(2)
    expect(command.stderr().trimEnd()).toMatch(line)
  })
})
