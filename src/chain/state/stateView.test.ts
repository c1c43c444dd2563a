import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { bigintToBytes } from '../../encoding/quantity.js'
import { openDatabase } from '../../storage/database.js'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import { StateStore } from './stateStore.js'
import { MissingCodeError } from './stateView.js'
import { EMPTY_ROOT, MissingNodeError } from './trieNode.js'
import { WorkingState } from './workingState.js'

const address = new Address(new Uint8Array(20).fill(0xaa))
const slot = bigintToBytes(1n, 32)

it('reads every root that was ever stored, also after a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'standin-view-test-'))
  const roots: Uint8Array[] = []
  let database = await openDatabase({ directory, sync: false })
  const keyspace = keyspaceOf(0)
  const store = new StateStore({ database, keyspace })
  const state = new WorkingState({ base: store.viewAt(EMPTY_ROOT), store })
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

it('names code that is missing', async () => {
  const database = new MemoryDatabase()
  const store = new StateStore({ database, keyspace: keyspaceOf(0) })
  const state = new WorkingState({ base: store.viewAt(EMPTY_ROOT), store })
  await state.putCode(address, Uint8Array.of(1))
  const commitment = state.computeRoot()
  const batch = new WriteBatch()
  store.stage(batch, { ...commitment, codes: new Map() })
  database.write(batch)
  expect(() => store.viewAt(commitment.root).getCode(address.bytes)).toThrow(MissingCodeError)
})
