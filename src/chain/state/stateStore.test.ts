import { Account, Address } from '@ethereumjs/util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { bigintToBytes } from '../../encoding/hex.js'
import { WriteBatch, openDatabase } from '../../storage/database.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { createStateCaches } from './account.js'
import { MissingCodeError, type StateCommitment, StateStore } from './stateStore.js'
import { MissingNodeError } from './trieNode.js'
import { WorkingState } from './workingState.js'

const keyspace = keyspaceOf(0)

it('keeps surviving nodes in their own memory, apart from replaced ones', async () => {
  const database = new MemoryDatabase()
  const caches = createStateCaches()
  const store = new StateStore({ database, keyspace, caches })
  const commit = async (root: Uint8Array, balances: readonly bigint[]): Promise<StateCommitment> => {
    const state = new WorkingState({ base: store.viewAt(root), store })
    for (const [index, balance] of balances.entries()) {
      await state.putAccount(new Address(bigintToBytes(BigInt(index + 1), 20)), new Account(0n, balance))
    }
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    store.stage(batch, commitment)
    database.write(batch)
    return commitment
  }
  const first = await commit(
    EMPTY_TRIE_ROOT,
    Array.from({ length: 40 }, () => 1n),
  )
  const { replaced } = await commit(first.root, [2n])
  const numbers = first.nodes.map(({ number = -1 }) => number)
  const staying = first.nodes.filter(({ number = -1 }) => !replaced.includes(number))
  expect(replaced.length).toBeGreaterThan(1)
  expect(replaced.every((number) => numbers.includes(number))).toBe(true)
  expect(staying.length).toBe(first.nodes.length - replaced.length)
  for (const node of staying) {
    expect(caches.nodes.get(node.number ?? -1)).toBe(node)
    expect(node.bytes.buffer.byteLength).toBe(node.length)
  }
  for (const number of replaced) {
    expect(caches.nodes.get(number)).toBeUndefined()
    expect(caches.replacedNodes.get(number)?.number).toBe(number)
  }
  const other = new StateStore({ database, keyspace })
  for (const node of first.nodes) expect(other.getNode(node.number ?? -1).bytes).toEqual(node.bytes)
})

const address = new Address(new Uint8Array(20).fill(0xaa))
const slot = bigintToBytes(1n, 32)

it('reads every root ever stored, even after a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'standin-view-test-'))
  const roots: Uint8Array[] = []
  let database = await openDatabase({ directory, sync: false })
  const keyspace = keyspaceOf(0)
  const store = new StateStore({ database, keyspace })
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  for (let block = 0; block < 10; block++) {
    await state.putAccount(address, new Account(BigInt(block), 5n))
    await state.putStorage(address, slot, Uint8Array.of(block))
    await state.putCode(address, Uint8Array.of(0x60, block))
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    store.stage(batch, commitment)
    database.write(batch)
    state.rebase(store.viewAt(commitment.root))
    roots.push(commitment.root)
  }
  const check = async (from: StateStore) => {
    for (const [block, root] of roots.entries()) {
      const view = from.viewAt(root)
      expect((await view.getAccount(address.bytes))?.nonce).toBe(BigInt(block))
      expect(view.getStorage(address.bytes, slot)).toEqual(bigintToBytes(BigInt(block), 32))
      expect(Uint8Array.from(await view.getCode(address.bytes))).toEqual(Uint8Array.of(0x60, block))
      expect(view.getStorage(address.bytes, bigintToBytes(2n, 32))).toEqual(new Uint8Array(32))
      expect(view.getAccount(new Uint8Array(20))).toBeUndefined()
      expect(from.hasRoot(root)).toBe(true)
    }
  }
  await check(store)
  await database.close()
  database = await openDatabase({ directory, sync: false })
  await check(new StateStore({ database, keyspace }))
  const another = new StateStore({ database, keyspace: keyspaceOf(1) })
  expect(another.hasRoot(roots[0] as Uint8Array)).toBe(false)
  expect(() => another.viewAt(roots[0] as Uint8Array).getAccount(address.bytes)).toThrow(MissingNodeError)
  await database.close()
  rmSync(directory, { recursive: true })
})

it('names missing code', async () => {
  const database = new MemoryDatabase()
  const store = new StateStore({ database, keyspace: keyspaceOf(0) })
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  await state.putCode(address, Uint8Array.of(1))
  const commitment = state.computeRoot()
  const batch = new WriteBatch()
  store.stage(batch, { ...commitment, codes: new Map() })
  database.write(batch)
  expect(() => store.viewAt(commitment.root).getCode(address.bytes)).toThrow(MissingCodeError)
})
