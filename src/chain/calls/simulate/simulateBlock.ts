import { Address, generateAddress } from '@ethereumjs/util'
import { bigintToBytes, hexToBytes, minimalBytes } from '../../../encoding/hex.js'
import type { MemoryShare } from '../../../encoding/memoryShare.js'
import { type Awaitable, type TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { checksumAddress } from '../../accounts/address.js'
import { GAS_PER_BLOB } from '../../block/header.js'
import type { SealedTransaction } from '../../block/record.js'
import { joinBlooms, rememberSerialized, sealBlock } from '../../block/body.js'
import { MessageRejectedError } from '../../errors.js'
import type { PooledEvm } from '../../evm/pooledEvm.js'
import { keccak256InSlices } from '../../crypto.js'
import { MAX_NONCE } from '../../state/account.js'
import type { WorkingState } from '../../state/workingState.js'
import type { ExecutionTracer, FrameEnd, FrameStart } from '../../tracing/tracer.js'
import type { ExecutionLog, ExecutionReceipt, ForkRules, HeaderFields } from '../../types.js'
import { payBlockRewards, payWithdrawals, type BlockOutcome } from '../../vm/block.js'
import { type Requester, createBlockEnvironment, withLimitedEvm } from '../../vm/blockEnvironment.js'
import { type Message, encodeUnsigned, messageFromCall, unsignedTransactionOf } from '../../vm/message.js'
import { type MessageResult, runMessage } from '../../vm/runTransaction.js'
import { collectRequests, hashRequests, runBlockStart } from '../../vm/systemCalls.js'
import type { CallObject } from '../callObject.js'
import { applyStateOverrides } from '../overrides.js'
import { type SimulatedBlock, type SimulatedCall, type SimulatedLog, SimulationError } from './request.js'
import type { SequencedBlock } from './sequence.js'

/** Everything that a block is simulated with. */
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
  requester?: Requester | undefined
  /** Shared by the whole simulation, which yields between calls and between blocks. */
  slice: TimeSlice
}

/**
 * Executes and seals one simulated block (geth: internal/ethapi/simulate.go, processBlock).
 *
 * @throws SimulationError or ChainError if a call or an override is rejected
 */
