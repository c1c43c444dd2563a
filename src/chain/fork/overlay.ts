import type { Awaitable } from '../../encoding/timeSlice.js'
import { keccak256 } from '../crypto.js'
import { EMPTY_CODE_HASH } from '../state/account.js'
import type { TrieRoot } from '../state/stateRoot.js'
import { type NodeReader, readTrie } from '../state/trieNode.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import { updateTrie } from '../state/updateTrie.js'
import type { AccountState } from '../types.js'

/*
 * The local tries of a fork hold the known differences from the remote state. Anything they lack is read from the
 * remote, unless it is known to be absent: a deleted account and a slot set to zero leave marks in the trie. A storage
 * trie that overlays remote storage has an extra leaf to say so; storage that was cleared, or created locally, does
 * not. Roots of such tries identify a state like real ones, but no other node would compute them.
 */

/** Value of an account known to be absent: an empty RLP list. */
export const ABSENT_ACCOUNT: Uint8Array = Uint8Array.of(0xc0)

/** Value of a slot known to be zero: an empty RLP string. */
export const ABSENT_SLOT: Uint8Array = Uint8Array.of(0x80)

/** Key of the leaf that marks a storage trie as an overlay of remote storage; no slot hashes to it. */
export const OVERLAY_KEY: Uint8Array = new Uint8Array(32).fill(0xff)

/** The storage trie of a remote account that was never written to. */
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

/** Whether slots missing from a storage trie are read from the remote account. */
export function isOverlay(reader: NodeReader, storageRoot: Uint8Array): boolean {
  return readTrie(reader, storageRoot, OVERLAY_KEY) !== undefined
}

/** Converts a remote account to its local form. */
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

/** An account as reported by a remote node. */
export interface RemoteAccount {
  nonce: bigint
  /** Wei. */
  balance: bigint
  code: Uint8Array
}

/** The state of a remote chain after one of its blocks, which a fork falls back to. */
export interface RemoteState {
  /** Returns the account at a 20-byte address, or undefined if it has no nonce, balance or code. */
  getAccount(address: Uint8Array): Awaitable<RemoteAccount | undefined>
  /** Returns the value of a 32-byte slot as 32 bytes big-endian. */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array>
}
