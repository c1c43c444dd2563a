import { keccak256 } from '../keccak.js'
import { decodeAccount, EMPTY_CODE_HASH, NO_BYTES } from './account.js'
import { proveKey } from './readTrie.js'
import { payloadOf } from '../rlp.js'
import { EMPTY_ROOT } from './trieNode.js'
import type { Steps } from '../../encoding/timeSlice.js'
import type { AccountState } from '../types.js'
import type { NodeReader } from './trieNode.js'

/** The proof of one slot. */
export interface StorageProof {
  /** 32 bytes. */
  slot: Uint8Array
  /** Without leading zeros; no bytes where the slot is zero. */
  value: Uint8Array
  /** RLP of the nodes from the storage root down; none where the account has no storage. */
  proof: Uint8Array[]
}

/** The proof of an account and some of its slots, present or absent (EIP-1186). */
export interface AccountProof {
  exists: boolean
  /** An absent account is shown as one that is empty. */
  account: AccountState
  /** RLP of the nodes from the state root down; none in an empty state. */
  accountProof: Uint8Array[]
  /** In the order in which the slots were asked for. */
  storageProof: StorageProof[]
}

const ABSENT: AccountState = { nonce: 0n, balance: 0n, storageRoot: EMPTY_ROOT, codeHash: EMPTY_CODE_HASH }

/**
 * Proves what the state under a root says about an account and its slots, one slot after another.
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
