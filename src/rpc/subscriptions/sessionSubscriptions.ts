import { randomId } from './randomId.js'
import type { WirePiece } from '../wire.js'
import { joinPieces } from '../wire.js'

/** What pushes go out on; see Connection. */
interface PushTarget {
  push(message: Uint8Array): void
  readonly bufferedBytes: number
  close(reason: string): void
}

/** Gives one subscription's payloads to `push`. @returns a function that ends it */
export type Feed = (push: (payload: readonly WirePiece[]) => void) => () => void

/** Where methods open and close subscriptions. */
export interface Subscriptions {
  /** @returns the id */
  open(feed: Feed): string
  /** @returns false if the connection has no subscription of this id */
  close(id: string): boolean
}

/** Bytes that may wait for a subscriber before it is cut off. */
export const maxWaitingBytes = 32 * 1024 * 1024

interface Subscription {
  end: () => void
  /** Payloads that wait for the answer with the id; undefined once it has been sent. */
  held: (readonly WirePiece[])[] | undefined
}

/** The subscriptions of one connection. */
export class SessionSubscriptions {
  readonly #target: PushTarget
  readonly #open = new Map<string, Subscription>()
  #isClosed = false

  constructor(target: PushTarget) {
    this.#target = target
  }

  /** Subscriptions that are opened while one message is handled: they are held until `release`. */
  forMessage(): Subscriptions & { release(): void } {
    let opened: string[] | undefined
    return {
      open: (feed) => {
        const id = this.#start(feed)
        ;(opened ??= []).push(id)
        return id
      },
      close: (id) => this.#end(id),
      release: () => opened?.forEach((id) => this.#release(id)),
    }
  }

  /** Ends all of them, for good: messages may still be on their way to a subscription when their connection is gone. */
  close(): void {
    this.#isClosed = true
    for (const id of [...this.#open.keys()]) this.#end(id)
  }

  #start(feed: Feed): string {
    const id = randomId()
    if (this.#isClosed) return id
    const subscription: Subscription = { end: () => undefined, held: [] }
    this.#open.set(id, subscription)
    subscription.end = feed((payload) => {
      if (subscription.held !== undefined) subscription.held.push(payload)
      else this.#push(id, payload)
    })
    return id
  }

  #release(id: string): void {
    const subscription = this.#open.get(id)
    const held = subscription?.held ?? []
    if (subscription !== undefined) subscription.held = undefined
    for (const payload of held) this.#push(id, payload)
  }

  #end(id: string): boolean {
    this.#open.get(id)?.end()
    return this.#open.delete(id)
  }

  #push(id: string, payload: readonly WirePiece[]): void {
    if (!this.#open.has(id)) return
    if (this.#target.bufferedBytes > maxWaitingBytes) {
      this.close()
      this.#target.close('too slow for its subscriptions')
      return
    }
    const head = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`
    this.#target.push(joinPieces([head, ...payload, '}}']))
  }
}
