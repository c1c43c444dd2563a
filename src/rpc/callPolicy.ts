import type { ChainView } from '../chain/view.js'
import type { RpcSettings } from './backend.js'
import type { RpcError } from './errors.js'
import type { Result } from './method.js'
import type { Subscriptions } from './session.js'
import type { WirePiece } from './wire.js'

/** One call as the call policy sees it, before its arguments are decoded. */
export interface PolicyCall {
  method: string
  /** As they came, undecoded. */
  params: unknown
  /** The JSON text that the call was read from; undefined in a batch and in process. */
  text: string | undefined
  /** Whether the call stands in a batch. */
  batched: boolean
  /** Whether the call's own text is longer than 256 KB. */
  isLarge: boolean
  context: RequestContext
}

/** How a call ended. */
export interface CallOutcome {
  /** Undefined if the call succeeded. */
  error: RpcError | undefined
  /** In wire form; undefined if the call failed. */
  result: readonly WirePiece[] | undefined
  /** Bytes of the result, or of the error object. */
  bytes: number
  milliseconds: number
}

/** A call that the call policy let through. */
export interface CallRecord {
  /** What the method reads the chain through instead of the chain itself. */
  view?: ChainView | undefined
  /** Limits and choices that stand in place of the node's. */
  settings?: Partial<RpcSettings> | undefined
  /** Answers in place of the method. @throws RpcError */
  answer?: (() => Promise<Result>) | undefined
  /** Told once, when the call has ended. */
  done?(outcome: CallOutcome): void
}

/** The start of a batch, for what is charged or refused once for all its calls. */
export interface BatchInfo {
  size: number
  context: RequestContext
}

/** A body that is no JSON. */
export interface MalformedBody {
  context: RequestContext
  /** How it is answered. */
  error: RpcError
}

/**
 * What stands before each single call: allowlists, quotas, faults, the journal.
 *
 * Declared here and implemented by the provider. Without a policy, calls go straight to their methods.
 */
export interface CallPolicy {
  /**
   * Lets a call through, at once or after a delay.
   *
   * @throws RpcError if the call is refused.
   */
  enter(call: PolicyCall): CallRecord | Promise<CallRecord>
  /** Told before the calls of a batch enter one by one. */
  batch?(batch: BatchInfo): void
  /** Told of a body that is no JSON, and so has no calls. */
  malformed?(body: MalformedBody): void
}

/** How a request reached the pipeline. */
export type Transport = 'http' | 'websocket' | 'ipc' | 'in-process'

/** Where a request comes from. */
export interface RequestContext {
  transport: Transport
  /** What admission found out about the caller; only the call policy reads it. */
  caller?: object | undefined
  /** Whether the request came on a path without `v3`, as to a node of one's own: its pending block is geth's. */
  isPlainPath?: boolean | undefined
  /** Set on connections that can be pushed to. */
  subscriptions?: Subscriptions | undefined
  /** Most items of a batch; the pipeline's own limit unless given. */
  maxBatch?: number | undefined
  /** Aborted when the client is gone. */
  signal?: AbortSignal | undefined
}
