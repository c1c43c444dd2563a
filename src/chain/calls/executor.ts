import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import { ChainError } from '../errors.js'
import { TrieStateView } from '../state/stateStore.js'
import { WorkingState } from '../state/workingState.js'
import type { HeaderFields, StateView } from '../types.js'
import type { BlockSelector, ChainView } from '../view.js'
import type { BlockOverrides, Requester } from '../vm/blockEnvironment.js'
import { type AccessListResult, createAccessList } from './accessList.js'
import { type Ancestry, type CallBaseFee, type CallRequest, call, callSiteOn } from './call.js'
import type { CallObject, ConsoleListener } from './callObject.js'
import { estimateGas } from './estimate.js'
import type { AccountOverride } from './overrides.js'

/** The part of a chain that an execution reads. */
export type ExecutionView = Pick<ChainView, 'stateAt' | 'rulesAt'> & Ancestry

/** A message to execute on a block of a view. */
export interface ExecutionRequest {
  view: ExecutionView
  /** The block whose state and header the message sees. */
  block: BlockSelector
  call: CallObject
  stateOverrides?: readonly AccountOverride[] | undefined
  blockOverrides?: BlockOverrides | undefined
  /** Maximum gas as a multiple of the block gas limit; 10 by default. */
  gasCapInBlocks?: number | undefined
  /** Name of a block override that only eth_simulateV1 supports; the call is rejected if set. */
  unsupportedOverride?: string | undefined
  /** Treatment of the base fee; `kept` by default. */
  baseFee?: CallBaseFee | undefined
  /** Whether to run a call that the sender cannot pay for. */
  unfunded?: boolean | undefined
  requester?: Requester | undefined
}

/** Options for all executions. */
export interface ExecutorOptions {
  /** Returns the gas limit of the pending block: the bound of an estimate on the head if the call sets no gas. */
  pendingGasLimit: () => bigint
  /** Bound of estimates on any block, instead of its gas limit. */
  estimateLimit?: bigint | undefined
  /**
   * Completes the fees of a call that sets some of them, as for a transaction (eth_createAccessList).
   *
   * @throws ChainError if they are inconsistent
   */
  completeFees: (header: HeaderFields) => Awaitable<(call: CallObject) => CallObject>
  /** Replaces {@link estimateGas}. */
  estimate?: typeof estimateGas | undefined
  /** Receives what contracts log to the console during calls, but not during estimates and access lists. */
  onConsole?: ConsoleListener | undefined
}

/** Executes messages without transactions: the calls, estimates and access lists of JSON-RPC. */
export class MessageExecutor {
  readonly #options: ExecutorOptions

  constructor(options: ExecutorOptions) {
    this.#options = options
  }

  /**
   * Returns the output of the message (eth_call).
   *
   * @throws ExecutionRevertedError, ExecutionFailedError, MessageRejectedError or ChainError, with geth's message
   */
  call(request: ExecutionRequest): Awaitable<Uint8Array> {
    return onSite(request, call, this.#options.onConsole)
  }

  /**
   * Returns the gas that the message needs (eth_estimateGas).
   *
   * @throws as {@link call} does
   */
  estimateGas(request: ExecutionRequest): Awaitable<bigint> {
    const { block, blockOverrides } = request
    const isNext = 'tag' in block && (block.tag === 'latest' || block.tag === 'pending')
    const { estimate = estimateGas, estimateLimit, pendingGasLimit } = this.#options
    return onSite(request, (located) => {
      const limit = estimateLimit ?? (isNext ? pendingGasLimit() : located.site.header.gasLimit)
      return estimate(located, blockOverrides?.gasLimit ?? limit)
    })
  }

  /**
   * Returns what the message touches (eth_createAccessList); a failure is part of the result.
   *
   * @throws InvalidCallError, MessageRejectedError or ChainError
   */
  createAccessList(request: ExecutionRequest): Awaitable<AccessListResult> {
    return onSite(request, (located) => {
      const { call, site } = located
      const fees = [call.gasPrice, call.maxFeePerGas, call.maxPriorityFeePerGas, call.maxFeePerBlobGas]
      if (fees.every((fee) => fee === undefined)) return createAccessList(located)
      return whenReady(this.#options.completeFees(site.header), (completeFees) =>
        createAccessList({ ...located, completeFees }),
      )
    })
  }
}

/** Runs a request on its block, with a private state. */
function onSite<T>(
  request: ExecutionRequest,
  use: (located: CallRequest) => Awaitable<T>,
  onConsole?: ConsoleListener,
): Awaitable<T> {
  const { view, block, call, stateOverrides, blockOverrides, gasCapInBlocks, baseFee, unfunded } = request
  return whenReady(view.stateAt(block), ({ header, rules, state: base }) => {
    const run = (state: WorkingState): Awaitable<T> =>
      use({
        site: callSiteOn(view, { header, rules, state }),
        call,
        stateOverrides,
        blockOverrides,
        unsupportedOverride: request.unsupportedOverride,
        onConsole,
        gasCapInBlocks,
        baseFee,
        unfunded,
        requester: request.requester,
      })
    return stateOverrides === undefined ? withCallState(base, run) : run(new WorkingState({ base }))
  })
}

/** A state that knows more accounts and slots than this is discarded. */
const MAX_KEPT_ENTRIES = 1000

/** An idle state without changes, which remembers what was read through its view. */
interface Idle {
  state: WorkingState | undefined
}

/** A view keeps its entry, because removing and re-adding one in a weak map costs time in V8's runtime. */
const idleStates = new WeakMap<TrieStateView, Idle>()

/**
 * Lends a state over a view to a call, and reverts the call's changes. The next call on the same view usually reads the
 * same accounts and slots, and finds them cached.
 *
 * Only views of stored roots always read the same; over any other view a call gets a fresh state. A state is discarded
 * after an unexpected error, and after any error within a frame, which leaves checkpoints open.
 *
 * @param use - must close its own checkpoints; single writes need none
 */
export function withCallState<T>(base: StateView, use: (state: WorkingState) => Awaitable<T>): Awaitable<T> {
  if (!(base instanceof TrieStateView)) return use(new WorkingState({ base }))
  const idle = idleOf(base)
  const state = idle.state ?? new WorkingState({ base })
  idle.state = undefined
  void state.checkpoint()
  let used: Awaitable<T>
  try {
    used = use(state)
  } catch (error) {
    if (error instanceof ChainError && state.openCheckpoints === 1) keep(idle, state)
    throw error
  }
  return whenReady(used, (result) => {
    keep(idle, state)
    return result
  })
}

function idleOf(view: TrieStateView): Idle {
  let idle = idleStates.get(view)
  if (idle === undefined) {
    idle = { state: undefined }
    idleStates.set(view, idle)
  }
  return idle
}

function keep(idle: Idle, state: WorkingState): void {
  void state.revert()
  state.forgetNewCodes()
  if (state.known <= MAX_KEPT_ENTRIES) idle.state = state
}
