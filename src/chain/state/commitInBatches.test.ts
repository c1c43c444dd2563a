import { Account, Address } from '@ethereumjs/util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { bigintToBytes } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch, openDatabase } from '../../storage/database.js'
import { isTrieNodeKey, keyspaceOf } from '../../storage/keyspace.js'
import { keccak256 } from '../crypto.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { StateStore, commitInBatches } from './stateStore.js'
import { WorkingState } from './workingState.js'

const keyspace = keyspaceOf(0)
const [accounts, slots] = [3000, 5000]
const holder = new Address(new Uint8Array(20).fill(0xcc))

const addressOf = (index: number) => new Address(bigintToBytes(BigInt(index + 1), 20))
const slotKey = (slot: number) => bigintToBytes(BigInt(slot), 32)
const valueOf = (slot: number) => bigintToBytes(BigInt(slot + 1), 2)
/** A unique code of 24 KiB for every hundredth account. */
const codeOf = (index: number) => new Uint8Array(24_576).fill(1 + index / 100)

let directory: string
let database: Database

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'store-ahead-'))
  database = await openDatabase({ directory, sync: false })
})

afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true })
})

async function largeState(store: StateStore): Promise<WorkingState> {
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  for (let index = 0; index < accounts; index++) {
    await state.putAccount(addressOf(index), new Account(0n, BigInt(index)))
    if (index % 100 === 0) await state.putCode(addressOf(index), codeOf(index))
  }
  await state.putAccount(holder, new Account(1n, 0n))
  for (let slot = 0; slot < slots; slot++) await state.putStorage(holder, slotKey(slot), valueOf(slot))
  return state
}

it('stores a large state in small writes, with the last one making it effective', async () => {
  const store = new StateStore({ database, keyspace })
  const commitment = await (await largeState(store)).computeRootInSlices(new TimeSlice())
  const write = vi.spyOn(database, 'write')
  const left = await commitInBatches({ states: store, database }, commitment)
  expect(store.hasRoot(commitment.root)).toBe(false)
  const last = new WriteBatch()
  store.stage(last, left)
  database.write(last)

  const batches = write.mock.calls.map(([batch]) => batch)
  const nodes = batches.map(({ operations }) => operations.filter(({ key }) => isTrieNodeKey(key)).length)
  expect(nodes.reduce((sum, count) => sum + count)).toBe(commitment.nodes.length)
  expect(commitment.nodes.length).toBeGreaterThan(accounts + slots)
  expect(Math.max(...nodes)).toBeLessThanOrEqual(1024)
  const bytes = batches.map(({ operations }) =>
    operations.reduce((sum, { value }) => sum + (value?.length ?? 0), 0),
  )
  expect(Math.max(...bytes)).toBeLessThan(700_000)

  const read = new StateStore({ database, keyspace }).viewAt(commitment.root)
  for (let index = 0; index < accounts; index += 50) {
    expect((await read.getAccount(addressOf(index).bytes))?.balance).toBe(BigInt(index))
    const code = await read.getCode(addressOf(index).bytes)
    expect(Buffer.compare(code, index % 100 === 0 ? codeOf(index) : new Uint8Array(0))).toBe(0)
  }
  for (let slot = 0; slot < slots; slot += 50) {
    const value = await read.getStorage(holder.bytes, slotKey(slot))
    expect(BigInt(`0x${Buffer.from(value).toString('hex')}`)).toBe(BigInt(slot + 1))
  }
  const originals = [
    ...Array.from({ length: accounts }, (_, index) => addressOf(index).bytes),
    ...Array.from({ length: slots }, (_, slot) => slotKey(slot)),
  ]
  for (const original of originals) {
    expect(database.get(keyspace.preimage(keccak256(original)))).toEqual(original)
  }
})

it('leaves a small state unchanged', async () => {
  const store = new StateStore({ database, keyspace })
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  await state.putAccount(holder, new Account(1n, 0n))
  await state.putCode(holder, codeOf(0))
  const commitment = state.computeRoot()
  const write = vi.spyOn(database, 'write')
  expect(await commitInBatches({ states: store, database }, commitment)).toEqual(commitment)
  expect(write).not.toHaveBeenCalled()
})
