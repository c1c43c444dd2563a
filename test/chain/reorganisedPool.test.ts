import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hexToBytes, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { reorganise } from '../../src/chain/controls/reorganise.js'
import { createSingleForkSchedule } from '../../src/chain/evm/forkSchedule.js'
import { ownGenesis } from '../../src/chain/genesis/ownGenesis.js'
import { PooledStore } from '../../src/chain/mempool/pooledStore.js'
import { bytesToHex } from '../../src/encoding/hex.js'
import { openDatabase } from '../../src/storage/database.js'
import { keyspaceOf } from '../../src/storage/keyspace.js'
import { buildCommand, startCommand, stopCommand } from '../support/command.js'
import { callRpc } from '../support/rpc.js'
import { openTestChain } from '../support/testChain.js'

const directories: string[] = []
beforeAll(buildCommand, 120_000)
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-reorganised-'))
  directories.push(directory)
  return directory
}

const chainId = 31337n
const schedule = createSingleForkSchedule({ chainId, hardfork: 'osaka' })
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const genesis = ownGenesis({
  create2Proxy: false,
  rules: schedule.rulesAt({ number: 0n, timestamp: 0n }),
  timestamp: 1000n,
  gasLimit: 30_000_000n,
  baseFee: 10n ** 9n,
  number: 0n,
  funded: [hexToBytes(account.address)],
  balance: 10n ** 20n,
})
const place = { network: 0, chainId, schedule, genesis }
const keys = keyspaceOf(0)

test('the write that moves the head stores the transactions that are pending again', async () => {
  const directory = newDirectory()
  const database = await openDatabase({ directory, sync: false })
  const chain = await openTestChain({ ...place, database })
  const raw = await account.signTransaction({
    chainId: Number(chainId),
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    to: account.address,
  })
  const { hash } = await chain.mempool.add(hexToBytes(raw))
  await chain.exclusively(() => chain.mine())
  expect(chain.head.block.transactions).toHaveLength(1)

  // The data that a kill after each write would leave.
  const copies: string[] = []
  const write = database.write.bind(database)
  database.write = (batch) => {
    write(batch)
    const copy = newDirectory()
    cpSync(directory, copy, { recursive: true })
    copies.push(copy)
  }
  const orphan = chain.head.block
  await reorganise({ chain, prepare: () => Promise.reject(new Error()) }, { depth: 1, replacements: [] })
  await database.close()

  const outcomes: { moved: boolean; waiting: Hex[] }[] = []
  for (const copy of copies) {
    const reopened = await openDatabase({ directory: copy, sync: false })
    const { head } = await openTestChain({ ...place, database: reopened })
    const stored: Hex[] = []
    for await (const [key] of reopened.iterate(keys.allPooled(0))) stored.push(bytesToHex(key.slice(-32)))
    expect(await new PooledStore({ database: reopened, keys }).load()).toHaveLength(stored.length)
    outcomes.push({ moved: head.block.ordinal !== orphan.ordinal, waiting: stored })
    await reopened.close()
  }
  expect(outcomes.some(({ moved }) => moved)).toBe(true)
  for (const { moved, waiting } of outcomes) expect(waiting).toEqual(moved ? [bytesToHex(hash)] : [])
})

test("a reorganisation, another node's branch and a kill lose no transaction", async () => {
  const dataDir = newDirectory()
  const args = ['--deterministic', '--data-dir', dataDir]
  const other = await startCommand(['--deterministic'])
  await callRpc(other.ready.url, 'anvil_setCoinbase', [`0x${'77'.repeat(20)}`])
  await callRpc(other.ready.url, 'anvil_mine', [3])
  const branch: string[] = []
  for (const number of ['0x1', '0x2', '0x3'])
    branch.push(await callRpc<string>(other.ready.url, 'debug_getRawBlock', [number]))
  await stopCommand(other)

  const first = await startCommand(args)
  const [from, to] = first.ready.accounts.map(({ address }) => address)
  const pay = (url: string) =>
    callRpc<Hex>(url, 'eth_sendTransaction', [{ from, to, value: '0x1', gas: '0x5208' }])
  const waitingAt = async (url: string) =>
    (await callRpc<{ hash: Hex }[]>(url, 'eth_pendingTransactions', [])).map(({ hash }) => hash)
  const hashes = [await pay(first.ready.url), await pay(first.ready.url)]
  await callRpc(first.ready.url, 'anvil_reorg', [2, []])
  await stopCommand(first, 'SIGKILL')

  const second = await startCommand([...args, '--no-mining'])
  const { url } = second.ready
  expect(await waitingAt(url)).toEqual(expect.arrayContaining(hashes))
  await callRpc(url, 'evm_mine', [])
  expect(await waitingAt(url)).toEqual([])
  await callRpc(url, 'anvil_rollback', [3])
  expect(await waitingAt(url)).toEqual([])
  const third = await pay(url)
  await callRpc(url, 'evm_mine', [])
  await callRpc(url, 'standin_importBlocks', [branch])
  await stopCommand(second, 'SIGKILL')

  const last = await startCommand([...args, '--no-mining'])
  expect(await callRpc(last.ready.url, 'eth_blockNumber', [])).toBe('0x3')
  expect(await waitingAt(last.ready.url)).toEqual([third])
  await stopCommand(last)
})
