import type { ChainView } from '../chain/view.js'
import type { MemoryShare } from '../encoding/memoryShare.js'
import type { Awaitable } from '../encoding/timeSlice.js'
import type { RpcSettings } from './backend.js'
import type { RpcError } from './errors.js'
import type { Result } from './method.js'
import type { Subscriptions } from './session.js'
import type { WirePiece } from './wire.js'

/** A call as the call policy sees it, before its arguments are decoded. */
export interface PolicyCall {
  method: string
  /** Raw parameters, not yet decoded. */
  params: unknown
  /** Source JSON text; undefined in a batch and in process. */
  text: string | undefined
  /** Whether the call is part of a batch. */
  batched: boolean
  /** Characters of the call's own text; 0 in process. */
  length: number
  context: RequestContext
}

/** Outcome of a call. */
export interface CallOutcome {
  /** Undefined if the call succeeded. */
  error: RpcError | undefined
  /** In wire form; undefined if the call failed. */
  result: readonly WirePiece[] | undefined
  /** Bytes of the result or the error object. */
  bytes: number
  milliseconds: number
}

/** An admitted call. */
export interface CallRecord {
  /** View to use instead of the chain itself. */
  view?: ChainView | undefined
  /** Overrides of the node's limits and choices. */
  settings?: Partial<RpcSettings> | undefined
  /** Answers in place of the method. @throws RpcError */
  answer?: (() => Promise<Result>) | undefined
  /** Called once, when the call has ended. */
  done?(outcome: CallOutcome): void
}

/** The start of a batch, for charges and refusals that apply to it as a whole. */
export interface BatchInfo {
  size: number
  context: RequestContext
}

/** A body that is not JSON. */
export interface MalformedBody {
  context: RequestContext
  /** The error that answers it. */
  error: RpcError
}

/**
 * Runs before each call: allowlists, quotas, faults, the journal.
 *
 * Declared here and implemented by the provider. Without a policy, calls go straight to their methods.
 */
export interface CallPolicy {
  /**
   * Admits a call, immediately or after a delay.
   *
   * @throws RpcError if the call is refused
   */
  enter(call: PolicyCall): Awaitable<CallRecord>
  /** Called before the calls of a batch enter one by one. */
  batch?(batch: BatchInfo): void
  /** Called with a body that is not JSON and so contains no calls. */
  malformed?(body: MalformedBody): void
}

/** How a request reached the pipeline. */
export type Transport = 'http' | 'websocket' | 'ipc' | 'in-process'

/** Origin of a request. */
export interface RequestContext {
  transport: Transport
  /** What admission learned about the caller; read only by the call policy. */
  caller?: object | undefined
  /** Whether the path lacks `v3`, like that of a self-hosted node; the pending block is then geth's. */
  isPlainPath?: boolean | undefined
  /** Set on connections that support push. */
  subscriptions?: Subscriptions | undefined
  /** Maximum batch size; the pipeline's own limit by default. */
  maxBatch?: number | undefined
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined
  /** What the request holds in memory; not counted if undefined. */
  memory?: MemoryShare | undefined
}
