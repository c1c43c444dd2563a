import { bytesToHex } from '../../encoding/hex.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { serializedTransaction } from '../block/body.js'
import { rawTransactions } from '../block/rawParts.js'
import type { SealedBlock, StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import { ancestorHash } from '../calls/call.js'
import { ChainError } from '../errors.js'
import { withChainId } from '../evm/forkSchedule.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { decodeBlockInSteps } from '../import/blockParts.js'
import { type TransactionFields, decodeTransaction } from '../mempool/decode.js'
import { type PooledTransaction, createTransaction } from '../mempool/transaction.js'
import type { StateStore, TrieStateView } from '../state/stateStore.js'
import { WorkingState } from '../state/workingState.js'
import type { ForkRules } from '../types.js'
import type { ChainView } from '../view.js'
import { BlockExecution } from '../vm/block.js'
import {
  type BlockEnvironment,
  type Requester,
  createBlockEnvironment,
  withLimitedEvm,
} from '../vm/blockEnvironment.js'
import { type Message, messageFromTransaction } from '../vm/message.js'
import type { ExecutionTracer, TracedMessage } from './tracer.js'

/** Stores for re-executing blocks. */
export interface ReplaySources {
  blocks: BlockStore
  states: StateStore
}

/** A block that can be executed again: a stored one, or the pending one. */
export type ReplayedBlock = StoredBlock | SealedBlock

/** What to execute again. */
export interface ReplayTarget {
  view: ChainView
  block: ReplayedBlock
  requester?: Requester | undefined
  /** The state to execute it on: the parent's by default. */
  state?: WorkingState
  /** Called with the number of each block whose hash is read. */
  readsHash?: (number: bigint) => void
  /** 20 bytes; mainnet's unless a genesis names another. */
  depositContract?: Uint8Array
}

/** A block under re-execution. */
export interface Replay {
  readonly evm: PooledEvm
  readonly state: WorkingState
  /** Number of transactions in the block. */
  readonly length: number
  /**
   * Executes the next transaction, and reports it to a tracer if given. First yields to other work if the replay has
   * held the event loop for a while, because awaiting loaded state never leaves it.
   */
  next(tracer?: ExecutionTracer): Promise<void>
  /** Ends the block after its last transaction: pays rewards and withdrawals, and collects the requests. */
  finish(): Promise<void>
}

/**
 * Returns the state that a block was executed on.
 *
 * @throws ChainError if the block has no parent, or the parent's state is unavailable
 */
export function parentState(
  { states }: ReplaySources,
  { view, block: { header, parentStateRoot } }: Pick<ReplayTarget, 'view' | 'block'>,
): TrieStateView {
  const parent = view.blockByHash(header.parentHash)
  if (parent === undefined) throw new ChainError(`parent ${bytesToHex(header.parentHash)} not found`)
  const root = parentStateRoot ?? parent.header.stateRoot
  states.requireRoot(root, parent.header)
  return states.viewAt(root)
}

/**
 * Re-executes a block on its original parent state, from the system calls at its start. Stores nothing.
 *
 * @throws ChainError if the block has no parent, or the parent's state is unavailable
 */
export async function replayBlock<T>(
  sources: ReplaySources,
  target: ReplayTarget,
  use: (replay: Replay) => Promise<T>,
): Promise<T> {
  const { blocks, states } = sources
  const { view, block, requester, readsHash, depositContract } = target
  const { header } = block
  const state = target.state ?? new WorkingState({ base: parentState(sources, target), store: states })
  const raws = rawsOf(blocks, block)
  let raw = raws.next().value
  const rules = rulesOfSigner(raw && decodeTransaction(raw), view.rulesAt(header))
  const slice = new TimeSlice()
  const environment = createBlockEnvironment(header, rules)
  const context = {
    rules,
    state,
    block: environment,
    blockHash: (number: bigint) => {
      readsHash?.(number)
      return ancestorHash(view, header, number)
    },
    requester,
  }
  return withLimitedEvm(context, async (evm) => {
    const execution = await BlockExecution.begin({
      evm,
      rules,
      header,
      block: environment,
      ...(depositContract && { depositContract }),
    })
    let index = 0
    let logs = 0
    return use({
      evm,
      state,
      length: block.transactions.length,
      next: async (tracer) => {
        const pause = slice.pause()
        if (pause !== undefined) await pause
        const pooled = pooledOf(block, index++, raw, rules)
        raw = raws.next().value
        await tracer?.begin?.(describe(pooled, { evm, state, firstLogIndex: logs }))
        evm.trace(tracer)
        const { receipt } = await execution.apply(pooled)
        evm.trace(undefined)
        logs += receipt.logs.length
        await tracer?.end?.(receipt.gasUsed)
      },
      finish: async () => {
        const parts = isStored(block)
          ? await runInSlices(decodeBlockInSteps(blocks.blockRlp(block)), slice)
          : block
        await execution.finish(parts)
      },
    })
  })
}

function isStored(block: ReplayedBlock): block is StoredBlock {
  return 'ordinal' in block
}

/** Yields the transactions of a block in EIP-2718 form; those of the pending block are encoded one by one. */
function* rawsOf(blocks: BlockStore, block: ReplayedBlock): Generator<Uint8Array, undefined> {
  if (isStored(block)) yield* rawTransactions(blocks.blockRlp(block))
  else for (const { transaction } of block.transactions) yield serializedTransaction(transaction)
}

/**
 * Returns the rules with the chain id that a transaction was signed for, which is another one than the node's on blocks
 * mined before or after anvil_setChainId.
 */
function rulesOfSigner(fields: TransactionFields | undefined, rules: ForkRules): ForkRules {
  return withChainId(rules, fields?.chainId ?? rules.chainId())
}

/** Decodes a transaction of a block; its sender is already known. */
function pooledOf(
  { header, transactions }: ReplayedBlock,
  index: number,
  raw: Uint8Array | undefined,
  rules: ForkRules,
): PooledTransaction {
  const entry = transactions[index]
  if (raw === undefined || entry === undefined) {
    throw new RangeError(`block ${header.number} has no transaction ${index}`)
  }
  const fields = decodeTransaction(raw)
  const transaction = createTransaction(fields, rulesOfSigner(fields, rules))
  const { hash, sender, impersonated } = entry
  return { transaction, hash, sender, impersonated }
}

function describe(
  pooled: PooledTransaction,
  { evm, state, firstLogIndex }: { evm: PooledEvm; state: WorkingState; firstLogIndex: number },
): TracedMessage {
  const { baseFeePerGas, number: blockNumber, coinbase } = evm.block.header
  const message = messageFromTransaction(pooled, baseFeePerGas)
  const { from, to, gasLimit, authorizationList = [] } = message
  return {
    from,
    to,
    gasLimit,
    gasTip: gasTipOf(message, evm.block),
    blockNumber,
    authorizations: authorizationList,
    coinbase: coinbase.bytes,
    state,
    firstLogIndex,
    precompiles: new Set(evm.forkPrecompiles),
  }
}

/** Returns the wei per gas for a block's beneficiary; zero for a call that pays less than the base fee. */
export function gasTipOf(
  { gasPrice }: Message,
  { header: { baseFeePerGas = 0n } }: BlockEnvironment,
): bigint {
  return gasPrice > baseFeePerGas ? gasPrice - baseFeePerGas : 0n
}
