import { whenReady } from '../state/whenReady.js'
import { WorkingState } from '../state/workingState.js'
import type { Awaitable } from '../types.js'
import type { BlockSelector, ChainView } from '../view.js'
import { createAccessList, type AccessListResult } from './accessList.js'
import type { BlockOverrides } from './blockEnvironment.js'
import { call, type CallRequest } from './call.js'
import type { CallObject } from './callObject.js'
import { siteOn, type Ancestry } from './callSite.js'
import { withCallState } from './callState.js'
import type { ConsoleListener } from './console.js'
import { estimateGas } from './estimate.js'
import type { AccountOverride } from './overrides.js'

/** The parts of a chain that an execution looks at. */
export type ExecutionView = Pick<ChainView, 'stateAt'> & Ancestry

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
  /** Whether the call runs although its fee cap is below the base fee. */
  belowBaseFee?: boolean | undefined
  /** Whether the call runs although its sender cannot pay for it. */
  unfunded?: boolean | undefined
}

/** What decides about executions besides their request. */
export interface ExecutorOptions {
  /** The gas limit of the pending block: the bound of an estimate whose call names no gas. */
  pendingGasLimit: () => bigint
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
    return onSite(request, (located) => estimateGas(located, this.#options.pendingGasLimit()))
  }

  /**
   * What the message touches (eth_createAccessList); how it failed is part of the outcome.
   *
   * @throws InvalidCallError, MessageRejectedError or ChainError.
   */
  createAccessList(request: ExecutionRequest): Awaitable<AccessListResult> {
    return onSite(request, createAccessList)
  }
}

/** Runs a request where it wants to be run, on a state that nobody else works on. */
function onSite<T>(
  request: ExecutionRequest,
  use: (located: CallRequest) => Awaitable<T>,
  onConsole?: ConsoleListener,
): Awaitable<T> {
  const { view, block, call, stateOverrides, blockOverrides, gasCapInBlocks, belowBaseFee, unfunded } =
    request
  return whenReady(view.stateAt(block), ({ header, rules, state: base }) => {
    const run = (state: WorkingState): Awaitable<T> =>
      use({
        site: siteOn(view, { header, rules, state }),
        call,
        stateOverrides,
        blockOverrides,
        onConsole,
        gasCapInBlocks,
        belowBaseFee,
        unfunded,
      })
    return stateOverrides === undefined ? withCallState(base, run) : run(new WorkingState({ base }))
  })
}
