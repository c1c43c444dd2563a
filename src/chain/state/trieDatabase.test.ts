import { MerklePatriciaTrie, createMerkleProof } from '@ethereumjs/mpt'
import { Account, Address, ValueEncoding } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { bigintToBytes, bytesToHex } from '../../encoding/hex.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import { keccak256 } from '../crypto.js'
import { decodeAccount } from './account.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { StateStore } from './stateStore.js'
import { TrieDatabase } from './trieDatabase.js'
import { proveAccount } from './accountProof.js'
import { WorkingState } from './workingState.js'

/** Pseudorandom numbers from 0 to 1, the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const addressOf = (n: number) => new Address(bigintToBytes(BigInt(n) + 1n, 20))
const slotKey = (n: number) => bigintToBytes(BigInt(n), 32)

/** Five stored states, each derived from the previous one by random writes and removals. */
async function storedStates(seed: number): Promise<{ store: StateStore; roots: Uint8Array[] }> {
  const random = randomNumbers(seed)
  const pick = (limit: number) => Math.floor(random() * limit)
  const database = new MemoryDatabase()
  const store = new StateStore({ database, keyspace: keyspaceOf(0) })
  const roots: Uint8Array[] = []
  let root = EMPTY_TRIE_ROOT
  for (let block = 0; block < 5; block++) {
    const state = new WorkingState({ base: store.viewAt(root), store })
    for (let change = 0; change < 60; change++) {
      const address = addressOf(pick(80))
      const kind = random()
      if (kind < 0.15) await state.deleteAccount(address)
      else if (kind < 0.5)
        await state.putAccount(address, new Account(BigInt(pick(1000)), BigInt(pick(2 ** 40))))
      else {
        await state.putAccount(address, new Account(1n, 1n))
        const value = random() < 0.3 ? new Uint8Array(0) : bigintToBytes(BigInt(1 + pick(2 ** 40)), 32)
        await state.putStorage(address, slotKey(pick(12)), value)
      }
    }
    const commitment = state.computeRoot()
    const batch = new WriteBatch()
    store.stage(batch, commitment)
    database.write(batch)
    root = commitment.root
    roots.push(root)
  }
  return { store, roots }
}

const hexOf = (nodes: readonly Uint8Array[]) => nodes.map(bytesToHex)

describe('createMerkleProof of @ethereumjs/mpt over the stored nodes', () => {
  it.each([1, 2, 3])('makes the same proofs as eth_getProof, for any root (seed %i)', async (seed) => {
    const { store, roots } = await storedStates(seed)
    for (const root of roots) {
      const trie = new MerklePatriciaTrie({
        db: new TrieDatabase(store),
        root,
        useKeyHashing: true,
        valueEncoding: ValueEncoding.Bytes,
      })
      for (let n = 0; n < 80; n++) {
        const { bytes } = addressOf(n)
        const slots = Array.from({ length: 13 }, (_, slot) => slotKey(slot))
        const proof = runToCompletion(proveAccount(store, { hash: root }, bytes, slots))
        expect(hexOf(proof.accountProof)).toEqual(hexOf(await createMerkleProof(trie, bytes)))
        const value = await trie.get(bytes)
        expect(proof.exists).toBe(value !== null)
        if (value === null) continue
        const { storageRoot } = decodeAccount(value)
        if (Buffer.compare(storageRoot, EMPTY_TRIE_ROOT) === 0) continue
        const storage = new MerklePatriciaTrie({
          db: new TrieDatabase(store),
          root: storageRoot,
          useKeyHashing: true,
          valueEncoding: ValueEncoding.Bytes,
        })
        for (const { slot, proof: slotProof } of proof.storageProof) {
          expect(hexOf(slotProof)).toEqual(hexOf(await createMerkleProof(storage, slot)))
        }
      }
    }
  })

  it('does not find an unstored root', async () => {
    const { store } = await storedStates(4)
    const trie = new MerklePatriciaTrie({ db: new TrieDatabase(store), valueEncoding: ValueEncoding.Bytes })
    await expect(trie.lookupNode(keccak256(Uint8Array.of(1)))).rejects.toThrow('Missing trie node')
  })
})
