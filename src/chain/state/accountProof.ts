import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { keccak256 } from '../crypto.js'
import type { ChainStores } from '../reader.js'
import { payloadOf } from '../rlp.js'
import type { AccountState, StateView } from '../types.js'
import { EMPTY_CODE_HASH, NO_BYTES, decodeAccount } from './account.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { type NodeReader, proveKey } from './trieNode.js'
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
 * @param address 20 bytes.
 * @param slots 32 bytes each.
 * @throws MissingNodeError if the root is not stored.
 */
export function* proveAccount(
  reader: NodeReader,
  root: Uint8Array,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): Steps<AccountProof> {
  const { value, proof } = proveKey(reader, root, keccak256(address))
  const account = value === undefined ? ABSENT : decodeAccount(value)
  const storageProof: StorageProof[] = []
  for (const slot of slots) {
    storageProof.push(proveSlot(reader, account.storageRoot, slot))
    yield
  }
  return { exists: value !== undefined, account, accountProof: proof, storageProof }
}

function proveSlot(reader: NodeReader, storageRoot: Uint8Array, slot: Uint8Array): StorageProof {
  const { value, proof } = proveKey(reader, storageRoot, keccak256(slot))
  return { slot, value: value === undefined ? NO_BYTES : payloadOf(value), proof }
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
    return runInSlices(proveAccount(reader, state.root, address, slots), new TimeSlice())
  }
}
