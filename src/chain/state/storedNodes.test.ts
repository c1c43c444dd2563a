import { RLP } from '@ethereumjs/rlp'
import { Account, Address } from '@ethereumjs/util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bigintToBytes } from '../../encoding/quantity.js'
import { decodeBulkRow } from '../../storage/bulkRow.js'
import { openDatabase } from '../../storage/database.js'
import type { Database } from '../../storage/database.js'
import { DataDirectoryError } from '../../storage/errors.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { RecordWindow } from '../../storage/recordWindow.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import { keccak256 } from '../keccak.js'
import { readTrie } from './readTrie.js'
import { StateStore } from './stateStore.js'
import { StoredNodes } from './storedNodes.js'
import { EMPTY_ROOT, MissingNodeError, type NodeReader } from './trieNode.js'
import { WorkingState } from './workingState.js'

const keyspace = keyspaceOf(0)
const addressOf = (n: number) => new Address(bigintToBytes(BigInt(n) + 1n, 20))

let directory: string
let database: Database
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standin-nodes-test-'))
  database = await openDatabase({ directory, sync: false })
})
afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Nodes read through a store without caches, and how often the file was read. */
function countedNodes() {
  const counter = { reads: 0 }
  const nodes = new StoredNodes(
    new RecordWindow({
      offsetOf: (position) => database.records.offsetOf(position),
      readInto(memory, position) {
        counter.reads++
        return database.records.readInto(memory, position)
      },
    }),
  )
  const reader: NodeReader = {
    getRoot: (hash) => {
      const row = database.get(keyspace.trieRoot(hash))
      if (row === undefined) throw new MissingNodeError(hash)
      return nodes.read(decodeBulkRow(row).position)
    },
    getNode: (position) => nodes.read(position),
  }
  return { counter, reader }
}

/** A state of 2,000 accounts of which one after another got a new balance, each in a commit of its own. */
async function buildStates(changes: number): Promise<Uint8Array[]> {
  const store = new StateStore({ database, keyspace })
  const roots = [EMPTY_ROOT]
  for (let commit = 0; commit <= changes; commit++) {
    const state = new WorkingState({ base: store.viewAt(roots.at(-1) as Uint8Array), store })
    const changed = commit === 0 ? Array.from({ length: 2000 }, (_, n) => n) : [commit]
    for (const n of changed) await state.putAccount(addressOf(n), new Account(0n, BigInt(1 + n + commit)))
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    store.stage(batch, commitment)
    database.write(batch)
    roots.push(commitment.root)
  }
  return roots
}

it('finds the path that a commit changed by one read, and every other one too', async () => {
  const roots = await buildStates(50)
  const { counter, reader } = countedNodes()
  let nodes = 0
  for (let commit = 1; commit <= 50; commit++) {
    const key = keccak256(addressOf(commit).bytes)
    const found = readTrie(reader, roots[commit + 1] as Uint8Array, key, () => nodes++)
    expect(new Account(0n, BigInt(1 + 2 * commit)).serialize()).toEqual(found)
  }
  expect(counter.reads).toBeLessThanOrEqual(50)
  expect(nodes).toBeGreaterThan(150)

  for (let n = 51; n < 2000; n += 7) {
    const found = readTrie(reader, roots.at(-1) as Uint8Array, keccak256(addressOf(n).bytes))
    expect(new Account(0n, BigInt(1 + n)).serialize()).toEqual(found)
  }
})

it('keeps a row in the database for each root, and none for other nodes', async () => {
  const roots = await buildStates(30)
  const [first, last] = [0, 0xff].map((byte) => keyspace.trieRoot(new Uint8Array(32).fill(byte)))
  const rows: string[] = []
  for await (const [key] of database.iterate({ gte: first as Uint8Array, lt: last as Uint8Array })) {
    rows.push(Buffer.from(key).toString('hex'))
  }
  for (const root of roots.slice(1)) {
    expect(rows).toContain(Buffer.from(keyspace.trieRoot(root)).toString('hex'))
  }
  // 2,000 accounts came in eight pieces of at most 256.
  expect(rows).toHaveLength(8 + 30)
})

it('reads a node that is longer than a branch of hashes, at the end of the file and behind others', () => {
  const path = Uint8Array.from({ length: 33 }, (_, i) => (i === 0 ? 0x20 : i))
  const leaf = (length: number) => RLP.encode([path, new Uint8Array(length).fill(7)])
  for (const lengths of [[5000], [10, 5000, 40], [641, 640, 639]]) {
    const nodes = lengths.map(leaf)
    const start = database.records.append(nodes)
    const stored = new StoredNodes(database.window)
    let position = start
    for (const node of nodes) {
      expect(Buffer.from(stored.read(position).bytes).equals(node)).toBe(true)
      position += node.length
    }
  }
})

it('says where the record file ends within a node', () => {
  const start = database.records.append([
    RLP.encode([new Uint8Array(33).fill(0x21), new Uint8Array(90)]).slice(0, -1),
  ])
  expect(() => new StoredNodes(database.window).read(start)).toThrow(DataDirectoryError)
})
