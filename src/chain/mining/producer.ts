import { EthereumJSError } from '@ethereumjs/util'
import type { SealedBlock } from '../block/record.js'
import { sealBlock } from '../block/seal.js'
import { MessageRejectedError } from '../errors.js'
import { BlockExecution } from '../vm/block.js'
import { createBlockEnvironment } from '../vm/blockEnvironment.js'
import { withEvm } from '../evm/evm.js'
import type { ConsoleListener } from '../calls/console.js'
import type { Candidates } from '../mempool/candidates.js'
import { GAS_PER_BLOB } from '../block/fees.js'
import type { StateCommitment } from '../state/stateStore.js'
import type { WorkingState } from '../state/workingState.js'
import { runInSlices, TimeSlice } from '../../encoding/timeSlice.js'
import type { Awaitable, ForkRules, HeaderFields, Withdrawal } from '../types.js'

/** What a block is made from. */
export interface ProductionInput {
  header: HeaderFields
  rules: ForkRules
  /** The state that the block is executed on, and that holds what it changed afterwards. */
  state: WorkingState
  parentTotalDifficulty: bigint
  /** Whether controls have moved the parent state. */
  altered: boolean
  /** What may go into the block; asked one by one. */
  candidates: Pick<Candidates, 'next' | 'skipSender'>
  /** The most transactions that the block takes. */
  maximumTransactions: number
  /** What their gas adds up to at most; the header's gas limit unless given. */
  maximumGas?: bigint | undefined
  withdrawals?: readonly Withdrawal[]
  /** 20 bytes (EIP-6110). */
  depositContract: Uint8Array
  /** Sees what contracts give to the console. */
  onConsole?: ConsoleListener | undefined
  /** The hash of an earlier block, for BLOCKHASH. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
}

/** A block that was executed but not stored. */
export interface ProducedBlock {
  block: SealedBlock
  commitment: StateCommitment
}

/** Executes and seals a block from candidates; what does not fit or may not be executed is passed over. */
export async function produceBlock(input: ProductionInput): Promise<ProducedBlock> {
  const { header, rules, state, blockHash, withdrawals, altered, parentTotalDifficulty } = input
  const { depositContract, maximumGas, onConsole } = input
  const block = createBlockEnvironment(header, rules)
  return withEvm({ rules, state, block, blockHash, onConsole }, async (evm) => {
    const execution = await BlockExecution.begin({ evm, rules, header, block, depositContract, maximumGas })
    await fillBlock(execution, input)
    const outcome = await execution.finish(withdrawals)
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

/** Applies candidates until nothing more fits. A sender whose transaction is passed over is left alone from then on. */
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
      // What it may lack (funds, after those before it) comes to light only here.
      if (!(error instanceof EthereumJSError || error instanceof MessageRejectedError)) throw error
      candidates.skipSender()
    }
  }
}
