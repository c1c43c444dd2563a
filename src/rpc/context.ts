import type { Subscriptions } from './subscriptions/sessionSubscriptions.js'

/** How a request reached the dispatcher. */
export type Transport = 'http' | 'websocket' | 'ipc' | 'in-process'

/** Where a request comes from. */
export interface RequestContext {
  transport: Transport
  /** What the door found out about the caller; means something to the gate alone. */
  caller?: object | undefined
  /** Set on connections that can be pushed to. */
  subscriptions?: Subscriptions | undefined
  /** Most items of a batch; the dispatcher's own limit unless given. */
  maxBatch?: number | undefined
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined
}
