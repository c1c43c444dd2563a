import type { StateManagerInterface } from '@ethereumjs/common'
import { Address } from '@ethereumjs/util'
import { bytesToHex } from '../../encoding/hex.js'
import { type Awaitable, Mutex, TimeSlice } from '../../encoding/timeSlice.js'
import type { StoredBlock } from '../block/record.js'
import {
  type CallRequest,
  type CallSite,
  callSiteOn,
  createCallSite,
  executeCall,
  withCall,
} from '../calls/call.js'
import type { AccountOverride } from '../calls/overrides.js'
import { ChainError, MessageRejectedError } from '../errors.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import type { BlockSelector, ChainView } from '../view.js'
import type { Requester } from '../vm/blockEnvironment.js'
import type { Message } from '../vm/message.js'
import { callChecks } from '../vm/preCheck.js'
import { type MessageResult, runMessage } from '../vm/runTransaction.js'
import { interruptible } from './budget.js'
import { type ExecutionWitness, witnessExecution } from './executionWitness.js'
import {
  type Replay,
  type ReplaySources,
  type ReplayTarget,
  type ReplayedBlock,
  gasTipOf,
  replayBlock,
} from './replay.js'
import type { ExecutionTracer, TracedState } from './tracer.js'

/** The transactions of a block to trace. */
export interface BlockTraceRequest {
  view: ChainView
  block: ReplayedBlock
  /** Index of the only transaction to trace; all if absent. */
  transactionIndex?: number
  /** Creates the tracer of a transaction just before its execution. */
  tracerFor(index: number): ExecutionTracer
  /** Called when a transaction has been traced; the next one waits for it. */
  traced(index: number): Awaitable<void>
  /** Whether every step is kept, so that the trace may fill an answer. Such traces run one at a time. */
  keepsSteps?: boolean
  requester?: Requester | undefined
}

/** A call with its terms: overrides, gas cap and fees. */
type TracedCall = Omit<CallRequest, 'site' | 'completeFees' | 'onConsole' | 'precompileOverrides'>

/** A call to trace. */
export interface CallTraceRequest extends TracedCall {
  view: ChainView
  /** Selects the state and the block that the call runs on. */
  at: BlockSelector
  /** Runs the call in place of a transaction of a block instead. */
  within?: { block: StoredBlock; transactionIndex: bigint } | undefined
  /** Creates the tracer, once the state is available and the call's fees are checked. */
  tracerFor(): ExecutionTracer
  /** As in {@link BlockTraceRequest}. */
  keepsSteps?: boolean
}

/** A sequence of calls to trace. */
export interface CallSequenceRequest {
  view: ChainView
  /** Selects the state and the block that the first call runs on. */
  at: BlockSelector
  /** Number of calls. */
  count: number
  /** Returns a call by index, with its tracer, when its turn has come. */
  callAt(index: number): TracedCall & { tracer: ExecutionTracer }
  /** Called when a call has been traced; the next one waits for it. */
  traced(index: number): Awaitable<void>
}

/** Traces past transactions and hypothetical calls (geth: eth/tracers/api.go). */
export class HistoryTracer {
  readonly #sources: ReplaySources
  readonly #mutex = new Mutex()

  constructor(sources: ReplaySources) {
    this.#sources = sources
  }

