import { EthereumJSError } from '@ethereumjs/util'
import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { nextDifficulty } from '../block/difficulty.js'
import { EMPTY_UNCLES_HASH, GAS_PER_BLOB, nextBaseFee, nextExcessBlobGas } from '../block/header.js'
import type { SealedBlock } from '../block/record.js'
import { EMPTY_BLOOM, sealBlock } from '../block/body.js'
import type { ConsoleListener } from '../calls/callObject.js'
import { MessageRejectedError } from '../errors.js'
import { keccak256 } from '../crypto.js'
import type { Mempool } from '../mempool/mempool.js'
import type { CandidateOrder, SenderQueue } from '../mempool/senderQueue.js'
import { type PooledTransaction, effectiveTip } from '../mempool/transaction.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import type { StateCommitment } from '../state/stateStore.js'
import type { WorkingState } from '../state/workingState.js'
import type { ForkRules, HeaderFields, Withdrawal } from '../types.js'
import { BlockExecution } from '../vm/block.js'
import { createBlockEnvironment, withEvm } from '../vm/blockEnvironment.js'
import type { RandomnessState } from './randomness.js'

interface Line {
  entries: SenderQueue['pending']
  position: number
  tip: bigint
  arrival: number
}

/**
 * Offers executable transactions one by one: of each sender the next nonce, and among senders the best.
 *
 * The offer is fixed before the first candidate; the mempool may change afterwards.
 */
export class Candidates {
  readonly #order: CandidateOrder
  readonly #baseFee: bigint
  /** Binary heap with the best line at the root. */
  readonly #lines: Line[] = []
  #current: Line | undefined

  private constructor(order: CandidateOrder, baseFee: bigint) {
    this.#order = order
    this.#baseFee = baseFee
  }

  /** Offers a block the pending transactions of a mempool that cover its base fee (wei per gas). */
  static *of(mempool: Pick<Mempool, 'queues' | 'options'>, baseFee: bigint): Steps<Candidates> {
    const candidates = new Candidates(mempool.options.order, baseFee)
    // There may be a hundred thousand.
    for (const { pending } of mempool.queues) {
      candidates.#offer(pending, 0)
      yield
    }
    return candidates
  }

