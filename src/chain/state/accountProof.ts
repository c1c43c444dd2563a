import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { keccak256 } from '../crypto.js'
import type { ChainStores } from '../reader.js'
import { payloadOf } from '../rlp.js'
import type { AccountState, StateView } from '../types.js'
import { EMPTY_CODE_HASH, NO_BYTES, decodeAccount } from './account.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { TrieStateView } from './stateStore.js'
import { type NodeReader, type RootReference, proveKey } from './trieNode.js'
import { StatePreview } from './workingState.js'

/** The proof of one storage slot. */
export interface StorageProof {
  /** 32 bytes. */
  slot: Uint8Array
  /** Without leading zeros; empty for a zero slot. */
  value: Uint8Array
  /** RLP of the nodes from the storage root down; empty if the account has no storage. */
  proof: Uint8Array[]
}

/** The proof of an account and some of its slots, present or absent (EIP-1186). */
export interface AccountProof {
  exists: boolean
  /** An absent account is represented as an empty one. */
  account: AccountState
  /** RLP of the nodes from the state root down; empty for an empty state. */
  accountProof: Uint8Array[]
  /** In the order in which the slots were requested. */
  storageProof: StorageProof[]
}

const ABSENT: AccountState = {
  nonce: 0n,
  balance: 0n,
  storageRoot: EMPTY_TRIE_ROOT,
  codeHash: EMPTY_CODE_HASH,
}

/**
 * Proves an account and its slots under a state root, one slot per step.
 *
 * @param address 20 bytes
 * @param slots 32 bytes each
 * @throws MissingNodeError if the root is not stored
 */
export function* proveAccount(
  reader: NodeReader,
  root: RootReference,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): Steps<AccountProof> {
  const { found, proof } = proveKey(reader, root, keccak256(address))
  const account = found === undefined ? ABSENT : decodeAccount(found.value)
  const storage = { hash: account.storageRoot, link: found?.link }
  const storageProof: StorageProof[] = []
  for (const slot of slots) {
    storageProof.push(proveSlot(reader, storage, slot))
    yield
  }
  return { exists: found !== undefined, account, accountProof: proof, storageProof }
}

function proveSlot(reader: NodeReader, storage: RootReference, slot: Uint8Array): StorageProof {
  const { found, proof } = proveKey(reader, storage, keccak256(slot))
  return { slot, value: found === undefined ? NO_BYTES : payloadOf(found.value), proof }
}

/** Proves accounts from the tries of a chain (eth_getProof); the pending state brings its own nodes. */
export class AccountProver {
  readonly #stores: Pick<ChainStores, 'states'>

  constructor(stores: Pick<ChainStores, 'states'>) {
    this.#stores = stores
  }

  /** Proves an account and some of its slots, 32 bytes each. Yields to other requests between slots. */
  prove(state: StateView, address: Uint8Array, slots: readonly Uint8Array[]): Promise<AccountProof> {
    const reader = state instanceof StatePreview ? state.reader : this.#stores.states
    const root = { hash: state.root, link: state instanceof TrieStateView ? state.rootLink : undefined }
    return runInSlices(proveAccount(reader, root, address, slots), new TimeSlice())
  }
}
