import { type Awaitable, TimeSlice, runInSlices, runWithin } from '../../encoding/timeSlice.js'
import { GAS_LIMIT_BOUND_DIVISOR } from '../block/header.js'
import type { SealedBlock, SealedTransaction, StoredBlock } from '../block/record.js'
import { sealBlock } from '../block/body.js'
import { ancestorHash } from '../calls/call.js'
import type { Chain } from '../chain.js'
import { ChainError, HashNotFoundError } from '../errors.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { currentSidecar } from '../mempool/blobs.js'
import { decodeTransaction } from '../mempool/decode.js'
import type { Mempool } from '../mempool/mempool.js'
import {
  type BlobSidecar,
  type PooledTransaction,
  checkSignature,
  effectiveTip,
  recoverTransaction,
} from '../mempool/transaction.js'
import { checkReadable } from '../mempool/validation.js'
import { WorkingState } from '../state/workingState.js'
import type { ForkRules, HeaderFields, Withdrawal } from '../types.js'
import { BlockExecution } from '../vm/block.js'
import { createBlockEnvironment, withEvm } from '../vm/blockEnvironment.js'
import type { ConsensusRequest } from '../vm/systemCalls.js'
import { type BlockSettings, Candidates, draftHeader, fillBlock } from './producer.js'

/** What the consensus layer sets for a block to build (engine API, PayloadAttributesV3). */
export interface PayloadAttributes {
  /** Seconds. */
  timestamp: bigint
  /** 32 bytes. */
  prevRandao: Uint8Array
  /** 20 bytes. */
  feeRecipient: Uint8Array
  withdrawals?: readonly Withdrawal[] | undefined
  /** 32 bytes. */
  parentBeaconBlockRoot?: Uint8Array | undefined
}

/** A request to build a block on its state. */
export interface BuildInput {
  parent: StoredBlock
  schedule: ForkSchedule
  attributes: PayloadAttributes
  /** EIP-2718 encodings of exactly the block's transactions, or a mempool with candidates. */
  transactions: readonly Uint8Array[] | Pick<Mempool, 'queues' | 'options' | 'get'>
  settings: Pick<BlockSettings, 'extraData'>
  /** The state after the parent; consumed by the build. */
  state: WorkingState
  /** Returns the hash of an earlier block, for BLOCKHASH. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
}

/** A block that was built but not stored. */
export interface BuiltBlock {
  block: SealedBlock
  requests: readonly ConsensusRequest[]
  sidecars: readonly BlobSidecar[]
  /** Total tips to the fee recipient, in wei. */
  value: bigint
}

/** The gas limit that blocks approach, by less than 1/1024 of the parent's per block (geth: miner, GasCeil). */
const DESIRED_GAS_LIMIT = 60_000_000n

/**
 * Builds a block on a stored parent without storing it.
 *
 * @throws ChainError if the attributes do not fit the parent, or a required transaction cannot be included
 */
async function buildBlock(input: BuildInput): Promise<BuiltBlock> {
  const { parent, schedule, attributes, state, blockHash } = input
  const { timestamp, withdrawals = [] } = attributes
  if (timestamp <= parent.header.timestamp) {
    throw new ChainError(`invalid timestamp, parent ${parent.header.timestamp} given ${timestamp}`)
  }
  const rules = schedule.rulesAt({ number: parent.header.number + 1n, timestamp })
  const header = payloadHeader(input, rules)
  const block = createBlockEnvironment(header, rules)
  return withEvm({ rules, state, block, blockHash }, async (evm) => {
    const { depositContract } = schedule
    const execution = await BlockExecution.begin({ evm, rules, header, block, depositContract })
    const included = await include(input.transactions, execution, evm)
    const outcome = await execution.finish({ withdrawals })
    const slice = new TimeSlice()
    const sealing = sealBlock(execution, outcome, {
      header,
      stateRoot: (await state.computeRootInSlices(slice)).root,
      parentTotalDifficulty: parent.totalDifficulty,
      altered: false,
      ...(rules.isActivatedEIP(4895) && { withdrawals }),
    })
    const sealed = await runInSlices(sealing, slice)
    const sidecars: BlobSidecar[] = []
    for (const { sidecar } of included) {
      if (sidecar !== undefined) sidecars.push(await currentSidecar(sidecar, rules))
    }
    return {
      block: sealed,
      requests: outcome.requests ?? [],
      sidecars,
      value: tipsOf(execution.transactions, header.baseFeePerGas ?? 0n),
    }
  })
}

/** A request to build a block on a stored parent. */
export interface BuildRequest {
  /** 32 bytes. */
  parentHash: Uint8Array
  attributes: PayloadAttributes
  /** EIP-2718 encodings of exactly the block's transactions; undefined takes them from the mempool. */
  transactions: readonly Uint8Array[] | undefined
  /** Undefined for the chain's own. */
  extraData: Uint8Array | undefined
}

/** Builds blocks on any stored parent, without storing them. */
export class BlockBuilder {
  readonly #chain: Chain
  readonly #schedule: ForkSchedule

