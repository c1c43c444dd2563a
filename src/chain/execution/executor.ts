import { whenReady } from '../state/whenReady.js'
import type { Awaitable } from '../types.js'
import type { BlockSelector, ChainView } from '../view.js'
import { createAccessList, type AccessListResult } from './accessList.js'
import type { BlockOverrides } from './blockEnvironment.js'
import { call, type CallRequest } from './call.js'
import type { CallObject } from './callObject.js'
import { createCallSite, type Ancestry } from './callSite.js'
import { estimateGas } from './estimate.js'
import type { AccountOverride } from './overrides.js'
import type { ConsoleListener } from './pooledEvm.js'

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
    const { onConsole } = this.#options
    return whenReady(locate(request), (located) => call({ ...located, onConsole }))
  }

  /**
   * The gas that the message needs (eth_estimateGas).
   *
   * @throws as {@link call} does
   */
  estimateGas(request: ExecutionRequest): Awaitable<bigint> {
    return whenReady(locate(request), (located) =>
      estimateGas({ ...located, blockGasLimit: this.#options.pendingGasLimit() }),
    )
  }

  /**
   * What the message touches (eth_createAccessList); how it failed is part of the outcome.
   *
   * @throws InvalidCallError, MessageRejectedError or ChainError.
   */
  createAccessList(request: ExecutionRequest): Awaitable<AccessListResult> {
    return whenReady(locate(request), createAccessList)
  }
}

function locate(request: ExecutionRequest): Awaitable<CallRequest> {
  const { view, block, call, stateOverrides, blockOverrides, gasCapInBlocks, belowBaseFee, unfunded } =
    request
  return whenReady(view.stateAt(block), (found) => ({
    site: createCallSite(view, found),
    call,
    stateOverrides,
    blockOverrides,
    gasCapInBlocks,
    belowBaseFee,
    unfunded,
  }))
}
