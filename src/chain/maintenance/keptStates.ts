import { bytesEqual, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import type { Database } from '../../storage/database.js'
import { type Keyspace, ordinalOfKey } from '../../storage/keyspace.js'
import type { BlockEncoder, StoredBlock } from '../block/record.js'
import { BlockStore } from '../block/store.js'
import type { SnapshotRecord } from '../controls/snapshots.js'
import { forkRootOf } from '../fork/forkPoint.js'
import { loadHead } from '../head/position.js'
import { StateStore } from '../state/stateStore.js'

/** A chain of a data directory that no node has open. */
export interface StoredChain {
  database: Database
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
  /** Number of its newest block; -1 if it has none. */
  head: bigint
}

/** Opens a chain of a database for maintenance. */
export async function openStoredChain(
  database: Database,
  keys: Keyspace,
  encoder: BlockEncoder,
): Promise<StoredChain> {
  const blocks = await BlockStore.open({ database, keys, encoder })
  const head = loadHead(database, keys, blocks)?.block
  if (head !== undefined) blocks.endAt(head)
  const states = new StateStore({ database, keyspace: keys })
  return { database, keys, blocks, states, head: head?.header.number ?? -1n }
}

/** A state that something in a data directory refers to. */
export interface KeptState {
  /** 32 bytes. */
  root: Uint8Array
  /** Number of the root's node, if its block names it. */
  node?: number | undefined
  /** Description of what refers to it. */
  of: string
  /** Whether the chain cannot continue without it. The states of single blocks may never have been stored. */
  isRequired: boolean
}

/** Iterates over all blocks of a chain, including side blocks, in the order of storage. */
async function* storedBlocks({ database, keys, blocks }: StoredChain): AsyncGenerator<StoredBlock> {
  for await (const [key] of database.iterate(keys.blocks())) {
    const block = blocks.byOrdinal(ordinalOfKey(key))
    if (block !== undefined) yield block
  }
}

/**
 * Iterates over the states to keep: those of the head, snapshots, the fork point, the first block and all blocks on any
 * branch with a number of at least `from`, and edited versions of these. A root may occur more than once.
 */
export async function* keptStates(chain: StoredChain, from: bigint): AsyncGenerator<KeptState> {
  const { database, keys, blocks } = chain
  const forkRoot = forkRootOf(database, keys)
  // The state root of the fork block is the remote's.
  const remoteRoot = forkRoot && blocks.byOrdinal(0)?.header.stateRoot
  const isRemote = (root: Uint8Array): boolean => remoteRoot !== undefined && bytesEqual(root, remoteRoot)
  if (forkRoot !== undefined) yield { root: forkRoot, of: 'the fork point', isRequired: true }
  const head = loadHead(database, keys, blocks)
  if (head !== undefined && !isRemote(head.workingRoot)) {
    yield { root: head.workingRoot, of: 'the head', isRequired: true }
  }
  for await (const [key, value] of database.iterate(keys.snapshots())) {
    const root = hexToBytes((JSON.parse(new TextDecoder().decode(value)) as SnapshotRecord).workingRoot)
    if (!isRemote(root)) yield { root, of: `snapshot ${ordinalOfKey(key)}`, isRequired: true }
  }
  for await (const block of storedBlocks(chain)) {
    const { ordinal, hash, header, parentStateRoot, stateNode } = block
    if (isRemote(header.stateRoot) || (ordinal !== 0 && header.number < from)) continue
    const of = `block ${header.number} (${bytesToHex(hash)})`
    const node = header.number < from ? undefined : stateNode
    yield { root: header.stateRoot, node, of, isRequired: false }
    if (parentStateRoot === undefined || header.number <= from) continue
    yield { root: parentStateRoot, of: `${of}, before it`, isRequired: false }
  }
}
