import { Address } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { bigintToBytes, bytesToBigint, bytesToHex } from '../../encoding/hex.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { WriteBatch } from '../../storage/database.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import type { HeaderFields } from '../types.js'
import { proveAccount } from './accountProof.js'
import { EMPTY_TRIE_ROOT, type NodeNumber } from './nodeRecord.js'
import { StateStore } from './stateStore.js'
import { WorkingState } from './workingState.js'

const keyspace = keyspaceOf(0)
const rootPrefix = bytesToHex(keyspace.trieRoots().gte)
const addressOf = (n: number) => new Address(bigintToBytes(BigInt(n) + 1n, 20))
const slotOf = (n: number) => bigintToBytes(BigInt(n), 32)

/** A generator of numbers below a limit (Numerical Recipes' LCG). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** What a state holds: balances, and the values of slots by `account/slot`. */
interface Expected {
  balances: Map<number, bigint>
  slots: Map<string, number>
}

/** A block's state, as its block and its row name it. */
interface Stored {
  root: Uint8Array
  node: NodeNumber | undefined
  expected: Expected
}

const ACCOUNTS = 12
const SLOTS = 6

/** Stores blocks of random changes: of balances alone, of storage, and of accounts that go and come back. */
async function storeBlocks(database: MemoryDatabase, seed: number): Promise<Stored[]> {
  const random = randomFrom(seed)
  const store = new StateStore({ database, keyspace })
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  const stored: Stored[] = []
  let current: Expected = { balances: new Map(), slots: new Map() }
  for (let block = 0; block < 60; block++) {
    current = { balances: new Map(current.balances), slots: new Map(current.slots) }
    for (let change = 0; change < 1 + random(5); change++) {
      const n = random(ACCOUNTS)
      const address = addressOf(n)
      if (random(10) === 0) {
        await state.deleteAccount(address)
        current.balances.delete(n)
        for (let slot = 0; slot < SLOTS; slot++) current.slots.delete(`${n}/${slot}`)
        continue
      }
      const balance = BigInt(1 + random(1000))
      await state.modifyAccountFields(address, { balance })
      current.balances.set(n, balance)
      for (let count = random(3); count > 0; count--) {
        const slot = random(SLOTS)
        const value = random(4)
        await state.putStorage(address, slotOf(slot), value === 0 ? new Uint8Array(0) : Uint8Array.of(value))
        current.slots.set(`${n}/${slot}`, value)
      }
    }
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    const node = store.stage(batch, commitment)
    database.write(batch)
    state.rebase(store.viewAt(commitment.root))
    stored.push({ root: commitment.root, node, expected: current })
  }
  return stored
}

describe.each([1, 2, 3])('links to roots, seed %i', (seed) => {
  it('lead to every state and storage', async () => {
    const database = new MemoryDatabase()
    const stored = await storeBlocks(database, seed)
    let lookUps = 0
    const counting = {
      get: (key: Uint8Array) => {
        if (bytesToHex(key).startsWith(rootPrefix) && key.length === 34) lookUps++
        return database.get(key)
      },
      reserveNumbers: () => 0,
    }
    let reads = 0
    const changed = stored.filter(({ node }) => node !== undefined)
    expect(changed.length).toBeGreaterThan(55)
    for (const { root, node, expected } of changed) {
      const states = new StateStore({ database: counting, keyspace })
      const header = { number: 1n, stateRoot: root } as HeaderFields
      const view = states.viewOf({ header, stateNode: node })
      for (let n = 0; n < ACCOUNTS; n++) {
        const { bytes } = addressOf(n)
        expect((await view.getAccount(bytes))?.balance).toBe(expected.balances.get(n))
        const slots = Array.from({ length: SLOTS }, (_, slot) => slotOf(slot))
        const reference = { hash: root, link: view.rootLink }
        const { storageProof } = runToCompletion(proveAccount(states, reference, bytes, slots))
        for (let slot = 0; slot < SLOTS; slot++) {
          reads++
          const value = bigintToBytes(BigInt(expected.slots.get(`${n}/${slot}`) ?? 0), 32)
          expect(await view.getStorage(bytes, slotOf(slot))).toEqual(value)
          expect(bigintToBytes(bytesToBigint(storageProof[slot]!.value), 32)).toEqual(value)
        }
      }
    }
    expect(reads).toBe(changed.length * ACCOUNTS * SLOTS)
    expect(lookUps).toBe(0)
  })
})

it('reads a state by its root where neither its block nor its accounts have links', async () => {
  const database = new MemoryDatabase()
  const [first] = (await storeBlocks(database, 4)).slice(-1)
  const { root, expected } = first as Stored
  const view = new StateStore({ database, keyspace }).viewOf({
    header: { number: 1n, stateRoot: root } as HeaderFields,
  })
  expect(view.rootLink).toBeUndefined()
  for (const [n, balance] of expected.balances) {
    expect((await view.getAccount(addressOf(n).bytes))?.balance).toBe(balance)
  }
})