  /**
   * Re-executes a block up to the last traced transaction.
   *
   * @throws ChainError for the first block, and if a trace exceeds its limits
   */
  async traceBlock(request: BlockTraceRequest): Promise<void> {
    const { transactionIndex, tracerFor, traced } = request
    requireParent(request)
    await this.#run(request, () =>
      replayBlock(this.#sources, request, async (replay) => {
        const last = transactionIndex ?? replay.length - 1
        for (let index = 0; index <= last; index++) {
          if (transactionIndex !== undefined && index !== transactionIndex) {
            await replay.next()
            continue
          }
          await replay.next(tracerFor(index))
          await traced(index)
        }
      }),
    )
  }

  /**
   * Executes and traces a call; a failure is part of the trace.
   *
   * @throws ChainError if it may not be executed
   */
  async traceCall(request: CallTraceRequest): Promise<void> {
    const { view, at, within } = request
    await this.#run(request, async () => {
      if (within !== undefined) return this.#traceWithin(request, within)
      return traceOn(createCallSite(view, await view.stateAt(at)), request)
    })
  }

  /**
   * Executes and traces a sequence of calls, each on the state of the previous one.
   *
   * @throws ChainError if one of them may not be executed
   */
  async traceCalls({ view, at, count, callAt, traced }: CallSequenceRequest): Promise<void> {
    await interruptible(async () => {
      const site = createCallSite(view, await view.stateAt(at))
      const slice = new TimeSlice()
      for (let index = 0; index < count; index++) {
        await slice.pause()
        const { tracer, ...call } = callAt(index)
        await traceOn(site, { ...call, tracerFor: () => tracer })
        await traced(index)
      }
    })
  }

  /**
   * Returns the state root after each transaction of a block (geth: eth/tracers/api.go, IntermediateRoots).
   *
   * @throws ChainError for the first block
   */
  async intermediateRoots(
    request: Pick<BlockTraceRequest, 'view' | 'block' | 'requester'>,
  ): Promise<Uint8Array[]> {
    requireParent(request)
    return replayBlock(this.#sources, request, async (replay) => {
      const roots: Uint8Array[] = []
      const slice = new TimeSlice()
      for (let index = 0; index < replay.length; index++) {
        await replay.next()
        roots.push((await replay.state.computeRootInSlices(slice)).root)
      }
      return roots
    })
  }

  /**
   * Collects what executing a block reads of the state and the chain before it.
   *
   * @throws ChainError if the block has no parent
   */
  async executionWitness(
    request: Pick<ReplayTarget, 'view' | 'block' | 'requester' | 'depositContract'>,
  ): Promise<ExecutionWitness> {
    return interruptible(() => witnessExecution(this.#sources, request))
  }

  #run({ keepsSteps = false }: { keepsSteps?: boolean }, work: () => Promise<void>): Promise<void> {
    return keepsSteps ? this.#mutex.run(() => interruptible(work)) : interruptible(work)
  }

  /** As in geth, index 0 of an empty block means the state at its start (eth/state_accessor.go, stateAtTransaction). */
  #traceWithin(
    request: CallTraceRequest,
    { block, transactionIndex }: NonNullable<CallTraceRequest['within']>,
  ): Promise<void> {
    const { view, requester } = request
    const { header, transactions } = block
    if (header.number === 0n) throw new ChainError('no transaction in genesis')
    if (transactionIndex < 0n || transactionIndex >= Math.max(transactions.length, 1)) {
      throw new ChainError(
        `transaction index ${transactionIndex} out of range for block ${bytesToHex(block.hash)}`,
      )
    }
    return replayBlock(this.#sources, { view, block, requester }, async (replay) => {
      for (let index = 0; index < transactionIndex; index++) await replay.next()
      return traceOn(siteWithin(view, block, replay), request)
    })
  }
}

function requireParent({ view, block }: Pick<BlockTraceRequest, 'view' | 'block'>): void {
  if (view.blockByHash(block.header.parentHash) === undefined)
    throw new ChainError('genesis is not traceable')
}

async function traceOn(
  site: CallSite,
  { tracerFor, ...call }: TracedCall & Pick<CallTraceRequest, 'tracerFor'>,
): Promise<void> {
  await withCall({ ...call, site }, async (evm, message) => {
    await traceMessage(evm, message, tracerFor()).catch((error: unknown) => {
      if (!(error instanceof MessageRejectedError)) throw error
      throw new MessageRejectedError(`tracing failed: ${error.message}`)
    })
  })
}

