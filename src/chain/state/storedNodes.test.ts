import { Account, Address } from '@ethereumjs/util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bigintToBytes } from '../../encoding/quantity.js'
import { openDatabase } from '../../storage/database.js'
import type { Database } from '../../storage/database.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import { keccak256 } from '../keccak.js'
import { readTrie } from './readTrie.js'
import { StateStore } from './stateStore.js'
import { StoredNodes } from './storedNodes.js'
import { EMPTY_ROOT, MissingNodeError } from './trieNode.js'
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

/** Nodes read through a store without caches, and how many were looked up by their hash. */
function countedNodes() {
  const counter = { lookUps: 0 }
  const nodes = new StoredNodes({
    database: {
      getBulkWithBefore(key, lookBack) {
        counter.lookUps++
        return database.getBulkWithBefore(key, lookBack)
      },
    },
    keyspace,
  })
  const getNode = (hash: Uint8Array): Uint8Array => {
    const node = nodes.read(hash)
    if (node === undefined) throw new MissingNodeError(hash)
    return node
  }
  return { counter, reader: { getNode } }
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

it('finds the path that a commit changed by one look-up, and every other one too', async () => {
  const roots = await buildStates(50)
  const { counter, reader } = countedNodes()
  let nodes = 0
  for (let commit = 1; commit <= 50; commit++) {
    const key = keccak256(addressOf(commit).bytes)
    const found = readTrie(reader, roots[commit + 1] as Uint8Array, key, () => nodes++)
    expect(new Account(0n, BigInt(1 + 2 * commit)).serialize()).toEqual(found)
  }
  expect(counter.lookUps).toBe(50)
  expect(nodes).toBeGreaterThan(150)

  for (let n = 51; n < 2000; n += 7) {
    const found = readTrie(reader, roots.at(-1) as Uint8Array, keccak256(addressOf(n).bytes))
    expect(new Account(0n, BigInt(1 + n)).serialize()).toEqual(found)
  }
})

it('takes nothing for a node that has not its hash', () => {
  const node = Uint8Array.of(0xdf, ...Array.from({ length: 31 }, (_, i) => i))
  const stranger = Uint8Array.of(0xdf, ...Array.from({ length: 31 }, () => 7))
  const parent = Uint8Array.of(0xde, ...Array.from({ length: 30 }, () => 9))
  const put = (bytes: Uint8Array) => new WriteBatch().putBulk(keyspace.trieNode(keccak256(bytes)), bytes)
  for (const bytes of [node, stranger, parent]) database.write(put(bytes))
  const { counter, reader } = countedNodes()
  expect(reader.getNode(keccak256(parent))).toEqual(parent)
  expect(reader.getNode(keccak256(node))).toEqual(node)
  expect(counter.lookUps).toBe(2)
  expect(reader.getNode(keccak256(parent))).toEqual(parent)
  expect(reader.getNode(keccak256(stranger))).toEqual(stranger)
  expect(reader.getNode(keccak256(node))).toEqual(node)
  expect(counter.lookUps).toBe(3)
  expect(() => reader.getNode(new Uint8Array(32))).toThrow(MissingNodeError)
})
