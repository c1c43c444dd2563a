import { generateAddress } from '@ethereumjs/util'
import { minimalBytes } from '../../../encoding/quantity.js'
import { logsBloom, joinBlooms } from '../../block/bloom.js'
import { GAS_PER_BLOB } from '../../block/fees.js'
import type { SealedTransaction } from '../../block/record.js'
import { sealBlock } from '../../block/seal.js'
import { addBalance, payWithdrawals, type BlockOutcome } from '../../vm/block.js'
import { createBlockEnvironment } from '../../vm/blockEnvironment.js'
import type { CallObject } from '../callObject.js'
import { withEvm } from '../../evm/evm.js'
import { applyStateOverrides } from '../overrides.js'
import type { PooledEvm } from '../../evm/pooledEvm.js'
import { collectRequests, hashRequests, runBlockStart } from '../../vm/systemCalls.js'
import { blockRewards } from '../../import/uncles.js'
import { keccak256 } from '../../keccak.js'
import type { WorkingState } from '../../state/workingState.js'
import { runInSlices, type TimeSlice } from '../../../encoding/timeSlice.js'
import type { Awaitable, ExecutionReceipt, ForkRules, HeaderFields } from '../../types.js'
import type { GasBudget } from './gasBudget.js'
import { LogTracer } from './logTracer.js'
import type { SimulatedBlock, SimulatedCall } from './request.js'
import type { PlacedBlock } from './sequence.js'
import { simulateCall } from './simulateCall.js'
import { unsignedTransactionOf } from '../../vm/unsignedTransaction.js'

/** What a block is simulated with. */
export interface SimulationContext {
  header: HeaderFields
  rules: ForkRules
  state: WorkingState
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
  parentTotalDifficulty: bigint
  /** 20 bytes (EIP-6110). */
  depositContract: Uint8Array
  budget: GasBudget
  traceTransfers: boolean
  validation: boolean
  /** Of the whole simulation: there are turns for other work between calls, and between blocks. */
  slice: TimeSlice
}

/**
 * Executes and seals one simulated block (geth: internal/ethapi/simulate.go, processBlock).
 *
 * @throws SimulationError or ChainError if a call or an override is refused.
 */
export async function simulateBlock(
  placed: PlacedBlock,
  context: SimulationContext,
): Promise<SimulatedBlock> {
  const { header, rules, state, blockHash, parentTotalDifficulty, slice } = context
  const { overrides, stateOverrides } = placed
  const withdrawals = rules.isActivatedEIP(4895) ? (overrides.withdrawals ?? []) : undefined
  const { blobBaseFee } = overrides
  const block = createBlockEnvironment(header, rules, blobBaseFee === undefined ? {} : { blobBaseFee })
  return withEvm({ rules, state, block, blockHash }, async (evm) => {
    await applyStateOverrides(evm, stateOverrides, 'applied')
    await runBlockStart(evm, header)
    const execution = new SimulatedExecution(evm, context)
    for (const call of placed.calls) {
      await slice.pause()
      await execution.run(call)
    }
    const outcome = await execution.finish()
    await payWithdrawals(evm, withdrawals ?? [])
    for (const { address, amount } of blockRewards(header, [], rules)) await addBalance(evm, address, amount)
    const sealing = sealBlock(execution, outcome, {
      header,
      stateRoot: (await state.computeRootInSlices(slice)).root,
      parentTotalDifficulty,
      altered: false,
      ...(withdrawals !== undefined && { withdrawals }),
    })
    const sealed = await runInSlices(sealing, slice)
    return { block: sealed, calls: execution.calls }
  })
}

/** The calls of one block, executed one after another. */
class SimulatedExecution {
  readonly transactions: SealedTransaction[] = []
  readonly calls: SimulatedCall[] = []
  readonly #evm: PooledEvm
  readonly #context: SimulationContext
  readonly #tracer: LogTracer
  #gasUsed = 0n
  #blobGasUsed = 0n

  constructor(evm: PooledEvm, context: SimulationContext) {
    this.#evm = evm
    this.#context = context
    this.#tracer = new LogTracer({ withTransfers: context.traceTransfers })
  }

  async run(call: CallObject): Promise<void> {
    const evm = this.#evm
    const { header, rules, state, budget, validation } = this.#context
    const gasLeft = header.gasLimit - this.#gasUsed
    evm.trace(this.#tracer)
    const { message, result, isGasCapped } = await simulateCall(evm, call, { gasLeft, budget, validation })
    evm.trace(undefined)
    const { gasUsed, maxGasUsed, logs, failure } = result
    this.#gasUsed += gasUsed
    const transaction = unsignedTransactionOf(call, message, rules)
    const receipt: ExecutionReceipt = {
      ...(rules.gteHardfork('byzantium')
        ? { status: failure === undefined ? 1 : 0 }
        : { stateRoot: state.computeRoot().root }),
      gasUsed,
      cumulativeGasUsed: this.#gasUsed,
      logsBloom: logsBloom(logs),
      logs,
      effectiveGasPrice: message.gasPrice,
      ...(message.to === undefined && {
        contractAddress: generateAddress(message.from, minimalBytes(message.nonce)),
      }),
    }
    if (transaction.type === 3) {
      this.#blobGasUsed += BigInt(message.blobVersionedHashes?.length ?? 0) * GAS_PER_BLOB
    }
    const hash = keccak256(transaction.serialize())
    this.transactions.push({ transaction, hash, sender: message.from, impersonated: true, receipt })
    this.calls.push({
      returnData: result.returnData,
      logs: this.#tracer.logs,
      gasUsed,
      maxGasUsed,
      isGasCapped,
      ...(failure !== undefined && { failure }),
    })
  }

  /** Collects the requests of the block. */
  async finish(): Promise<BlockOutcome> {
    const { rules, depositContract } = this.#context
    const outcome: BlockOutcome = {
      gasUsed: this.#gasUsed,
      logsBloom: joinBlooms(this.transactions.map(({ receipt }) => receipt.logsBloom)),
    }
    if (rules.isActivatedEIP(4844)) outcome.blobGasUsed = this.#blobGasUsed
    if (rules.isActivatedEIP(7685)) {
      const logs = this.calls.flatMap((call) => call.logs)
      outcome.requestsHash = hashRequests(await collectRequests(this.#evm, logs, depositContract))
    }
    return outcome
  }
}
