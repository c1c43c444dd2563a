import { setTimeout } from 'node:timers'
import { nextTurn } from './timeSlice.js'

// The imported function keeps working when a test replaces the global timers.

/** Bytes that every request may hold without asking. */
const FREE_BYTES = 1024 * 1024
/** Bytes that all requests together may hold beyond that. */
const SHARED_BYTES = 256 * 1024 * 1024
/** Bytes are granted in multiples of this. */
const STEP_BYTES = 1024 * 1024
/** Milliseconds after which the next claim is granted although no memory was released: a holder may wait for others. */
const PATIENCE = 1000

/** A claim that waits. */
interface Claim {
  share: MemoryShare
  bytes: number
  proceed: () => void
}

/** Granted bytes of all shares. */
let granted = 0
/** Shares with granted bytes, oldest first. */
const holders = new Set<MemoryShare>()
let claims: Claim[] = []
let timer: NodeJS.Timeout | undefined

/**
 * What one request holds in memory: executions, traces, and answers until they are sent. Small requests never wait;
 * the others do while all together hold too much. The oldest holder never waits, so that some request always ends.
 */
export class MemoryShare {
  #kept = 0
  #granted = 0

  /** Counts bytes that stay until the request ends. */
  keep(bytes: number): void {
    this.#kept += bytes
  }

  /** Counts bytes like {@link keep}. @returns a promise to await before they are made if others hold too much */
  hold(bytes: number): Promise<void> | undefined {
    this.keep(bytes)
    return this.claim()
  }

  /**
   * Claims memory for work in progress, besides the bytes kept so far.
   *
   * @returns a promise to await if others hold too much
   */
  claim(bytes = 0): Promise<void> | undefined {
    const more = Math.ceil((this.#kept + bytes - FREE_BYTES) / STEP_BYTES) * STEP_BYTES - this.#granted
    if (more <= 0) return undefined
    if (this.#mayTake(more)) {
      this.#take(more)
      return undefined
    }
    const granted = new Promise<void>((proceed) => {
      claims.push({ share: this, bytes: more, proceed })
      timer ??= setTimeout(grantNext, PATIENCE)
    })
    // One release may grant many claims.
    return granted.then(nextTurn)
  }

  /** Releases everything. Call this when the answer is sent, or nobody waits for it any more. */
  end(): void {
    this.#kept = 0
    if (this.#granted === 0) return
    granted -= this.#granted
    this.#granted = 0
    holders.delete(this)
    grantClaims()
  }

  #mayTake(bytes: number): boolean {
    const [oldest = this] = holders
    return granted + bytes <= SHARED_BYTES || oldest === this
  }

  #take(bytes: number): void {
    granted += bytes
    this.#granted += bytes
    holders.add(this)
  }

  /** Grants a claim that waited, if there is room or `always`. */
  grant({ bytes, proceed }: Claim, always = false): boolean {
    if (!always && !this.#mayTake(bytes)) return false
    this.#take(bytes)
    proceed()
    return true
  }
}

/** Grants the claims for which there is room, those of holders first. */
function grantClaims(): void {
  const waiting = claims
  claims = []
  const isHolder = ({ share }: Claim): boolean => holders.has(share)
  const sorted = [...waiting.filter(isHolder), ...waiting.filter((claim) => !isHolder(claim))]
  claims = sorted.filter((claim) => !claim.share.grant(claim))
  clearTimeout(timer)
  timer = claims.length === 0 ? undefined : setTimeout(grantNext, PATIENCE)
}

/** Grants the next claim, whether there is room or not. */
function grantNext(): void {
  const next = claims.shift()
  next?.share.grant(next, true)
  timer = claims.length === 0 ? undefined : setTimeout(grantNext, PATIENCE)
}