export async function simulateBlock(
  sequenced: SequencedBlock,
  context: SimulationContext,
): Promise<SimulatedBlock> {
  const { header, rules, state, blockHash, parentTotalDifficulty, requester, slice } = context
  const { overrides, stateOverrides } = sequenced
  const withdrawals = rules.isActivatedEIP(4895) ? (overrides.withdrawals ?? []) : undefined
  const { blobBaseFee } = overrides
  const block = createBlockEnvironment(header, rules, blobBaseFee === undefined ? {} : { blobBaseFee })
  return withLimitedEvm({ rules, state, block, blockHash, requester }, async (evm) => {
    await applyStateOverrides(evm, stateOverrides, 'applied')
    await runBlockStart(evm, header)
    const execution = new SimulatedExecution(evm, context)
    for (const call of sequenced.calls) {
      await slice.pause()
      await execution.run(call)
    }
    const outcome = await execution.finish()
    await payWithdrawals(evm, withdrawals ?? [])
    await payBlockRewards(evm, header, { rules, uncles: [] })
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

/** Executes the calls of one block in order. */
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
    const { traceTransfers: withTransfers, requester } = context
    this.#tracer = new LogTracer({ withTransfers, memory: requester?.memory })
  }

  async run(call: CallObject): Promise<void> {
    const evm = this.#evm
    const { header, rules, state, budget, validation, requester } = this.#context
    const gasLeft = header.gasLimit - this.#gasUsed
    evm.trace(this.#tracer)
    const { message, result, isGasCapped } = await simulateCall(evm, call, { gasLeft, budget, validation })
    evm.trace(undefined)
    const { gasUsed, maxGasUsed, logs, logsBloom, failure } = result
    requester?.memory?.keep(CALL_BYTES + DATA_COPIES * result.returnData.length)
    this.#gasUsed += gasUsed
    const transaction = unsignedTransactionOf(call, message, rules)
    const receipt: ExecutionReceipt = {
      ...(rules.gteHardfork('byzantium')
        ? { status: failure === undefined ? 1 : 0 }
        : { stateRoot: state.computeRoot().root }),
      gasUsed,
      cumulativeGasUsed: this.#gasUsed,
      logsBloom,
      logs,
      effectiveGasPrice: message.gasPrice,
      ...(message.to === undefined && {
        contractAddress: generateAddress(message.from, minimalBytes(message.nonce)),
      }),
    }
    if (transaction.type === 3) {
      this.#blobGasUsed += BigInt(message.blobVersionedHashes?.length ?? 0) * GAS_PER_BLOB
    }
    const serialized = await encodeUnsigned(call, message, rules)
    rememberSerialized(transaction, serialized)
    const hash = await keccak256InSlices(serialized)
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
      outcome.requestsHash = hashRequests(await collectRequests(this.#evm, this.#logs(), depositContract))
    }
    return outcome
  }

  *#logs(): Iterable<ExecutionLog> {
    for (const { logs } of this.calls) yield* logs
  }
}

/** Limits of a call. */
export interface CallBounds {
  /** Gas left in the block. */
  gasLeft: bigint
  budget: GasBudget
  validation: boolean
}

/** An executed call. */
export interface ExecutedCall {
  message: Message
  result: MessageResult
  /** Whether the call got less gas than it requested. */
  isGasCapped: boolean
}

/**
 * Executes a call with its defaults filled in: the sender's next nonce, and the remaining gas (geth:
 * internal/ethapi/simulate.go, sanitizeCall).
 *
 * @throws SimulationError if it may not be executed; ChainError if it is inconsistent
 */
async function simulateCall(
  evm: PooledEvm,
  call: CallObject,
  { gasLeft, budget, validation }: CallBounds,
): Promise<ExecutedCall> {
  const gas = call.gas ?? gasLeft
  if (gas > gasLeft) {
    throw new SimulationError(
      'blockGasLimit',
      `block gas limit reached: remaining: ${gasLeft}, required: ${gas}`,
    )
  }
  const from = call.from ?? new Uint8Array(20)
  const stateNonce = (await evm.stateManager.getAccount(new Address(from)))?.nonce ?? 0n
  const nonce = call.nonce ?? stateNonce
  const message = messageFromCall(
    { ...call, nonce, gas },
    {
      chainId: evm.common.chainId(),
      baseFee: evm.block.header.baseFeePerGas,
      gasCap: budget.remaining,
    },
  )
  // EIP-2681 applies even if nonces are not checked.
  if (!validation && stateNonce === MAX_NONCE) {
    throw new SimulationError(
      'other',
      `nonce has max value: address ${checksumAddress(from)}, nonce: ${MAX_NONCE}`,
    )
  }
  const checks = { nonce: validation, transaction: false, baseFee: validation }
  try {
    const result = await runMessage(evm, message, checks)
    budget.spend(result.gasUsed)
    return { message, result, isGasCapped: message.gasLimit < gas }
  } catch (error) {
    if (!(error instanceof MessageRejectedError)) throw error
    throw new SimulationError(error.reason, `err: ${error.message} (supplied gas ${message.gasLimit})`)
  }
}

/** Approximate bytes of a call and its text in the answer, and how many times its return data is in them. */
const CALL_BYTES = 5000
const DATA_COPIES = 3

/** Approximate bytes of a log and of its text in the answer, and how many times its data is in them. */
const LOG_BYTES = 1000
const LOG_COPIES = 3
/** The address that emits the logs of ether transfers. */
const TRANSFER_ADDRESS = new Uint8Array(20).fill(0xee)
/** ERC-20: Transfer(address,address,uint256). */
const TRANSFER_TOPIC = hexToBytes('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/**
 * Collects the logs of a block's calls, and optionally ether transfers as logs (geth: internal/ethapi/logtracer.go).
 */
export class LogTracer implements ExecutionTracer {
  readonly #withTransfers: boolean
  readonly #memory: MemoryShare | undefined
  /** The logs of each open frame. */
  #frames: SimulatedLog[][] = []
  #logs: SimulatedLog[] = []
  #next = 0

  constructor({ withTransfers, memory }: { withTransfers: boolean; memory?: MemoryShare | undefined }) {
    this.#withTransfers = withTransfers
    this.#memory = memory
  }

  /** The logs of the last call. */
  get logs(): readonly SimulatedLog[] {
    return this.#logs
  }

  enter({ type, from, to, value = 0n }: FrameStart): void {
    this.#frames.push([])
    if (!this.#withTransfers || value === 0n || type === 'DELEGATECALL' || type === 'CALLCODE') return
    const topics = [TRANSFER_TOPIC, padAddress(from), padAddress(to)]
    this.log({ address: TRANSFER_ADDRESS, topics, data: bigintToBytes(value, 32) })
  }

  exit({ failure }: FrameEnd): void {
    const own = this.#frames.pop() ?? []
    const kept = failure === undefined ? own : []
    // These are the latest logs, so their indices become free again.
    if (failure !== undefined) this.#next -= own.length
    const parent = this.#frames.at(-1)
    if (parent === undefined) this.#logs = kept
    else for (const log of kept) parent.push(log)
  }

  log({ address, topics, data }: ExecutionLog): void {
    this.#memory?.keep(LOG_BYTES + LOG_COPIES * data.length)
    this.#frames.at(-1)?.push({ address, topics, data: data.slice(), index: this.#next++ })
  }
}

function padAddress(address: Uint8Array): Uint8Array {
  const topic = new Uint8Array(32)
  topic.set(address, 12)
  return topic
}

/** Gas shared by all calls of one simulation (geth: RPCGasCap). */
const SIMULATION_GAS = 50_000_000n

/** The remaining gas of a simulation. */
export class GasBudget {
  #remaining = SIMULATION_GAS

  get remaining(): bigint {
    return this.#remaining
  }

  /** Subtracts what a call used; a call never gets more than what is left. */
  spend(gas: bigint): void {
    this.#remaining -= gas
  }
}
