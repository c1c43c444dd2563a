import type { Caller } from '../provider/caller.js'
import type { RequestContext } from '../rpc/context.js'
import type { RpcExchange } from './rpcExchange.js'

/** Where a request over HTTP comes from. */
export class HttpContext implements RequestContext {
  readonly transport = 'http'
  readonly caller: Caller
  readonly exchange: RpcExchange
  readonly maxBatch: number | undefined
  #controller: AbortController | undefined

  constructor(caller: Caller, exchange: RpcExchange, maxBatch: number | undefined) {
    this.caller = caller
    this.exchange = exchange
    this.maxBatch = maxBatch
  }

  /** Made when it is first asked for: most methods answer at once and never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      // An abort makes an error with its stack, which an answered request does without.
      this.exchange.onAbandoned(() => controller.abort())
      this.#controller = controller
    }
    return this.#controller.signal
  }
}