  /** Returns the next transaction, or undefined if there is none. */
  next(): PooledTransaction | undefined {
    if (this.#current !== undefined) this.#offer(this.#current.entries, this.#current.position + 1)
    this.#current = this.#popBest()
    return this.#current?.entries[this.#current.position]
  }

  /** Skips the sender of the last transaction, which did not fit or could not be executed. */
  skipSender(): void {
    this.#current = undefined
  }

  #offer(entries: SenderQueue['pending'], position: number): void {
    const entry = entries[position]
    if (entry === undefined) return
    const tip = effectiveTip(entry.transaction, this.#baseFee)
    if (tip === undefined) return
    this.#lines.push({ entries, position, tip, arrival: entry.arrival })
    this.#siftUp(this.#lines.length - 1)
  }

  #isBefore(a: Line, b: Line): boolean {
    if (this.#order === 'fees' && a.tip !== b.tip) return a.tip > b.tip
    return a.arrival < b.arrival
  }

  #siftUp(index: number): void {
    while (index > 0) {
      const above = (index - 1) >> 1
      if (!this.#swapIfBefore(index, above)) return
      index = above
    }
  }

  #popBest(): Line | undefined {
    const best = this.#lines[0]
    const last = this.#lines.pop()
    if (best === undefined || last === undefined || this.#lines.length === 0) return best
    this.#lines[0] = last
    for (let index = 0; ;) {
      const left = 2 * index + 1
      const [leftLine, rightLine] = [this.#lines[left], this.#lines[left + 1]]
      if (leftLine === undefined) return best
      const below = rightLine !== undefined && this.#isBefore(rightLine, leftLine) ? left + 1 : left
      if (!this.#swapIfBefore(below, index)) return best
      index = below
    }
  }

  /** Swaps two lines of the heap if the lower one belongs before the upper one. */
  #swapIfBefore(lower: number, upper: number): boolean {
    const a = this.#lines[lower]
    const b = this.#lines[upper]
    if (a === undefined || b === undefined || !this.#isBefore(a, b)) return false
    this.#lines[lower] = b
    this.#lines[upper] = a
    return true
  }
}

/** Everything that a block is made from. */
export interface ProductionInput {
  header: HeaderFields
  rules: ForkRules
  /** The state to execute on; the block's changes are applied to it. */
  state: WorkingState
  parentTotalDifficulty: bigint
  /** Whether controls have edited the parent state. */
  altered: boolean
  /** Candidates for the block, requested one by one. */
  candidates: Pick<Candidates, 'next' | 'skipSender'>
  /** Maximum number of transactions. */
  maximumTransactions: number
  /** Upper bound for the total gas; the header's gas limit by default. */
  maximumGas?: bigint | undefined
  withdrawals?: readonly Withdrawal[]
  /** 20 bytes (EIP-6110). */
  depositContract: Uint8Array
  /** Receives what contracts log to the console. */
  onConsole?: ConsoleListener | undefined
  /** Returns the hash of an earlier block, for BLOCKHASH. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
}

/** A block that was executed but not stored. */
export interface ProducedBlock {
  block: SealedBlock
  commitment: StateCommitment
}

/** Executes and seals a block from candidates, skipping those that do not fit or may not be executed. */
export async function produceBlock(input: ProductionInput): Promise<ProducedBlock> {
  const { header, rules, state, blockHash, withdrawals, altered, parentTotalDifficulty } = input
  const { depositContract, maximumGas, onConsole } = input
  const block = createBlockEnvironment(header, rules)
  return withEvm({ rules, state, block, blockHash, onConsole }, async (evm) => {
    const execution = await BlockExecution.begin({ evm, rules, header, block, depositContract, maximumGas })
    await fillBlock(execution, input)
    const outcome = await execution.finish({ withdrawals })
    const slice = new TimeSlice()
    const commitment = await state.computeRootInSlices(slice)
    const sealing = sealBlock(execution, outcome, {
      header,
      stateRoot: commitment.root,
      parentTotalDifficulty,
      altered,
      parentStateRoot: altered ? state.base.root : undefined,
      withdrawals,
    })
    const sealed = await runInSlices(sealing, slice)
    return { block: sealed, commitment }
  })
}

/** Applies candidates until nothing more fits. Once a transaction is skipped, so are all others of its sender. */
export async function fillBlock(
  execution: BlockExecution,
  { candidates, maximumTransactions }: Pick<ProductionInput, 'candidates' | 'maximumTransactions'>,
): Promise<void> {
  const slice = new TimeSlice()
  while (execution.transactions.length < maximumTransactions) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const pooled = candidates.next()
    if (pooled === undefined) return
    const { transaction } = pooled
    const blobs = 'blobVersionedHashes' in transaction ? transaction.blobVersionedHashes.length : 0
    const fits =
      transaction.gasLimit <= execution.gasLeft && GAS_PER_BLOB * BigInt(blobs) <= execution.blobGasLeft
    if (!fits) {
      candidates.skipSender()
      continue
    }
    try {
      await execution.apply(pooled)
    } catch (error) {
      // Some failures, such as missing funds after earlier transactions, show only here.
      if (!(error instanceof EthereumJSError || error instanceof MessageRejectedError)) throw error
      candidates.skipSender()
    }
  }
}

const ZERO_HASH = new Uint8Array(32)
const ZERO_NONCE = new Uint8Array(8)

/** What coming blocks take from the operator rather than from their parent. */
export interface BlockSettings {
  gasLimit: bigint
  /** 20 bytes. */
  coinbase: Uint8Array
  extraData: Uint8Array
  /** Maximum number of transactions in a block; no limit if undefined. */
  maximumTransactions?: number | undefined
  /** Upper bound for the total gas of a block's transactions, if it is not the block's gas limit. */
  maximumGas?: bigint | undefined
  /** Wei per gas; for one block. */
  nextBaseFee?: bigint
  /** 32 bytes; for one block. */
  nextPrevRandao?: Uint8Array
  /** Source of prevRandao and the parent beacon block root; if absent, the hash of the parent hash and zeros. */
  randomness?: RandomnessState
}

const ZERO_ADDRESS = new Uint8Array(20)

/**
 * Returns the settings of a block that hardhat only reserves: no beneficiary, no randomness, and its parent's base fee.
 * Its gas limit is the usual one here, because blocks may change that only little by little.
 */
export function reservedBlockSettings(
  settings: BlockSettings,
  { baseFeePerGas }: Pick<HeaderFields, 'baseFeePerGas'>,
): BlockSettings {
  return {
    ...settings,
    coinbase: ZERO_ADDRESS,
    nextPrevRandao: ZERO_HASH,
    randomness: { prevRandao: ZERO_HASH, parentBeaconBlockRoot: ZERO_HASH },
    ...(baseFeePerGas !== undefined && { nextBaseFee: baseFeePerGas }),
  }
}

/** The parent of a draft. */
export interface DraftParent {
  hash: Uint8Array
  header: HeaderFields
}

/**
 * Drafts the header of the block after `parent`, before execution: gas used is zero and the roots are those of an empty
 * block.
 *
 * prevRandao is derived from the parent or a generator, so that equal inputs give equal chains.
 */
export function draftHeader(
  parent: DraftParent,
  rules: ForkRules,
  timestamp: bigint,
  settings: BlockSettings,
): HeaderFields {
  const isLondon = rules.isActivatedEIP(1559)
  // Only a foreign genesis starts a proof-of-work chain. Blocks here continue its difficulty, without a seal.
  const hasWork = parent.header.difficulty > 0n && !rules.gteHardfork('paris')
  const excessBlobGas = nextExcessBlobGas(parent.header, rules)
  return {
    parentHash: parent.hash,
    uncleHash: EMPTY_UNCLES_HASH,
    coinbase: settings.coinbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: EMPTY_BLOOM,
    difficulty: hasWork ? nextDifficulty(parent.header, timestamp, rules) : 0n,
    number: parent.header.number + 1n,
    gasLimit: settings.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: settings.extraData,
    mixHash: rules.isActivatedEIP(4399)
      ? (settings.nextPrevRandao ?? settings.randomness?.prevRandao ?? keccak256(parent.hash))
      : ZERO_HASH,
    nonce: ZERO_NONCE,
    baseFeePerGas: isLondon ? (settings.nextBaseFee ?? nextBaseFee(parent.header, rules)) : undefined,
    withdrawalsRoot: rules.isActivatedEIP(4895) ? EMPTY_TRIE_ROOT : undefined,
    blobGasUsed: excessBlobGas === undefined ? undefined : 0n,
    excessBlobGas,
    parentBeaconBlockRoot: rules.isActivatedEIP(4788)
      ? (settings.randomness?.parentBeaconBlockRoot ?? ZERO_HASH)
      : undefined,
    requestsHash: undefined,
  }
}
