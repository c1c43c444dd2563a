import { Address } from '@ethereumjs/util'
import { bytesEqual } from '../../encoding/hex.js'
import { type Awaitable, runToCompletion } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch } from '../../storage/database.js'
import { DataDirectoryError } from '../../storage/errors.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { encodeBlockInSteps } from '../block/body.js'
import { hashHeader } from '../block/header.js'
import type { SealedBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import { type Head, stageMove } from '../head/position.js'
import { bytesKey } from '../state/account.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import type { StateStore } from '../state/stateStore.js'
import { WorkingState } from '../state/workingState.js'
import type { HeaderFields } from '../types.js'
import { EMPTY_OVERLAY, type RemoteState } from './overlay.js'

/** The point where a fork leaves the remote chain. */
export interface ForkPoint {
  /** The state after the block. */
  state: RemoteState
  header: HeaderFields
  /** Sum of the difficulties up to and including the block. */
  totalDifficulty: bigint
  /** Returns the 32-byte hash of a block before it. */
  earlierHash: (number: bigint) => Awaitable<Uint8Array | undefined>
  /** 20 bytes each. */
  funded: readonly Uint8Array[]
  /** Initial balance of each funded account, in wei. */
  balance: bigint
}

/** Setting that holds the root of the local tries at the fork point. */
const SETTING = 'fork-root'

/** Returns the root of the local tries at the fork point; undefined if the chain is not a fork. */
export function forkRootOf(database: Pick<Database, 'get'>, keys: Keyspace): Uint8Array | undefined {
  return database.get(keys.setting(SETTING))
}

/** Stores that a fork point is written to. */
export interface ForkStores {
  database: Database
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
}

/**
 * Starts a chain with the block of a fork. The body stays at the remote. The block's state root becomes an alias of a
 * local state with the funded accounts, which falls back to the remote for everything else.
 */
export async function storeForkPoint(stores: ForkStores, point: ForkPoint): Promise<Head> {
  const { database, keys, blocks, states } = stores
  const { header, totalDifficulty, funded, balance, state: remote } = point
  // Fetches all accounts in parallel, so that the working state finds them loaded.
  await Promise.all(funded.map(async (address) => remote.getAccount(address)))
  const state = new WorkingState({ base: states.viewAt(EMPTY_TRIE_ROOT), store: states })
  for (const address of funded) await state.modifyAccountFields(new Address(address), { balance })
  const commitment = state.computeRoot()
  const batch = new WriteBatch()
  const overlay = { hash: EMPTY_OVERLAY.hash, record: EMPTY_OVERLAY.record.copy() }
  states.stage(batch, {
    ...commitment,
    nodes: [...commitment.nodes, overlay.record],
    roots: new Map(commitment.roots).set(bytesKey(overlay.hash), overlay),
  })
  batch.put(keys.setting(SETTING), commitment.root)
  const staged = runToCompletion(blocks.stage(batch, bodilessBlock(header, totalDifficulty)))
  const { block: stored } = staged.record
  const head = { block: stored, workingRoot: header.stateRoot }
  stageMove(batch, keys, { added: [stored] }, head)
  database.write(batch)
  states.alias(header.stateRoot, commitment.root)
  return { block: blocks.added(staged), workingRoot: header.stateRoot }
}

/**
 * Restores the fork point of a stored chain.
 *
 * @throws DataDirectoryError if a fork is opened as a normal chain, or vice versa, or with another fork point
 */
export function restoreForkPoint(
  { database, keys, states }: ForkStores,
  first: HeaderFields,
  point: ForkPoint | undefined,
): void {
  const root = forkRootOf(database, keys)
  if (root !== undefined && point === undefined) {
    throw new DataDirectoryError(
      `The chain in the data directory was forked from another chain at block ${first.number}. ` +
        'Start with the same --fork-url as before, or choose another data directory.',
    )
  }
  if (root === undefined && point !== undefined) {
    throw new DataDirectoryError(
      'The chain in the data directory is not a fork. Start without --fork-url, or choose another data directory.',
    )
  }
  if (point !== undefined && !bytesEqual(point.header.stateRoot, first.stateRoot)) {
    throw new DataDirectoryError(
      `The chain in the data directory was forked at block ${first.number}: from another chain than that of --fork-url, ` +
        'or from another block than that of --fork-block.',
    )
  }
  if (root !== undefined) states.alias(first.stateRoot, root)
}

function bodilessBlock(header: HeaderFields, totalDifficulty: bigint): SealedBlock {
  const withdrawals = header.withdrawalsRoot === undefined ? {} : { withdrawals: [] }
  return {
    hash: hashHeader(header),
    header,
    transactions: [],
    uncles: [],
    uncleHashes: [],
    ...withdrawals,
    size: runToCompletion(encodeBlockInSteps({ header, transactions: [], uncles: [], ...withdrawals }))
      .length,
    totalDifficulty,
    altered: false,
  }
}
