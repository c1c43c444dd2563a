// Imported, so that it keeps working when a test replaces the global timers.
import { setTimeout } from 'node:timers'
import { MemoryShare, requestBodies } from '../encoding/memoryShare.js'

/** Approximate bytes that a byte of JSON takes as bytes, text and values. */
const MEMORY_PER_BYTE = 4
/** Milliseconds without data after which a sender whose message holds memory is given up. */
const STALL_TIMEOUT = 10_000

/** Memory of one JSON body or message after another, from its first byte until it is answered. */
export class IncomingMemory {
  readonly #giveUp: () => void
  #share = new MemoryShare(requestBodies)
  /** Shares of received messages. */
  readonly #received = new Set<MemoryShare>()
  #stallTimer: NodeJS.Timeout | undefined

  /** @param giveUp - closes the connection if a message holds memory and does not go on */
  constructor(giveUp: () => void) {
    this.#giveUp = giveUp
  }

  /** Counts received bytes. @returns a promise to await before reading on, if others hold too much */
  receive(bytes: number): Promise<void> | undefined {
    clearTimeout(this.#stallTimer)
    const granted = this.#share.hold(MEMORY_PER_BYTE * bytes)
    if (granted === undefined) this.#watch()
    return granted?.then(() => this.#watch())
  }

  /** Ends a message. @returns a function to call once it is answered; undefined if it holds little memory */
  complete(): (() => void) | undefined {
    clearTimeout(this.#stallTimer)
    const share = this.#share
    if (share.granted === 0) {
      share.end()
      return undefined
    }
    this.#share = new MemoryShare(requestBodies)
    this.#received.add(share)
    return () => {
      this.#received.delete(share)
      share.end()
    }
  }

  /** Releases everything. Call this when the connection is gone. */
  end(): void {
    clearTimeout(this.#stallTimer)
    this.#share.end()
    for (const share of this.#received) share.end()
    this.#received.clear()
  }

  /** Waits for the next bytes. */
  #watch(): void {
    if (this.#share.granted > 0) this.#stallTimer = setTimeout(this.#giveUp, STALL_TIMEOUT)
  }
}
