import { maxBigint } from '../../encoding/bigints.js'
import { bytesEqual } from '../../encoding/hex.js'
import { DataDirectoryError } from '../../storage/errors.js'
import { decodeNumber, decodeOrdinal, encodeNumber, ordinalOfKey } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import { ABSENT_ACCOUNT } from '../fork/overlay.js'
import { decodeAccount } from '../state/account.js'
import { EMPTY_TRIE_ROOT, type NodeRecord, NodeSet } from '../state/nodeRecord.js'
import { PRUNED_BELOW } from '../state/stateStore.js'
import { MissingNodeError, Reference, decodeNode, follow, nodeBehind } from '../state/trieNode.js'
import { type StoredChain, keptStates } from './keptStates.js'

/** Rows deleted per write. */
const ROWS_AT_ONCE = 10_000

/** Result of pruning. */
export interface Pruned {
  /** Number of the first block, other than the chain's first, whose state is kept. */
  from: bigint
  kept: number
  deleted: number
}

/**
 * Deletes the trie nodes that no kept state needs; see {@link keptStates}. Nothing else may use the database meanwhile.
 *
 * First deletes the rows of the roots, in one write that also records which states are gone, then the nodes. If the
 * process is killed midway, unreachable nodes remain, and the next call deletes them. Nodes of kept states are never
 * touched.
 *
 * @param keep - number of newest blocks whose states are kept, at least 1
 */
export async function pruneStates(chain: StoredChain, keep: bigint): Promise<Pruned> {
  const { database, keys, head } = chain
  const from = maxBigint(head + 1n - keep, prunedBelow(chain))
  const needed = await markNeeded(chain, from)
  let batch = new WriteBatch().put(keys.setting(PRUNED_BELOW), encodeNumber(from))
  for await (const [key, row] of database.iterate(keys.trieRoots())) {
    if (!needed.has(decodeOrdinal(row))) batch.delete(key)
  }
  database.write(batch)
  await database.flush()
  let kept = 0
  let deleted = 0
  batch = new WriteBatch()
  for await (const [key] of database.iterate(keys.trieNodes())) {
    if (needed.has(ordinalOfKey(key))) {
      kept++
      continue
    }
    deleted++
    batch.delete(key)
    if (batch.operations.length < ROWS_AT_ONCE) continue
    database.write(batch)
    await database.flush()
    batch = new WriteBatch()
  }
  database.write(batch)
  await database.flush()
  if (deleted > 0) await database.compact(keys.trieNodes())
  return { from, kept, deleted }
}

/** Returns the lowest block number whose state earlier pruning kept; 0 if the chain was never pruned. */
export function prunedBelow({ database, keys }: Pick<StoredChain, 'database' | 'keys'>): bigint {
  const bound = database.get(keys.setting(PRUNED_BELOW))
  return bound === undefined ? 0n : decodeNumber(bound)
}

/** Marks the nodes of all kept states. */
async function markNeeded(chain: StoredChain, from: bigint): Promise<NodeSet> {
  const { states } = chain
  const needed = new NodeSet()
  const pending: { node: NodeRecord; isState: boolean }[] = []
  const enqueue = (node: NodeRecord, isState: boolean): void => {
    if (node.number !== undefined) {
      if (needed.has(node.number)) return
      needed.add(node.number)
    }
    pending.push({ node, isState })
  }
  for await (const { root, node: named, of, isRequired } of keptStates(chain, from)) {
    if (!bytesEqual(root, EMPTY_TRIE_ROOT)) {
      // The same trie may be stored twice: the row of its root leads to one copy, a link to the other.
      if (named !== undefined) enqueue(states.getNode(named), true)
      if (states.hasRoot(root)) enqueue(states.getRoot(root), true)
      else if (isRequired) throw damaged(`the state of ${of} is missing`)
    }
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { node, isState } = next
      const decoded = decodeNode(node)
      if (decoded.kind !== 'leaf') {
        const children = decoded.kind === 'branch' ? decoded.children : [decoded.child]
        for (const child of children) {
          if (child instanceof Reference) enqueue(nodeBehind(states, child), isState)
        }
      } else if (isState && !bytesEqual(decoded.value, ABSENT_ACCOUNT)) {
        const { storageRoot } = decodeAccount(decoded.value)
        if (!bytesEqual(storageRoot, EMPTY_TRIE_ROOT)) enqueue(rootOf(chain, storageRoot), false)
        if (decoded.link !== undefined) enqueue(follow(states, decoded.link), false)
      }
    }
  }
  return needed
}

function rootOf({ states }: StoredChain, storageRoot: Uint8Array): NodeRecord {
  try {
    return states.getRoot(storageRoot)
  } catch (error) {
    throw error instanceof MissingNodeError ? damaged(error.message) : error
  }
}

function damaged(reason: string): DataDirectoryError {
  return new DataDirectoryError(
    `The data directory is damaged, and nothing was pruned: ${reason}. See standin verify.`,
  )
}