  constructor(chain: Chain, schedule: ForkSchedule) {
    this.#chain = chain
    this.#schedule = schedule
  }

  /**
   * @throws HashNotFoundError if the parent is not stored, and the errors of {@link buildBlock}
   */
  build({ parentHash, attributes, transactions, extraData }: BuildRequest): Promise<BuiltBlock> {
    const { view, mempool, settings, stores } = this.#chain
    const parent = view.blockByHash(parentHash)
    if (parent === undefined) throw new HashNotFoundError(parentHash, view.head().header.number)
    const header = { ...parent.header, number: parent.header.number + 1n, parentHash }
    return buildBlock({
      parent,
      schedule: this.#schedule,
      attributes,
      transactions: transactions ?? mempool,
      settings: { extraData: extraData ?? settings.extraData },
      state: new WorkingState({ base: stores.states.viewAt(parent.header.stateRoot), store: stores.states }),
      blockHash: (number) => ancestorHash(view, header, number),
    })
  }
}

/**
 * @returns the transactions of the block, with their blobs
 */
async function include(
  transactions: BuildInput['transactions'],
  execution: BlockExecution,
  evm: PooledEvm,
): Promise<PooledTransaction[]> {
  const slice = new TimeSlice()
  if ('queues' in transactions) {
    const baseFee = evm.block.header.baseFeePerGas ?? 0n
    const candidates = await runWithin(Candidates.of(transactions, baseFee), slice)
    await fillBlock(execution, { candidates, maximumTransactions: Infinity })
    return execution.transactions.flatMap(({ hash }) => transactions.get(hash) ?? [])
  }
  const included: PooledTransaction[] = []
  for (const raw of transactions) {
    await slice.pause()
    included.push(readTransaction(raw, evm.common))
  }
  for (const transaction of included) {
    await slice.pause()
    await execution.apply(transaction)
  }
  return included
}

function readTransaction(raw: Uint8Array, rules: ForkRules): PooledTransaction {
  checkReadable(raw, rules)
  const fields = decodeTransaction(raw)
  checkSignature(fields, rules)
  return recoverTransaction(fields, rules)
}

function payloadHeader({ parent, attributes, settings }: BuildInput, rules: ForkRules): HeaderFields {
  const { timestamp, prevRandao, feeRecipient, parentBeaconBlockRoot } = attributes
  const header = draftHeader(parent, rules, timestamp, {
    gasLimit: nextGasLimit(parent.header.gasLimit),
    coinbase: feeRecipient,
    extraData: settings.extraData,
    nextPrevRandao: prevRandao,
  })
  if (rules.isActivatedEIP(4788) && parentBeaconBlockRoot !== undefined) {
    header.parentBeaconBlockRoot = parentBeaconBlockRoot
  }
  return header
}

/**
 * Moves the gas limit towards the desired one as far as a single block may (geth: core/block_validator.go,
 * CalcGasLimit).
 */
function nextGasLimit(parent: bigint): bigint {
  const step = parent / GAS_LIMIT_BOUND_DIVISOR - 1n
  if (parent < DESIRED_GAS_LIMIT) return parent + step < DESIRED_GAS_LIMIT ? parent + step : DESIRED_GAS_LIMIT
  return parent - step > DESIRED_GAS_LIMIT ? parent - step : DESIRED_GAS_LIMIT
}

function tipsOf(transactions: readonly SealedTransaction[], baseFee: bigint): bigint {
  return transactions.reduce(
    (sum, { transaction, receipt }) => sum + receipt.gasUsed * (effectiveTip(transaction, baseFee) ?? 0n),
    0n,
  )
}
