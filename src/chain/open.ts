import { Account, Address } from '@ethereumjs/util'
import { runToCompletion } from '../encoding/timeSlice.js'
import { type Database, WriteBatch } from '../storage/database.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, keyspaceOf } from '../storage/keyspace.js'
import { sealBlock } from './block/body.js'
import type { BlockEncoder } from './block/record.js'
import { BlockStore } from './block/store.js'
import { Chain } from './chain.js'
import type { ForkSchedule } from './evm/forkSchedule.js'
import { type ForkPoint, restoreForkPoint, storeForkPoint } from './fork/forkPoint.js'
import { formatGethGenesis, genesisKey } from './genesis/formatGenesis.js'
import type { Genesis } from './genesis/ownGenesis.js'
import { type Head, loadHead, stageMove } from './head/position.js'
import type { Mempool } from './mempool/mempool.js'
import type { ProducedBlock } from './mining/producer.js'
import { type BlockRandomness, initialRandomness } from './mining/randomness.js'
import type { Clock } from './mining/schedule.js'
import type { ChainBase, ChainParts } from './reader.js'
import { EMPTY_TRIE_ROOT } from './state/nodeRecord.js'
import type { StateCaches } from './state/account.js'
import { StateStore } from './state/stateStore.js'
import { WorkingState } from './state/workingState.js'

/** Options for opening a chain. */
export interface OpenChainOptions {
  database: Database
  /** Caches shared by all chains of the node. */
  caches?: StateCaches | undefined
  /** Number of the network in the database. */
  network: number
  chainId: bigint
  schedule: ForkSchedule
  encoder: BlockEncoder
  /** The first block, made only if the database does not hold it yet. */
  genesis: () => Genesis
  /** The point where the chain leaves a remote one, instead of a genesis. */
  fork?: ForkPoint | undefined
  clock: Clock
  mempool: Mempool
  /** Beneficiary of blocks, 20 bytes. */
  coinbase: Uint8Array
  /** Source of the prevRandao and parent beacon block root of blocks; derived from the parent by default. */
  randomness?: BlockRandomness
  distances: ChainParts['distances']
  report: ChainParts['report']
  /** Maximum number of transactions in a block; no limit if undefined. */
  maximumTransactions?: number | undefined
  /** Upper bound for the total gas of a block's transactions, if it is not the block's gas limit. */
  maximumGas?: bigint | undefined
}

/** Options for {@link openBase}. */
export type OpenBaseOptions = Pick<
  OpenChainOptions,
  'database' | 'caches' | 'network' | 'chainId' | 'schedule' | 'encoder' | 'genesis' | 'fork'
>

/** Opens the base of a chain with its stored head. If there is none, first stores the genesis or the fork block. */
export async function openBase(options: OpenBaseOptions): Promise<ChainBase> {
  const { database, encoder, fork } = options
  const keys = keyspaceOf(options.network)
  const blocks = await BlockStore.open({ database, keys, encoder })
  const states = new StateStore({ database, keyspace: keys, remote: fork?.state, caches: options.caches })
  const stores = { database, keys, blocks, states }
  const known = loadHead(database, keys, blocks)
  const head =
    known ?? (await (fork === undefined ? storeGenesis(stores, options) : storeForkPoint(stores, fork)))
  const first = blocks.byOrdinal(firstOrdinal(database, keys)) ?? head.block
  if (known !== undefined) restoreForkPoint(stores, first.header, fork)
  return { keys, blocks, states, head, first, earlierHash: fork?.earlierHash }
}

/** Setting that holds the ordinal of the first block, once a reset has replaced block 0. */
const FIRST_SETTING = 'first-block'

function firstOrdinal(database: Database, keys: Keyspace): number {
  const bytes = database.get(keys.setting(FIRST_SETTING))
  return bytes === undefined ? 0 : decodeOrdinal(bytes)
}

/**
 * Restarts a chain on its genesis as made now, with the current time unless that is fixed. Nothing stored before is
 * found any more. Only within the chain's mutex, and with an empty mempool.
 */
export async function restartFromGenesis(
  base: ChainBase,
  options: Pick<OpenChainOptions, 'database' | 'chainId' | 'schedule' | 'genesis'>,
): Promise<ChainBase> {
  const { database } = options
  const { keys, blocks, states } = base
  const stores = { database, keys, blocks, states }
  const head = await storeGenesis(stores, options)
  return { ...base, head, first: head.block }
}

/** Opens the chain of a network: continues from its stored head, or stores its genesis first. */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { coinbase } = options
  const base = await openBase(options)
  const { head } = base
  const chain = new Chain({
    ...options,
    ...base,
    settings: {
      gasLimit: head.block.header.gasLimit,
      coinbase,
      extraData: new Uint8Array(0),
      ...(options.randomness === 'hardhat' && { randomness: initialRandomness() }),
      maximumTransactions: options.maximumTransactions,
      maximumGas: options.maximumGas,
    },
  })
  await chain.restore()
  return chain
}

type Stores = Pick<ChainParts, 'database' | 'keys' | 'blocks' | 'states'>

/** Returns the hash of a genesis block without storing anything. */
export async function genesisHash(states: StateStore, genesis: Genesis): Promise<Uint8Array> {
  return (await makeGenesis(states, genesis)).block.hash
}

async function makeGenesis(states: StateStore, { header, accounts }: Genesis): Promise<ProducedBlock> {
  const state = new WorkingState({ base: states.viewAt(EMPTY_TRIE_ROOT), store: states })
  for (const { address, balance, nonce, code, storage } of accounts) {
    const target = new Address(address)
    await state.putAccount(target, new Account(nonce, balance))
    if (code.length > 0) await state.putCode(target, code)
    for (const [slot, value] of storage) await state.putStorage(target, slot, value)
  }
  const commitment = state.computeRoot()
  const sealing = sealBlock(
    { transactions: [] },
    { gasUsed: header.gasUsed, logsBloom: header.logsBloom },
    {
      header,
      stateRoot: commitment.root,
      parentTotalDifficulty: 0n,
      altered: false,
      ...(header.withdrawalsRoot !== undefined && { withdrawals: [] }),
    },
  )
  return { block: runToCompletion(sealing), commitment }
}

/**
 * Makes a new first block the head and removes all others. Also stores the genesis file that it can be made from again.
 */
async function storeGenesis(
  stores: Stores,
  { chainId, schedule, genesis }: Pick<OpenBaseOptions, 'chainId' | 'schedule' | 'genesis'>,
): Promise<Head> {
  const { database, keys, blocks, states } = stores
  const first = genesis()
  const { block, commitment } = await makeGenesis(states, first)
  const batch = new WriteBatch()
  const stateNode = states.stage(batch, commitment)
  const staged = runToCompletion(blocks.stage(batch, block, stateNode))
  const { block: stored } = staged.record
  const head = { block: stored, workingRoot: commitment.root }
  stageMove(batch, keys, { added: [stored] }, head)
  const removed = blocks.stageRemoval(batch, { from: 0, to: stored.ordinal })
  batch.put(keys.setting(FIRST_SETTING), encodeOrdinal(stored.ordinal))
  batch.put(
    genesisKey(keys),
    new TextEncoder().encode(formatGethGenesis({ chainId, schedule, genesis: first })),
  )
  database.write(batch)
  removed()
  blocks.added(staged)
  return head
}
