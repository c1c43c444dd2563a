import type { Awaitable } from '../../encoding/timeSlice.js'
import { keccak256 } from '../crypto.js'
import { EMPTY_CODE_HASH } from '../state/account.js'
import type { TrieRoot } from '../state/stateRoot.js'
import { type NodeReader, readTrie } from '../state/trieNode.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import { updateTrie } from '../state/updateTrie.js'
import type { AccountState } from '../types.js'

/*
 * The local tries of a fork hold what is known to differ from the remote state. What they do not hold is the remote's,
 * unless it is known to be absent: a deleted account and a slot that was set to zero stay in the trie as marks. A
 * storage trie that lies over remote storage holds one more leaf that says so; storage that was cleared, or that began
 * here, does not. Roots of such tries name a state as well as real ones do, but no other node would come to them.
 */

/** The value of an account that is known not to be there: an empty RLP list. */
export const ABSENT_ACCOUNT: Uint8Array = Uint8Array.of(0xc0)

/** The value of a slot that is known to be zero: an empty RLP string. */
export const ABSENT_SLOT: Uint8Array = Uint8Array.of(0x80)

/** The key of the leaf that says that a storage trie lies over remote storage; no slot hashes to it. */
export const OVERLAY_KEY: Uint8Array = new Uint8Array(32).fill(0xff)

/** The storage trie of a remote account that nothing was written to. */
export const EMPTY_OVERLAY: TrieRoot = createOverlay()

function createOverlay(): TrieRoot {
  const refuse = () => {
    throw new Error('an empty trie has no nodes')
  }
  const roots: TrieRoot[] = []
  const changes = [{ key: OVERLAY_KEY, value: Uint8Array.of(0x01) }]
  updateTrie({ getRoot: refuse, getNode: refuse }, EMPTY_TRIE_ROOT, changes, {
    add: () => undefined,
    addRoot: (hash, record) => roots.push({ hash, record }),
  })
  const [root] = roots
  if (root === undefined) throw new Error('a trie of one leaf has a root')
  return root
}

/** Whether slots that a storage trie does not hold are those of the remote account. */
export function isOverlay(reader: NodeReader, storageRoot: Uint8Array): boolean {
  return readTrie(reader, storageRoot, OVERLAY_KEY) !== undefined
}

/** A remote account as the local state has it. */
export function accountOfRemote({ nonce, balance, code }: RemoteAccount): AccountState {
  // Without nonce and code it has no storage either, and a contract may still be created there (EIP-7610).
  const mayHaveStorage = nonce > 0n || code.length > 0
  return {
    nonce,
    balance,
    storageRoot: mayHaveStorage ? EMPTY_OVERLAY.hash : EMPTY_TRIE_ROOT,
    codeHash: code.length === 0 ? EMPTY_CODE_HASH : keccak256(code),
  }
}

/** An account as a remote node tells it. */
export interface RemoteAccount {
  nonce: bigint
  /** Wei. */
  balance: bigint
  code: Uint8Array
}

/** The state of a remote chain after one of its blocks: what a fork reads where nothing local is known. */
export interface RemoteState {
  /** The account at a 20-byte address, or undefined if it has neither nonce nor balance nor code. */
  getAccount(address: Uint8Array): Awaitable<RemoteAccount | undefined>
  /** The value of a 32-byte slot as 32 bytes big-endian. */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array>
}
