import { EthereumJSError } from '@ethereumjs/util'
import { type Awaitable, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { nextDifficulty } from '../block/difficulty.js'
import { EMPTY_UNCLES_HASH, GAS_PER_BLOB, nextBaseFee, nextExcessBlobGas } from '../block/header.js'
import type { SealedBlock } from '../block/record.js'
import { EMPTY_BLOOM, sealBlock } from '../block/body.js'
import type { ConsoleListener } from '../calls/callObject.js'
import { MessageRejectedError } from '../errors.js'
import { keccak256 } from '../crypto.js'
import type { Candidates } from '../mempool/senderQueue.js'
import { EMPTY_TRIE_ROOT } from '../state/nodeRecord.js'
import type { StateCommitment } from '../state/stateStore.js'
import type { WorkingState } from '../state/workingState.js'
import type { ForkRules, HeaderFields, Withdrawal } from '../types.js'
import { BlockExecution } from '../vm/block.js'
import { createBlockEnvironment, withEvm } from '../vm/blockEnvironment.js'
import type { RandomnessState } from './randomness.js'

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
