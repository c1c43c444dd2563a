import { Account, Address } from '@ethereumjs/util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bench, describe } from 'vitest'
import { bigintToBytes } from '../../encoding/hex.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { WriteBatch, openDatabase } from '../../storage/database.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { proveAccount } from './accountProof.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { StateStore } from './stateStore.js'
import type { NodeReader } from './trieNode.js'
import { WorkingState } from './workingState.js'

const prove = (reader: NodeReader, hash: Uint8Array, address: Uint8Array, slots: readonly Uint8Array[]) =>
  runToCompletion(proveAccount(reader, { hash }, address, slots))

const addressOf = (n: number) => new Address(bigintToBytes(BigInt(n) + 1n, 20))
const slotKey = (n: number) => bigintToBytes(BigInt(n), 32)

const openState = async (accounts: number) => {
  const directory = mkdtempSync(join(tmpdir(), 'standin-bench-'))
  const database = await openDatabase({ directory, sync: false })
  const store = new StateStore({ database, keyspace: keyspaceOf(0) })
  const state = new WorkingState({ base: store.viewAt(EMPTY_TRIE_ROOT), store })
  const commit = () => {
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    store.stage(batch, commitment)
    database.write(batch)
    state.rebase(store.viewAt(commitment.root))
  }
  for (let i = 0; i < accounts; i++) {
    await state.putAccount(addressOf(i), new Account(1n, 10n ** 18n))
    if (i % 1000 === 999) {
      commit()
      await database.flush()
    }
  }
  for (let i = 0; i < 1000; i++) await state.putStorage(addressOf(0), slotKey(i), Uint8Array.of(1))
  commit()
  await database.flush()
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return { state, store, commit }
}

describe.each([100, 10_000, 100_000])('%i accounts', async (accounts) => {
  const { state, store, commit } = await openState(accounts)
  let next = 0
  const change = async (count: number) => {
    for (let i = 0; i < count; i++) {
      next = (next + 7919) % accounts
      await state.putAccount(addressOf(next), new Account(BigInt(next), BigInt(i)))
    }
  }

  bench('a block that changes 3 accounts, stored', async () => {
    await change(3)
    commit()
  })

  bench(
    'a block that changes 1000 accounts, stored',
    async () => {
      await change(1000)
      commit()
    },
    { iterations: 5, time: 1000 },
  )

  bench('a proof of an account and two slots', () => {
    next = (next + 1) % 1000
    prove(store, state.base.root, addressOf(0).bytes, [slotKey(next), slotKey(next + 500)])
  })
})
