// Imported, so that it keeps working when a test replaces the global timers.
import { setTimeout } from 'node:timers'
import { nextTurn } from './timeSlice.js'

/** Bytes that every share may hold without asking. */
const FREE_BYTES = 1024 * 1024
/** Bytes are granted in multiples of this. */
const STEP_BYTES = 1024 * 1024
/** Default patience of a pool, in milliseconds. */
const PATIENCE = 1000

/** A waiting claim. */
interface Claim {
  share: MemoryShare
  bytes: number
  proceed: () => void
}

/**
 * Memory for work of one kind. Small requests never wait; the others do while all together hold too much. The oldest
 * holder never waits, so that some request always ends.
 */
export class MemoryPool {
  readonly #bytes: number
  readonly #patience: number
  /** Granted bytes of all shares. */
  #granted = 0
  /** Shares with granted bytes, oldest first. */
  readonly #holders = new Set<MemoryShare>()
  #claims: Claim[] = []
  #timer: NodeJS.Timeout | undefined

  /**
   * @param bytes - what all shares together may hold beyond what each may hold without asking
   * @param options.patience - milliseconds after which the next claim is granted although no memory was released,
   *   because a holder may wait for others
   */
  constructor(bytes: number, { patience = PATIENCE } = {}) {
    this.#bytes = bytes
    this.#patience = patience
  }

  /** Grants bytes to a share. @returns a promise to await if there is no room */
  claim(share: MemoryShare, bytes: number): Promise<void> | undefined {
    if (this.#hasRoom(share, bytes)) {
      this.#grant(share, bytes)
      return undefined
    }
    const granted = new Promise<void>((proceed) => {
      this.#claims.push({ share, bytes, proceed })
      this.#timer ??= setTimeout(this.#grantNext, this.#patience)
    })
    // One release may grant many claims.
    return granted.then(nextTurn)
  }

  /** Ends a share: takes back what it was granted, and grants the claims for which there is room now. */
  release(share: MemoryShare): void {
    if (share.granted === 0 && this.#claims.every((claim) => claim.share !== share)) return
    if (this.#holders.delete(share)) this.#granted -= share.granted
    share.granted = 0
    const [waiting, ended] = partition(this.#claims, (claim) => claim.share !== share)
    for (const { proceed } of ended) proceed()
    // Claims of holders come first, so that holders end soon.
    const isHolder = (claim: Claim): boolean => this.#holders.has(claim.share)
    this.#claims = partition(waiting, isHolder)
      .flat()
      .filter((claim) => {
        if (!this.#hasRoom(claim.share, claim.bytes)) return true
        this.#proceed(claim)
        return false
      })
    clearTimeout(this.#timer)
    this.#timer = this.#claims.length === 0 ? undefined : setTimeout(this.#grantNext, this.#patience)
  }

  #hasRoom(share: MemoryShare, bytes: number): boolean {
    const [oldest = share] = this.#holders
    return this.#granted + bytes <= this.#bytes || oldest === share
  }

  #grant(share: MemoryShare, bytes: number): void {
    this.#granted += bytes
    this.#holders.add(share)
    share.granted += bytes
  }

  #proceed({ share, bytes, proceed }: Claim): void {
    this.#grant(share, bytes)
    proceed()
  }

  readonly #grantNext = (): void => {
    const next = this.#claims.shift()
    if (next !== undefined) this.#proceed(next)
    this.#timer = this.#claims.length === 0 ? undefined : setTimeout(this.#grantNext, this.#patience)
  }
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

/** Executions, traces, and answers until they are sent. */
const executions = new MemoryPool(256 * 1024 * 1024)
/** Request bodies with what is parsed from them, until they are answered. */
export const requestBodies = new MemoryPool(64 * 1024 * 1024)

/** What one request holds in memory. */
export class MemoryShare {
  /** Granted bytes. Only the pool changes them. */
  granted = 0
  readonly #pool: MemoryPool
  #kept = 0

  constructor(pool = executions) {
    this.#pool = pool
  }

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
    const more = Math.ceil((this.#kept + bytes - FREE_BYTES) / STEP_BYTES) * STEP_BYTES - this.granted
    return more <= 0 ? undefined : this.#pool.claim(this, more)
  }

  /** Releases everything. Call this when the answer is sent, or nobody waits for it any more. */
  end(): void {
    this.#kept = 0
    this.#pool.release(this)
  }
}
