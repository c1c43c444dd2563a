import { MerkleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { bigintToBytes, bytesToHex } from '../../encoding/hex.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import type { AccountState, StateView } from '../types.js'
import { createStateCaches, padTo32 } from './account.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { StateStore } from './stateStore.js'
import { WorkingState } from './workingState.js'

const newStore = () => {
  const database = new MemoryDatabase()
  // A small cache, so that reads also reach the database.
  const store = new StateStore({ database, keyspace: keyspaceOf(0), caches: createStateCaches(26_000) })
  return { database, store }
}

/** Stores the changes of a working state and continues on them, as a chain does after each block. */
const commitBlock = ({ database, store }: ReturnType<typeof newStore>, state: WorkingState) => {
  const commitment = state.computeRoot()
  const batch = new WriteBatch()
  store.stage(batch, commitment)
  database.write(batch)
  state.rebase(store.viewAt(commitment.root))
  return commitment.root
}

const randomOf = (seed: number) => (bound: number) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}

const addressOf = (n: number) => new Address(bigintToBytes(BigInt(n) * 0x1234567n + 1n, 20))
const slotKey = (n: number) => bigintToBytes(BigInt(n), 32)

/** The same base, but every read returns a promise. */
const slowView = (view: StateView): StateView => ({
  root: view.root,
  getAccount: async (address) => view.getAccount(address),
  getCode: async (address) => view.getCode(address),
  getStorage: async (address, slot) => view.getStorage(address, slot),
})

describe('against MerkleStateManager without caches', () => {
  const accounts = Array.from({ length: 12 }, (_, i) => addressOf(i))

  /** Runs one random operation on both states, of the kinds and combinations that occur in an EVM. */
  const operate = async (random: (bound: number) => number, both: [WorkingState, MerkleStateManager]) => {
    const address = accounts[random(accounts.length)] as Address
    const [ours, oracle] = both
    const account = await ours.getAccount(address)
    const kind = random(18)
    if (account === undefined || kind < 4) {
      const nonce = (account?.nonce ?? 0n) + BigInt(random(3))
      const balance = BigInt(random(1000)) * 10n ** BigInt(random(20))
      for (const state of both) {
        const next = (await state.getAccount(address)) ?? new Account()
        next.nonce = nonce
        next.balance = balance
        await state.putAccount(address, next)
      }
      // The library keeps the storage trie of a deleted account until it is cleared.
      if (account === undefined) await oracle.clearStorage(address)
    } else if (kind < 14) {
      const key = slotKey(random(8))
      const value =
        random(3) === 0 ? new Uint8Array(random(2) * 32) : bigintToBytes(BigInt(random(70_000)), 4)
      for (const state of both) await state.putStorage(address, key, value)
    } else if (kind < 16) {
      const code = Uint8Array.from({ length: random(40) }, () => random(4))
      for (const state of both) await state.putCode(address, code)
    } else if (kind === 16) {
      for (const state of both) await state.deleteAccount(address)
    } else {
      // A creation over an existing account: the EVM puts the account and clears its storage.
      for (const state of both) {
        await state.deleteAccount(address)
        await state.putAccount(address, new Account(1n, 5n))
      }
      await oracle.clearStorage(address)
    }
  }

  const expectSameReads = async (
    random: (bound: number) => number,
    [ours, oracle]: [WorkingState, MerkleStateManager],
  ) => {
    const address = accounts[random(accounts.length)] as Address
    const [a, b] = [await ours.getAccount(address), await oracle.getAccount(address)]
    expect(a && [a.nonce, a.balance, bytesToHex(a.codeHash)]).toEqual(
      b && [b.nonce, b.balance, bytesToHex(b.codeHash)],
    )
    expect(await ours.getCode(address)).toEqual(await oracle.getCode(address))
    const key = slotKey(random(8))
    expect(await ours.getStorage(address, key)).toEqual(await oracle.getStorage(address, key))
  }

  it.each([
    { seed: 1, slow: false, rootsWithin: false },
    { seed: 2, slow: true, rootsWithin: false },
    { seed: 3, slow: false, rootsWithin: true },
    { seed: 4, slow: true, rootsWithin: true },
  ])(
    'random blocks with nested checkpoints: seed $seed, slow base $slow, roots within blocks $rootsWithin',
    async (setup) => {
      const random = randomOf(setup.seed)
      const parts = newStore()
      let ours = new WorkingState({ base: parts.store.viewAt(EMPTY_TRIE_ROOT), store: parts.store })
      const oracle = new MerkleStateManager()
      const history: { root: Uint8Array; address: Address; account: AccountState | undefined }[] = []
      for (let block = 0; block < 60; block++) {
        const both: [WorkingState, MerkleStateManager] = [ours, oracle]
        let depth = 0
        for (let step = random(60); step >= 0; step--) {
          const kind = random(10)
          if (kind === 0 && depth < 4) {
            for (const state of both) await state.checkpoint()
            depth++
          } else if (kind === 1 && depth > 0) {
            const revert = random(2) === 0
            for (const state of both) await (revert ? state.revert() : state.commit())
            depth--
            await expectSameReads(random, both)
          } else await operate(random, both)
          if (setup.rootsWithin && depth === 0 && random(6) === 0) {
            expect(bytesToHex(ours.computeRoot().root)).toBe(bytesToHex(await oracle.getStateRoot()))
          } else if (setup.rootsWithin && random(6) === 0) ours.computeRoot()
          await expectSameReads(random, both)
        }
        for (; depth > 0; depth--) for (const state of both) await state.commit()
        const twin = ours.shallowCopy()
        const root = commitBlock(parts, ours)
        expect(bytesToHex(root)).toBe(bytesToHex(await oracle.getStateRoot()))
        expect(bytesToHex(twin.computeRoot().root)).toBe(bytesToHex(root))
        const address = accounts[random(accounts.length)] as Address
        history.push({ root, address, account: await parts.store.viewAt(root).getAccount(address.bytes) })
        // Makes the library drop its cached storage tries.
        await oracle.setStateRoot(root)
        if (block % 7 === 0 || setup.slow) {
          const view = parts.store.viewAt(root)
          ours = new WorkingState({ base: setup.slow ? slowView(view) : view, store: parts.store })
        }
      }
      for (const { root, address, account } of history) {
        const reader = new WorkingState({ base: parts.store.viewAt(root), store: parts.store })
        const found = await reader.getAccount(address)
        expect(found && [found.nonce, found.balance, found.storageRoot]).toEqual(
          account && [account.nonce, account.balance, account.storageRoot],
        )
      }
    },
  )
})

