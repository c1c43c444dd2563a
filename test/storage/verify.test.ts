import { mkdtempSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hexToBytes } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyData } from '../../src/node/verifyData.js'
import { type Database, WriteBatch, openDatabase } from '../../src/storage/database.js'
import { type KeyRange, keyspaceOf } from '../../src/storage/keyspace.js'
import { startDevnet, stopDevnet } from '../devnet/support.js'
import { addFile } from '../support/rpc.js'
import { fillChain } from './support.js'

const keys = keyspaceOf(0)
let folder: string
let pristine: string
let hashes: string[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'standin-verify-'))
  pristine = join(folder, 'pristine')
  const devnet = await startDevnet({ dataDir: pristine, ipfsPort: 0, deterministic: true })
  ;({ hashes } = await fillChain(devnet, 12))
  await devnet.call('evm_snapshot')
  await addFile(devnet.node.ipfsUrl, Buffer.alloc(600_000, 'content'))
  await stopDevnet(devnet)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Changes the database in a copy of the directory and returns the problems found. */
async function problemsAfter(change: (database: Database) => Promise<void> | void): Promise<string[]> {
  const copy = mkdtempSync(join(folder, 'copy-'))
  await cp(pristine, copy, { recursive: true })
  const database = await openDatabase({ directory: join(copy, 'chain'), sync: false })
  await change(database)
  await database.close()
  const problems: string[] = []
  await verifyData(copy, (line) => problems.push(line))
  return problems
}

/** Reads the rows of a range as copies that a test may change. */
async function rowsOf(database: Database, range: KeyRange): Promise<[Uint8Array, Uint8Array][]> {
  const rows: [Uint8Array, Uint8Array][] = []
  for await (const [key, value] of database.iterate(range)) rows.push([key.slice(), value.slice()])
  return rows
}

async function middleRow(database: Database, range: KeyRange): Promise<[Uint8Array, Uint8Array]> {
  const rows = await rowsOf(database, range)
  const row = rows[rows.length >> 1]
  if (row === undefined) throw new Error('there are no such rows')
  return row
}

const corrupt = (value: Uint8Array, at = value.length >> 1): Uint8Array =>
  value.map((byte, index) => (index === at ? byte ^ 0x10 : byte))

test('a directory left by a node has no problems', async () => {
  const problems: string[] = []
  const verified = await verifyData(pristine, (line) => problems.push(line))
  expect(problems).toEqual([])
  expect(verified).toMatchObject({ blocks: 14, problems: 0, files: { pins: 1 } })
  expect(verified.states).toBeGreaterThan(12)
  expect(verified.codes).toBeGreaterThan(1)
})

test('blocks mined after a hash of no bytes have no problems', async () => {
  const dataDir = join(folder, 'hash-of-nothing')
  const devnet = await startDevnet({ dataDir, deterministic: true })
  // PUSH0 PUSH0 KECCAK256: the hash function gives the shared empty array a buffer without memory.
  await devnet.call('eth_call', { data: '0x5f5f20' })
  await fillChain(devnet, 3)
  await stopDevnet(devnet)
  const problems: string[] = []
  await verifyData(dataDir, (line) => problems.push(line))
  expect(problems).toEqual([])
})

const all = (kind: number): KeyRange => ({ gte: Uint8Array.of(0, kind), lt: Uint8Array.of(0, kind + 1) })

test.each<[string, (database: Database) => Promise<void> | void, RegExp]>([
  [
    'a trie node that is missing',
    async (database) => {
      const rows = await rowsOf(database, keys.trieNodes())
      database.write(new WriteBatch().delete((rows.at(-3) as [Uint8Array, Uint8Array])[0]))
    },
    /^chain local: state of .*: \/.*: The trie node with the number \d+ is missing$/,
  ],
  [
    'a trie node with other bytes',
    async (database) => {
      const [key, value] = await middleRow(database, keys.trieNodes())
      database.write(new WriteBatch().put(key, corrupt(value)))
    },
    /^chain local: state of block \d+ .*: the node with the hash 0x[\da-f]{64} has the hash 0x[\da-f]{64}$/,
  ],
  [
    'a root that leads elsewhere',
    async (database) => {
      const [key, value] = await middleRow(database, keys.trieRoots())
      database.write(new WriteBatch().put(key, corrupt(value, 5)))
    },
    /^chain local: state of /,
  ],
  [
    'a block that leads to another state',
    async (database) => {
      const rows = await rowsOf(database, keys.blocks())
      const [[key, row], [, other]] = rows.slice(-2) as [[Uint8Array, Uint8Array], [Uint8Array, Uint8Array]]
      // The place of the index record (14 bytes), and the number of the state's root node.
      database.write(new WriteBatch().put(key, Buffer.concat([row.subarray(0, 14), other.subarray(14)])))
    },
    /^chain local: state of block \d+ .*: \/: link to root 0x[\da-f]{64}: the node with the hash 0x/,
  ],
  [
    'an account that leads to another storage',
    async (database) => {
      for (const [key, value] of await rowsOf(database, keys.trieNodes())) {
        // An account's leaf: an RLP list of 56 to 255 bytes, and one link.
        if (value[0] !== 0xf8 || value.length !== 2 + value[1]! + 6) continue
        if (value[1]! < 200) database.write(new WriteBatch().put(key, corrupt(value, value.length - 6)))
      }
    },
    /^chain local: state of .*: \/[\da-f]{64}\/: link to root 0x[\da-f]{64}: /,
  ],
  [
    'code with other bytes',
    async (database) => {
      const rows = await rowsOf(database, all(0x11))
      for (const [key, value] of rows) database.write(new WriteBatch().put(key, corrupt(value)))
    },
    /^chain local: state of .*: the code with the hash 0x[\da-f]{64} has the hash 0x[\da-f]{64}$/,
  ],
  [
    'code that is missing',
    async (database) => {
      for (const [key] of await rowsOf(database, all(0x11))) database.write(new WriteBatch().delete(key))
    },
    /^chain local: state of .*: no code with hash 0x[\da-f]{64}$/,
  ],
  [
    'a transaction that is not found',
    (database) =>
      database.write(new WriteBatch().delete(keys.transaction(hexToBytes(hashes[5] as `0x${string}`)))),
    /^chain local: block 6 .*: its transaction 0x[\da-f]{64} is not found by its hash$/,
  ],
  [
    'a block that is not found by its number',
    (database) => database.write(new WriteBatch().delete(keys.ordinalByNumber(7n))),
    /^chain local: block 7: it is not found by its number$/,
  ],
  [
    'a block that is not found by its hash',
    async (database) => {
      const [key] = await middleRow(database, all(0x22))
      database.write(new WriteBatch().delete(key))
    },
    /^chain local: block \d+ .*: it is not found by its hash$/,
  ],
  [
    'a row of the log index that is missing',
    async (database) => {
      const [key] = await middleRow(database, all(0x30))
      database.write(new WriteBatch().delete(key))
    },
    /^chain local: block \d+ .*: the log index has a different row for its (any|address|topic)$/,
  ],
  [
    'a snapshot of a missing state',
    async (database) => {
      const [key, value] = await middleRow(database, keys.snapshots())
      const record = JSON.parse(Buffer.from(value).toString()) as { workingRoot: string }
      record.workingRoot = 'ab'.repeat(32)
      database.write(new WriteBatch().put(key, Buffer.from(JSON.stringify(record))))
    },
    /^chain local: state of snapshot \d+: there is no root 0x(ab){32}$/,
  ],
])('finds %s', async (_, change, line) => {
  const problems = await problemsAfter(change)
  expect(problems).toContainEqual(expect.stringMatching(line))
})
