import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import { ChainError } from '../errors.js'
import { TrieStateView } from '../state/stateStore.js'
import { WorkingState } from '../state/workingState.js'
import type { HeaderFields, StateView } from '../types.js'
import type { BlockSelector, ChainView } from '../view.js'
import type { BlockOverrides } from '../vm/blockEnvironment.js'
import { type AccessListResult, createAccessList } from './accessList.js'
import { type Ancestry, type CallBaseFee, type CallRequest, call, siteOn } from './call.js'
import type { CallObject, ConsoleListener } from './callObject.js'
import { estimateGas } from './estimate.js'
import type { AccountOverride } from './overrides.js'

/** The parts of a chain that an execution looks at. */
export type ExecutionView = Pick<ChainView, 'stateAt' | 'rulesAt'> & Ancestry

/** A message to execute on a block of a view. */
export interface ExecutionRequest {
  view: ExecutionView
  /** The block whose state and header the message sees. */
  block: BlockSelector
  call: CallObject
  stateOverrides?: readonly AccountOverride[] | undefined
  blockOverrides?: BlockOverrides | undefined
  /** The most gas, as a multiple of the block's gas limit; 10 unless given. */
  gasCapInBlocks?: number | undefined
  /** A block override that only eth_simulateV1 can do; named, it is refused. */
  unsupportedOverride?: string | undefined
  /** The base fee of the block that the call runs in; kept unless given. */
  baseFee?: CallBaseFee | undefined
  /** Whether the call runs although its sender cannot pay for it. */
  unfunded?: boolean | undefined
}

/** What decides about executions besides their request. */
export interface ExecutorOptions {
  /** The gas limit of the pending block: the bound of an estimate on the head whose call names no gas. */
  pendingGasLimit: () => bigint
  /**
   * Completes the fees of a call that names some of them, as for a transaction (eth_createAccessList).
   *
   * @throws ChainError if they do not go together
   */
  completeFees: (call: CallObject, header: HeaderFields) => CallObject
  /** Estimates in place of {@link estimateGas}. */
  estimate?: typeof estimateGas | undefined
  /** Sees what contracts give to the console in calls; estimates and access lists are not listened to. */
  onConsole?: ConsoleListener | undefined
}

/** Executes messages without transactions: the calls, estimates and access lists of JSON-RPC. */
export class MessageExecutor {
  readonly #options: ExecutorOptions

  constructor(options: ExecutorOptions) {
    this.#options = options
  }

  /**
   * What the message returns (eth_call).
   *
   * @throws ExecutionRevertedError, ExecutionFailedError, MessageRejectedError or ChainError, in geth's words.
   */
  call(request: ExecutionRequest): Awaitable<Uint8Array> {
    return onSite(request, call, this.#options.onConsole)
  }

  /**
   * The gas that the message needs (eth_estimateGas).
   *
   * @throws as {@link call} does
   */
  estimateGas(request: ExecutionRequest): Awaitable<bigint> {
    const { block, blockOverrides } = request
    const isNext = 'tag' in block && (block.tag === 'latest' || block.tag === 'pending')
    const { estimate = estimateGas } = this.#options
    return onSite(request, (located) => {
      const limit = isNext ? this.#options.pendingGasLimit() : located.site.header.gasLimit
      return estimate(located, blockOverrides?.gasLimit ?? limit)
    })
  }

  /**
   * What the message touches (eth_createAccessList); how it failed is part of the outcome.
   *
   * @throws InvalidCallError, MessageRejectedError or ChainError.
   */
  createAccessList(request: ExecutionRequest): Awaitable<AccessListResult> {
    return onSite(request, (located) => {
      const { call, site } = located
      const fees = [call.gasPrice, call.maxFeePerGas, call.maxPriorityFeePerGas, call.maxFeePerBlobGas]
      if (fees.every((fee) => fee === undefined)) return createAccessList(located)
      const completeFees = (given: CallObject): CallObject => this.#options.completeFees(given, site.header)
      return createAccessList({ ...located, completeFees })
    })
  }
}

/** Runs a request where it wants to be run, on a state of its own. */
function onSite<T>(
  request: ExecutionRequest,
  use: (located: CallRequest) => Awaitable<T>,
  onConsole?: ConsoleListener,
): Awaitable<T> {
  const { view, block, call, stateOverrides, blockOverrides, gasCapInBlocks, baseFee, unfunded } = request
  return whenReady(view.stateAt(block), ({ header, rules, state: base }) => {
    const run = (state: WorkingState): Awaitable<T> =>
      use({
        site: siteOn(view, { header, rules, state }),
        call,
        stateOverrides,
        blockOverrides,
        unsupportedOverride: request.unsupportedOverride,
        onConsole,
        gasCapInBlocks,
        baseFee,
        unfunded,
      })
    return stateOverrides === undefined ? withCallState(base, run) : run(new WorkingState({ base }))
  })
}

/** When a state knows more accounts and slots than this, it is not kept. */
const MOST_KEPT_ENTRIES = 1000

/** A state that knows what was read through its view and has no changes, until the next call takes it. */
interface Idle {
  state: WorkingState | undefined
}

/** A view keeps its place: taking out an entry of a weak map and setting it again is work for V8's runtime. */
const idleStates = new WeakMap<TrieStateView, Idle>()

/**
 * Lends a state over a view to a call, and takes back what the call changed. The next call on the same view mostly asks
 * for the same accounts and slots, and finds them there.
 *
 * Only the views of stored roots always read the same; over any other view a call has a state of its own. A state is not
 * lent again after an unexpected error, nor after any error in the middle of a frame, which leaves checkpoints open.
 *
 * @param use - changes the state within checkpoints that it closes, or by single writes
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
  if (state.known <= MOST_KEPT_ENTRIES) idle.state = state
}