describe('WorkingState', () => {
  const address = addressOf(77)
  const withAccount = async () => {
    const parts = newStore()
    const state = new WorkingState({ base: parts.store.viewAt(EMPTY_TRIE_ROOT), store: parts.store })
    await state.putAccount(address, new Account(1n, 10n))
    await state.putStorage(address, slotKey(1), Uint8Array.of(0, 0, 7))
    await state.putCode(address, Uint8Array.of(0x60, 0))
    commitBlock(parts, state)
    return { parts, state }
  }

  it('keeps a slot written earlier when an inner deletion of the account is reverted', async () => {
    const { state } = await withAccount()
    await state.checkpoint()
    await state.putStorage(address, slotKey(1), Uint8Array.of(9))
    await state.checkpoint()
    await state.deleteAccount(address)
    expect(await state.getStorage(address, slotKey(1))).toEqual(new Uint8Array(0))
    await state.revert()
    expect(await state.getStorage(address, slotKey(1))).toEqual(Uint8Array.of(9))
    await state.commit()
  })

  it('remembers the first value read of a slot until the transaction ends', async () => {
    const { state } = await withAccount()
    const original = () => state.originalStorageCache.get(address, slotKey(1))
    await state.checkpoint()
    expect(await original()).toEqual(Uint8Array.of(7))
    await state.putStorage(address, slotKey(1), Uint8Array.of(8))
    await state.checkpoint()
    await state.putStorage(address, slotKey(1), Uint8Array.of(9))
    await state.revert()
    expect(await original()).toEqual(Uint8Array.of(7))
    await state.putStorage(address, slotKey(1), Uint8Array.of(9))
    state.originalStorageCache.clear()
    expect(await original()).toEqual(Uint8Array.of(9))
    await state.putStorage(address, slotKey(1), Uint8Array.of(10))
    await state.commit()
    expect(await original()).toEqual(Uint8Array.of(10))
  })

  it('returns accounts that are detached from the state', async () => {
    const { state } = await withAccount()
    const account = (await state.getAccount(address)) as Account
    account.balance = 999n
    expect((await state.getAccount(address))?.balance).toBe(10n)
    await state.putAccount(address, account)
    account.balance = 1n
    expect((await state.getAccount(address))?.balance).toBe(999n)
  })

  it('keeps copies of keys, values and code', async () => {
    const { state } = await withAccount()
    const [key, value, code] = [slotKey(5), Uint8Array.of(5), Uint8Array.of(1, 2, 3)]
    await state.putStorage(address, key, value)
    await state.putCode(address, code)
    key.fill(0)
    value.fill(0)
    code.fill(0)
    expect(await state.getStorage(address, slotKey(5))).toEqual(Uint8Array.of(5))
    expect(await state.getCode(address)).toEqual(Uint8Array.of(1, 2, 3))
  })

  it('has no code once it is removed, even if the base has some', async () => {
    const { parts, state: stored } = await withAccount()
    // Without a store, as in calls.
    const state = new WorkingState({ base: parts.store.viewAt(await stored.getStateRoot()) })
    expect(await state.getCode(address)).toEqual(Uint8Array.of(0x60, 0))
    await state.putCode(address, new Uint8Array(0))
    expect(await state.getCode(address)).toEqual(new Uint8Array(0))
  })

  it('rejects writes to the storage of an account that does not exist', async () => {
    const { state } = await withAccount()
    await expect(state.putStorage(addressOf(3), slotKey(0), Uint8Array.of(1))).rejects.toThrow(
      'does not exist',
    )
    expect(await state.getAccount(addressOf(3))).toBeUndefined()
  })

  it('overwrites slots without reading them from the base', async () => {
    const { state: stored, parts } = await withAccount()
    const twin = new WorkingState({ base: stored.base, store: parts.store })
    await twin.putStorage(address, slotKey(1), Uint8Array.of(9))
    await twin.putStorage(address, slotKey(4), Uint8Array.of(8))
    const unread: StateView = {
      ...slowView(stored.base),
      getStorage: () => {
        throw new Error('asked for')
      },
    }
    const state = new WorkingState({ base: unread, store: parts.store })
    await state.overwriteStorage(address.bytes, [
      { key: slotKey(1), value: Uint8Array.of(0, 9) },
      { key: slotKey(4), value: Uint8Array.of(8) },
      { key: slotKey(5), value: new Uint8Array(32) },
    ])
    expect(await state.getStorage(address, slotKey(1))).toEqual(Uint8Array.of(9))
    expect(Buffer.from(state.computeRoot().root)).toEqual(Buffer.from(twin.computeRoot().root))
    await state.checkpoint()
    expect(() => state.overwriteStorage(address.bytes, [{ key: slotKey(1), value: slotKey(2) }])).toThrow(
      'Not within a checkpoint',
    )
  })

  it('commits only code that an account uses', async () => {
    const { state } = await withAccount()
    await state.checkpoint()
    await state.putCode(address, Uint8Array.of(1))
    await state.revert()
    expect(state.computeRoot().codes.size).toBe(0)
    await state.putCode(address, Uint8Array.of(2))
    expect([...state.computeRoot().codes.values()].map(({ bytes }) => bytes)).toEqual([Uint8Array.of(2)])
  })

  it('provides a view in the format of views', async () => {
    const { state } = await withAccount()
    await state.putStorage(address, slotKey(1), Uint8Array.of(4))
    const view = state.view()
    expect(view.getStorage(address.bytes, slotKey(1))).toEqual(padTo32(Uint8Array.of(4)))
    expect(view.getStorage(address.bytes, slotKey(3))).toEqual(new Uint8Array(32))
    expect(view.getCode(address.bytes)).toEqual(Uint8Array.of(0x60, 0))
    expect(view.root).toEqual(state.computeRoot().root)
  })

  it('restarts on another root, but not within a checkpoint', async () => {
    const { state, parts } = await withAccount()
    const root = await state.getStateRoot()
    await state.putAccount(address, new Account(5n, 5n))
    const later = commitBlock(parts, state)
    await state.setStateRoot(root)
    expect((await state.getAccount(address))?.nonce).toBe(1n)
    expect(await state.hasStateRoot(later)).toBe(true)
    expect(await state.hasStateRoot(new Uint8Array(32))).toBe(false)
    await state.checkpoint()
    await expect(state.setStateRoot(later)).rejects.toThrow('within a checkpoint')
  })
})
