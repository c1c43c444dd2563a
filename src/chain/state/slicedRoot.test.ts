import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { bigintToBytes } from '../../encoding/hex.js'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { StateStore } from './stateStore.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { WorkingState } from './workingState.js'

const address = new Address(new Uint8Array(20).fill(0xaa))
const slotKey = (slot: number) => bigintToBytes(BigInt(slot), 32)

it('computes the same root in slices as @ethereumjs/mpt', async () => {
  const store = new StateStore({ database: new MemoryDatabase(), keyspace: keyspaceOf(0) })
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  const oracle = await createMPT({ useKeyHashing: true })
  await state.putAccount(address, new Account(1n, 1n))
  const set = async (slot: number, value: number) => {
    await state.putStorage(address, slotKey(slot), value === 0 ? new Uint8Array(0) : Uint8Array.of(value))
    if (value === 0) await oracle.del(slotKey(slot))
    else await oracle.put(slotKey(slot), RLP.encode(value))
  }
  for (let slot = 0; slot < 1000; slot++) await set(slot, 1 + (slot % 250))
  await state.computeRootInSlices(new TimeSlice())
  expect((await state.getAccount(address))?.storageRoot).toEqual(oracle.root())
  for (let slot = 0; slot < 1000; slot += 2) await set(slot, slot % 3 === 0 ? 0 : 7)
  await state.computeRootInSlices(new TimeSlice())
  expect((await state.getAccount(address))?.storageRoot).toEqual(oracle.root())
})
