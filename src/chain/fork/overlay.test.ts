import { Account, Address } from '@ethereumjs/util'
import { expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { bigintToBytes, bytesToBigint } from '../../encoding/hex.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import { bytesKey } from '../state/account.js'
import { StateStore } from '../state/stateStore.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import { WorkingState } from '../state/workingState.js'
import { EMPTY_OVERLAY, type RemoteAccount, type RemoteState } from './overlay.js'

const contract = new Address(new Uint8Array(20).fill(1))
const plain = new Address(new Uint8Array(20).fill(2))
const nobody = new Address(new Uint8Array(20).fill(3))
const code = Uint8Array.of(0x60, 0x01)

/** A remote where slot n of the contract holds n + 100, and answers take a turn of the event loop. */
class SlowRemote implements RemoteState {
  asked = 0

  async getAccount(address: Uint8Array): Promise<RemoteAccount | undefined> {
    this.asked++
    if (address[0] === 1) return { nonce: 1n, balance: 5n, code }
    return address[0] === 2 ? { nonce: 0n, balance: 7n, code: new Uint8Array(0) } : undefined
  }

  async getStorage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    this.asked++
    return bigintToBytes(address[0] === 1 ? bytesToBigint(slot) + 100n : 0n, 32)
  }
}

const slot = (number: bigint): Uint8Array => bigintToBytes(number, 32)

/** Opens the store of a fork, with a function to edit its states. */
function openStore(remote: RemoteState) {
  const database = new MemoryDatabase()
  const keyspace = keyspaceOf(0)
  const store = new StateStore({ database, keyspace, remote })
  const overlay = { hash: EMPTY_OVERLAY.hash, record: EMPTY_OVERLAY.record.copy() }
  const first = new WriteBatch()
  store.stage(first, {
    root: EMPTY_TRIE_ROOT,
    nodes: [overlay.record],
    roots: new Map([[bytesKey(overlay.hash), overlay]]),
    replaced: [],
    codes: new Map(),
    preimages: new Map(),
  })
  database.write(first)
  /** Edits the state under a root and stores the result. */
  const change = async (root: Uint8Array, edit: (state: WorkingState) => Promise<void>) => {
    const state = new WorkingState({ base: store.viewAt(root), store })
    await edit(state)
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    store.stage(batch, commitment)
    database.write(batch)
    return commitment.root
  }
  return { store, change }
}

async function read(store: StateStore, root: Uint8Array, address: Address, number: bigint): Promise<bigint> {
  return bytesToBigint(await store.viewAt(root).getStorage(address.bytes, slot(number)))
}

it('reads unknown values from the remote, and only once', async () => {
  const remote = new SlowRemote()
  const view = openStore(remote).store.viewAt(EMPTY_TRIE_ROOT)
  expect(await view.getAccount(contract.bytes)).toMatchObject({ nonce: 1n, balance: 5n })
  expect(await view.getCode(contract.bytes)).toEqual(code)
  expect(await view.getAccount(nobody.bytes)).toBeUndefined()
  expect(bytesToBigint(await view.getStorage(contract.bytes, slot(4n)))).toBe(104n)
  const { asked } = remote
  await view.getStorage(contract.bytes, slot(4n))
  await view.getAccount(nobody.bytes)
  expect(remote.asked).toBe(asked)
})

it("keeps writes over the remote's values, root by root", async () => {
  const { store, change } = openStore(new SlowRemote())
  const first = await change(EMPTY_TRIE_ROOT, async (state) => {
    await state.putStorage(contract, slot(1n), Uint8Array.of(9))
    await state.putStorage(contract, slot(2n), new Uint8Array(0))
  })
  const second = await change(first, (state) => state.putStorage(contract, slot(1n), new Uint8Array(0)))
  const slots = (root: Uint8Array) =>
    Promise.all([1n, 2n, 3n].map((number) => read(store, root, contract, number)))
  expect(await slots(EMPTY_TRIE_ROOT)).toEqual([101n, 102n, 103n])
  expect(await slots(first)).toEqual([9n, 0n, 103n])
  expect(await slots(second)).toEqual([0n, 0n, 103n])
  expect(await store.viewAt(second).getCode(contract.bytes)).toEqual(code)
})

it('hides a deleted account, and its storage when it returns', async () => {
  const { store, change } = openStore(new SlowRemote())
  const gone = await change(EMPTY_TRIE_ROOT, (state) => state.deleteAccount(contract))
  expect(await store.viewAt(gone).getAccount(contract.bytes)).toBeUndefined()
  expect(await store.viewAt(gone).getCode(contract.bytes)).toHaveLength(0)
  expect(await read(store, gone, contract, 1n)).toBe(0n)
  const back = await change(gone, async (state) => {
    await state.putAccount(contract, new Account(1n, 1n))
    await state.putStorage(contract, slot(5n), Uint8Array.of(6))
  })
  expect(await read(store, back, contract, 5n)).toBe(6n)
  expect(await read(store, back, contract, 1n)).toBe(0n)
  expect(await store.viewAt(back).getAccount(contract.bytes)).toMatchObject({ balance: 1n })
})

it('gives storage to a remote account that had none', async () => {
  const { store, change } = openStore(new SlowRemote())
  const root = await change(EMPTY_TRIE_ROOT, async (state) => {
    await state.putCode(plain, code)
    await state.putStorage(plain, slot(1n), Uint8Array.of(3))
  })
  expect(await read(store, root, plain, 1n)).toBe(3n)
  expect(await read(store, root, plain, 2n)).toBe(0n)
  expect(await store.viewAt(root).getAccount(plain.bytes)).toMatchObject({ balance: 7n })
})

it('undoes the writes of a reverted call', async () => {
  const { store, change } = openStore(new SlowRemote())
  const root = await change(EMPTY_TRIE_ROOT, async (state) => {
    await state.checkpoint()
    await state.deleteAccount(contract)
    expect(await state.getStorage(contract, slot(1n))).toHaveLength(0)
    await state.revert()
    await state.modifyAccountFields(contract, { nonce: 2n })
  })
  expect(await read(store, root, contract, 1n)).toBe(101n)
  expect(await store.viewAt(root).getAccount(contract.bytes)).toMatchObject({ nonce: 2n })
})

it('aliases a stored state to the root of the fork block', async () => {
  const { store, change } = openStore(new SlowRemote())
  const funded = await change(EMPTY_TRIE_ROOT, (state) => state.modifyAccountFields(nobody, { balance: 1n }))
  const foreign = new Uint8Array(32).fill(7)
  expect(store.hasRoot(foreign)).toBe(false)
  store.alias(foreign, funded)
  expect(store.hasRoot(foreign)).toBe(true)
  expect(await store.viewAt(foreign).getAccount(nobody.bytes)).toMatchObject({ balance: 1n })
})
