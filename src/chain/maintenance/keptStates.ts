import { bytesEqual, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import type { Database } from '../../storage/database.js'
import { type Keyspace, ordinalOfKey } from '../../storage/keyspace.js'
import type { BlockEncoder, StoredBlock } from '../block/record.js'
import { BlockStore } from '../block/store.js'
import type { SnapshotRecord } from '../controls/snapshots.js'
import { forkRootOf } from '../fork/forkPoint.js'
import { loadHead } from '../head/position.js'
import { StateStore } from '../state/stateStore.js'

/** One chain of a data directory that no node has open. */
export interface StoredChain {
  database: Database
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
  /** Of its newest block; -1 while it has none. */
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
  /** What refers to it. */
  of: string
  /** Whether the chain cannot go on without it. The states of single blocks may never have been there. */
  isRequired: boolean
}

/** All blocks of a chain, those off the canonical chain included, in the order in which they were stored. */
export async function* storedBlocks({ database, keys, blocks }: StoredChain): AsyncGenerator<StoredBlock> {
  for await (const [key] of database.iterate(keys.blocks())) {
    const block = blocks.byOrdinal(ordinalOfKey(key))
    if (block !== undefined) yield block
  }
}

/**
 * The states that are kept: of the head, of snapshots, of the point that a fork began with, of the first block, of all blocks
 * with a number of at least `from` on every branch, and those that controls made of them. A root may come more than once.
 */
export async function* keptStates(chain: StoredChain, from: bigint): AsyncGenerator<KeptState> {
  const { database, keys, blocks } = chain
  const forkRoot = forkRootOf(database, keys)
  // The state root of the block that a fork begins with is the remote's.
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
    const { ordinal, hash, header, parentStateRoot } = block
    if (isRemote(header.stateRoot) || (ordinal !== 0 && header.number < from)) continue
    const of = `block ${header.number} (${bytesToHex(hash)})`
    yield { root: header.stateRoot, of, isRequired: false }
    if (parentStateRoot === undefined || header.number <= from) continue
    yield { root: parentStateRoot, of: `${of}, before it`, isRequired: false }
  }
}
