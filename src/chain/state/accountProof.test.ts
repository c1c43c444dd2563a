import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { Account, Address } from '@ethereumjs/util'
import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryDatabase } from '../../../test/support/memoryDatabase.js'
import { bigintToBytes, bytesToHex } from '../../encoding/hex.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { keyspaceOf } from '../../storage/keyspace.js'
import { keccak256 } from '../crypto.js'
import { encodeAccount } from './account.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { StateStore } from './stateStore.js'
import { type AccountProof, proveAccount } from './accountProof.js'
import { MissingNodeError, type NodeReader } from './trieNode.js'
import { WorkingState } from './workingState.js'

const prove = (reader: NodeReader, hash: Uint8Array, address: Uint8Array, slots: readonly Uint8Array[]) =>
  runToCompletion(proveAccount(reader, { hash }, address, slots))

const addressOf = (n: number) => new Address(bigintToBytes(BigInt(n) + 1n, 20))
const slotKey = (n: number) => bigintToBytes(BigInt(n), 32)

const emptyStore = new StateStore({
  database: new MemoryDatabase(),
  keyspace: keyspaceOf(0),
})
const state = new WorkingState({ base: emptyStore.viewAt(EMPTY_TRIE_ROOT), store: emptyStore })
let root: Uint8Array

beforeAll(async () => {
  for (let i = 0; i < 300; i++) {
    await state.putAccount(addressOf(i), new Account(BigInt(i), 10n ** 18n * BigInt(i)))
  }
  for (let i = 0; i < 200; i++)
    await state.putStorage(addressOf(7), slotKey(i), bigintToBytes(BigInt(i * i), 32))
  await state.putStorage(addressOf(8), slotKey(0), Uint8Array.of(1))
  root = state.computeRoot().root
})

const expectAccountProven = async (address: Address, proof: AccountProof) => {
  const proven = await verifyMerkleProof(keccak256(address.bytes), proof.accountProof, { root })
  expect(proven).toEqual(proof.exists ? encodeAccount(proof.account, proof.account.storageRoot) : null)
}

const expectSlotsProven = async ({ account, storageProof }: AccountProof) => {
  for (const { slot, value, proof } of storageProof) {
    const proven = await verifyMerkleProof(keccak256(slot), proof, { root: account.storageRoot })
    expect(proven).toEqual(value.length === 0 ? null : RLP.encode(value))
  }
}

describe('proveAccount, verified by @ethereumjs/mpt', () => {
  it('proves existing accounts', async () => {
    for (const n of [0, 1, 7, 8, 150, 299]) {
      const proof = prove(state.nodes, root, addressOf(n).bytes, [])
      expect(proof).toMatchObject({
        exists: true,
        account: { nonce: BigInt(n), balance: 10n ** 18n * BigInt(n) },
      })
      await expectAccountProven(addressOf(n), proof)
    }
  })

  it('proves the absence of accounts and their slots', async () => {
    for (const n of [300, 301, 5000, 123_456_789]) {
      const proof = prove(state.nodes, root, addressOf(n).bytes, [slotKey(0)])
      expect(proof).toMatchObject({ exists: false, account: { nonce: 0n, balance: 0n } })
      expect(bytesToHex(proof.account.storageRoot)).toBe(bytesToHex(EMPTY_TRIE_ROOT))
      expect(proof.storageProof).toEqual([{ slot: slotKey(0), value: new Uint8Array(0), proof: [] }])
      await expectAccountProven(addressOf(n), proof)
    }
  })

  it('proves set and unset slots in the requested order', async () => {
    const slots = [199, 3, 0, 777, 3].map(slotKey)
    const proof = prove(state.nodes, root, addressOf(7).bytes, slots)
    expect(proof.storageProof.map(({ slot }) => slot)).toEqual(slots)
    expect(proof.storageProof.map(({ value }) => BigInt(bytesToHex(value) + '00') >> 8n)).toEqual([
      199n * 199n,
      9n,
      0n,
      0n,
      9n,
    ])
    await expectSlotsProven(proof)
  })

  it('proves slots of a storage that is a single node', async () => {
    const proof = prove(state.nodes, root, addressOf(8).bytes, [slotKey(0), slotKey(1)])
    expect(proof.storageProof.map(({ proof: nodes }) => nodes.length)).toEqual([1, 1])
    await expectSlotsProven(proof)
  })

  it('has nothing to prove in an empty state, and rejects an unknown one', () => {
    expect(prove(state.nodes, EMPTY_TRIE_ROOT, addressOf(1).bytes, []).accountProof).toEqual([])
    expect(() => prove(state.nodes, new Uint8Array(32), addressOf(1).bytes, [])).toThrow(MissingNodeError)
  })
})