async function traceMessage(evm: PooledEvm, message: Message, tracer: ExecutionTracer): Promise<void> {
  const { from, to, gasLimit, authorizationList: authorizations = [] } = message
  const { number: blockNumber, coinbase } = evm.block.header
  await tracer.begin?.({
    from,
    to,
    gasLimit,
    gasTip: gasTipOf(message, evm.block),
    blockNumber,
    authorizations,
    coinbase: coinbase.bytes,
    state: stateReader(evm.stateManager),
    firstLogIndex: 0,
    precompiles: new Set(evm.forkPrecompiles),
  })
  // geth rejects a faulty tracer before it checks the message.
  if (tracer.failure !== undefined) return
  evm.trace(tracer)
  const { gasUsed } = await runMessage(evm, message, callChecks)
  evm.trace(undefined)
  await tracer.end?.(gasUsed)
}

/** A call of a sequence, and its block. */
export type SequencedCall = Pick<
  CallRequest,
  'call' | 'blockOverrides' | 'gasCapInBlocks' | 'baseFee' | 'unfunded' | 'requester'
>

/** A sequence of calls, each on the state of the previous one. */
export interface SequenceRequest {
  view: ChainView
  /** Where the first call runs: after all transactions of a block, or after the first few. */
  position: { after: BlockSelector } | { within: StoredBlock; transactions: number }
  /** Applied before the first call, and so visible to all. */
  stateOverrides?: readonly AccountOverride[] | undefined
  /** Asked for each call when its turn has come. */
  calls: Iterable<SequencedCall>
  /** Receives each result; a failure is part of it. The next call waits for it. */
  ran(result: MessageResult): Awaitable<void>
  requester?: Requester | undefined
}

/** Runs calls on one temporary state (eth_callMany). */
export class CallSequence {
  readonly #sources: ReplaySources

  constructor(sources: ReplaySources) {
    this.#sources = sources
  }

  /**
   * Runs the calls one after another.
   *
   * @throws ChainError if a call may not be executed, the block has fewer transactions, or the results exceed a limit
   */
  run(request: SequenceRequest): Promise<void> {
    return interruptible(() => this.#run(request))
  }

  async #run(request: SequenceRequest): Promise<void> {
    const { view, position, requester } = request
    if ('after' in position) return runOn(createCallSite(view, await view.stateAt(position.after)), request)
    const { within: block, transactions } = position
    if (transactions > block.transactions.length) {
      throw new ChainError(`transaction index ${transactions} out of range for block ${block.header.number}`)
    }
    return replayBlock(this.#sources, { view, block, requester }, async (replay) => {
      for (let index = 0; index < transactions; index++) await replay.next()
      return runOn(siteWithin(view, block, replay), request)
    })
  }
}

/** Creates the site of a call in place of a transaction of a block, after those that were executed again. */
function siteWithin(view: ChainView, { header }: StoredBlock, { state }: Replay): CallSite {
  return callSiteOn(view, { header, rules: view.rulesAt(header), state })
}

async function runOn(
  site: CallSite,
  { calls, stateOverrides, ran, requester }: Omit<SequenceRequest, 'view' | 'position'>,
): Promise<void> {
  const slice = new TimeSlice(requester?.signal)
  let overrides: Pick<SequenceRequest, 'stateOverrides'> = { stateOverrides }
  for (const call of calls) {
    await slice.pause()
    const result = await withCall({ site, ...call, ...overrides }, executeCall)
    await ran({ ...result, returnData: result.returnData.slice() })
    overrides = {}
  }
}

/** Creates a reader of a state manager's current state. */
function stateReader(state: StateManagerInterface): TracedState {
  return {
    readAccount: (address) => state.getAccount(new Address(address)),
    readCode: (address) => state.getCode(new Address(address)),
    readStorage: (address, slot) => state.getStorage(new Address(address), slot),
  }
}
