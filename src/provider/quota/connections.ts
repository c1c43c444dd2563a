import { setImmediate } from 'node:timers'
import type { Caller } from '../caller.js'
import type { ApiKey } from '../keys/apiKey.js'
import { pendingSubscriptionCost, subscriptionBlockCosts } from './costs.js'

/** Close code for a connection that is ended because of what it costs (RFC 6455: policy violation). */
const policyViolation = 1008

const secondMilliseconds = 1000

/** The WebSockets that are open, for what they cost and for their end when credits are spent. */
export class ConnectionRegistry {
  readonly #callers = new Set<Caller>()
  readonly #charge: (key: ApiKey, credits: number) => void
  #seconds: NodeJS.Timeout | undefined

  constructor(charge: (key: ApiKey, credits: number) => void) {
    this.#charge = charge
  }

  get size(): number {
    return this.#callers.size
  }

  /** A connection is open. */
  add(caller: Caller): void {
    this.#callers.add(caller)
    this.#seconds ??= setInterval(() => this.#chargeSecond(), secondMilliseconds).unref()
  }

  /** A connection is gone. */
  remove(caller: Caller): void {
    this.#callers.delete(caller)
    if (this.#callers.size > 0) return
    clearInterval(this.#seconds)
    this.#seconds = undefined
  }

  /** Charges what subscriptions cost for a new block of a network. */
  chargeBlock(network: string): void {
    for (const caller of this.#callers) {
      if (caller.network !== network) continue
      this.#chargeCaller(caller, (kind) => subscriptionBlockCosts[kind] ?? 0)
    }
  }

  /** Ends the connections of a key, once the answers that are being written have been. */
  sever({ key }: ApiKey, reason = 'daily credit limit reached'): void {
    const severed = [...this.#callers].filter((caller) => caller.key?.key === key)
    setImmediate(() => {
      for (const { connection } of severed) connection?.close(policyViolation, reason)
    })
  }

  #chargeSecond(): void {
    for (const caller of this.#callers) {
      this.#chargeCaller(caller, (kind) => (kind === 'newPendingTransactions' ? pendingSubscriptionCost : 0))
    }
  }

  #chargeCaller({ key, subscriptions }: Caller, costOf: (kind: string) => number): void {
    if (key === undefined || subscriptions === undefined) return
    let credits = 0
    for (const kind of subscriptions.values()) credits += costOf(kind)
    if (credits > 0) this.#charge(key, credits)
  }
}
