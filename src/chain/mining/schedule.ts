import { MAX_UINT64 } from '../../encoding/bigints.js'
import { TIMEOUT_MAX } from '../../encoding/timeSlice.js'
import type { Chain, MinedBlock } from '../chain.js'
import { ChainError, ChainStoppedError } from '../errors.js'

/** Milliseconds between blocks in interval mining: fixed, or random between two bounds. */
export type MiningInterval = number | readonly [least: number, most: number]

/** When blocks are mined automatically. */
export interface MiningMode {
  /** Whether each incoming transaction triggers a block. */
  automine: boolean
  /** 0 disables interval mining. */
  interval: MiningInterval
}

/** Options for automine and error reports. */
export interface ScheduleOptions {
  /**
   * Whether transactions that arrived while automine was off wait for the next transaction and share its block, as in
   * Hardhat. Otherwise they are mined when automine is turned on.
   */
  pendingTransactionsShareBlock?: boolean | undefined
  /**
   * Whether transactions that can be executed at once share a block, as in anvil and Hardhat; otherwise one block each.
   */
  executableTransactionsShareBlock?: boolean | undefined
  /** Receives errors of interval mining. */
  report: (fault: unknown) => void
}

/** Mines automatically: per transaction, at intervals, or not at all. */
export class MiningSchedule {
  readonly #chain: Pick<Chain, 'exclusively' | 'mine' | 'mineEachReady'>
  readonly #options: ScheduleOptions
  #automine: boolean
  #interval: MiningInterval = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    chain: Pick<Chain, 'exclusively' | 'mine' | 'mineEachReady'>,
    mode: MiningMode,
    options: ScheduleOptions,
  ) {
    this.#chain = chain
    this.#options = options
    this.#automine = mode.automine
    this.setInterval(mode.interval)
  }

  get mode(): MiningMode {
    return { automine: this.#automine, interval: this.#interval }
  }

  /** Turns automine on or off. */
  async setAutomine(enabled: boolean): Promise<void> {
    this.#automine = enabled
    if (this.#options.pendingTransactionsShareBlock === true) return
    await this.#chain.exclusively(() => this.mineReady())
  }

  /** Starts interval mining; an interval of 0 stops it. */
  setInterval(interval: MiningInterval): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#interval = interval
    const wait = this.#nextWait()
    if (wait > 0 && !this.#isClosed) this.#plan(performance.now() + wait)
  }

  #nextWait(): number {
    if (typeof this.#interval === 'number') return this.#interval
    const [least, most] = this.#interval
    return least + Math.random() * (most - least)
  }

  /**
   * Mines the executable transactions if automine is on. Only within the chain's mutex.
   *
   * @param onMined - called with each block
   */
  async mineReady(onMined?: (block: MinedBlock) => void): Promise<void> {
    if (!this.#automine) return
    const { pendingTransactionsShareBlock, executableTransactionsShareBlock } = this.#options
    await this.#chain.mineEachReady(
      pendingTransactionsShareBlock === true || executableTransactionsShareBlock === true
        ? {}
        : { maximumTransactions: 1 },
      onMined,
    )
  }

  /** Stops interval mining for good. */
  close(): void {
    this.#isClosed = true
    this.setInterval(0)
  }

  /** Each block schedules the next one, so blocks slower than the interval do not pile up. */
  #plan(due: number): void {
    const wait = Math.max(0, due - performance.now())
    const timer = setTimeout(
      () => {
        if (wait > TIMEOUT_MAX) return this.#plan(due)
        void this.#chain
          .exclusively(() => (this.#timer === timer ? this.#chain.mine() : undefined))
          .catch((fault: unknown) => {
            if (!(fault instanceof ChainStoppedError)) this.#options.report(fault)
          })
          .then(() => {
            if (this.#timer === timer) this.#plan(Math.max(due + this.#nextWait(), performance.now()))
          })
      },
      Math.min(wait, TIMEOUT_MAX),
    )
    this.#timer = timer
  }
}

/** State of a clock, for snapshots and restarts. */
export interface ClockState {
  /** Seconds by which the clock is ahead of the wall clock. */
  offset: bigint
  /** The exact timestamp of the next block, if one was set. */
  nextTimestamp?: bigint
  /** Fixed seconds between a block and its parent, if set. */
  interval?: bigint
  /** Minimum timestamp of the next block; set if the clock was moved forward while blocks were ahead of it. */
  earliest?: bigint
}

/** Options for a clock. */
export interface ClockOptions {
  /** Returns seconds since the epoch: the wall clock, or a logical clock for reproducible chains. */
  now: () => bigint
  /** Minimum seconds between a block and its parent: 1 by the standard, 0 to let bursts share a timestamp. */
  minimumStep: bigint
  /** Whether the clock goes back with the head, as in anvil. */
  followsHead?: boolean | undefined
}

/** A timestamp that the block cannot have. */
export class TimestampError extends ChainError {
  override readonly name = 'TimestampError'
}

/** Decides the timestamps of blocks: the wall clock, adjusted by controls, never against the order of blocks. */
export class Clock {
  readonly #now: () => bigint
  readonly #minimumStep: bigint
  readonly #followsHead: boolean
  #state: ClockState = { offset: 0n }

  constructor({ now, minimumStep, followsHead = false }: ClockOptions) {
    this.#now = now
    this.#minimumStep = minimumStep
    this.#followsHead = followsHead
  }

  /** Creates a clock that follows the wall clock, starting at a time in seconds if given. */
  static startingAt(time: bigint | undefined, options: Omit<ClockOptions, 'now'>): Clock {
    const wallClock = (): bigint => BigInt(Math.floor(Date.now() / 1000))
    const ahead = time === undefined ? 0n : time - wallClock()
    return new Clock({ ...options, now: () => wallClock() + ahead })
  }

  get state(): ClockState {
    return { ...this.#state }
  }

  restore(state: ClockState): void {
    this.#state = { ...state }
  }

  /** Seconds since the epoch on this chain. */
  now(): bigint {
    return this.#now() + this.#state.offset
  }

  /**
   * Moves the clock permanently by seconds. After a forward move, the next block is at least that much later than its
   * parent, even if a burst of blocks has run ahead of the clock; after moving back again, it is not.
   *
   * @param parent - timestamp of the head in seconds
   * @returns the total offset from the wall clock in seconds
   * @throws TimestampError if the result is beyond what a block can have
   */
  increase(seconds: bigint, parent: bigint): bigint {
    const now = this.now()
    checkTimestamp((now > parent ? now : parent) + seconds)
    this.#state.offset += seconds
    const { earliest } = this.#state
    if (seconds > 0n || earliest !== undefined) this.#state.earliest = (earliest ?? parent) + seconds
    return this.#state.offset
  }

  /**
   * Sets the clock to a time in seconds, possibly in the past; it continues from there. Blocks still never precede
   * their parents.
   *
   * @returns the seconds by which it moved
   * @throws TimestampError if no block can have the time
   */
  set(timestamp: bigint): bigint {
    checkTimestamp(timestamp)
    const moved = timestamp - this.now()
    this.#state.offset += moved
    delete this.#state.earliest
    return moved
  }

  /**
   * Records that a control moved the head back to a block with the given time. A clock that follows the head continues
   * from it, without a timestamp set for the next block.
   */
  rewound(timestamp: bigint): void {
    if (!this.#followsHead) return
    this.set(timestamp)
    delete this.#state.nextTimestamp
  }

  /**
   * Sets the timestamp of the next block; the clock continues from it.
   *
   * @throws TimestampError if a block on a parent with timestamp `parent` cannot have it
   */
  setNext(timestamp: bigint, parent: bigint): void {
    this.check(timestamp, parent)
    this.#state.nextTimestamp = timestamp
  }

  /**
   * Fixes the seconds between blocks, or returns control to the clock if undefined.
   *
   * @returns whether they were fixed before
   */
  setInterval(seconds: bigint | undefined): boolean {
    const wasSet = this.#state.interval !== undefined
    if (seconds === undefined) delete this.#state.interval
    else this.#state.interval = seconds
    return wasSet
  }

  /**
   * Returns the timestamp that the next block would have now, on a parent with timestamp `parent`. The parent may have
   * changed since the timestamp was set, so the minimum step still applies.
   */
  peek(parent: bigint): bigint {
    const { nextTimestamp } = this.#state
    if (nextTimestamp === undefined) return this.peekUnfixed(parent)
    const least = parent + this.#minimumStep
    return nextTimestamp < least ? least : nextTimestamp
  }

  /** Like {@link peek}, ignoring a timestamp set for the next block. */
  peekUnfixed(parent: bigint): bigint {
    if (this.#state.interval !== undefined) return parent + this.#state.interval
    const { earliest = 0n } = this.#state
    const now = this.now()
    // Like anvil: blocks may share a second, but must advance once they have run ahead of the clock.
    const least = now < parent ? parent + 1n : parent + this.#minimumStep
    return [least, earliest, now].reduce((a, b) => (a > b ? a : b))
  }

  /** Adjusts a requested timestamp: one equal to the parent's is moved by the minimum step. */
  afterParent(timestamp: bigint, parent: bigint): bigint {
    return timestamp === parent ? parent + this.#minimumStep : timestamp
  }

  /** Records that a block was mined: consumes the timestamp set for it and continues the clock from there. */
  mined(timestamp: bigint): void {
    const fixed = this.#state.nextTimestamp !== undefined
    delete this.#state.nextTimestamp
    delete this.#state.earliest
    if (fixed) this.set(timestamp)
  }

  /**
   * Checks that a block with a timestamp can follow its parent.
   *
   * @throws TimestampError if it cannot
   */
  check(timestamp: bigint, parent: bigint): void {
    checkTimestamp(timestamp)
    if (timestamp < parent) {
      throw new TimestampError(
        `Timestamp error: ${timestamp} is lower than previous block's timestamp ${parent}`,
      )
    }
    if (timestamp < parent + this.#minimumStep) {
      throw new TimestampError(
        `Timestamp error: ${timestamp} is equal to the previous block's timestamp; --allow-same-timestamp allows that`,
      )
    }
  }
}

/**
 * Checks that a timestamp, in seconds, fits into a header.
 *
 * @throws TimestampError
 */
export function checkTimestamp(timestamp: bigint): void {
  if (timestamp <= MAX_UINT64) return
  throw new TimestampError(`Timestamp error: ${timestamp} is greater than 2^64 - 1`)
}

/** A clock that only blocks and controls move, for reproducible chains. */
export class LogicalClock extends Clock {
  override mined(timestamp: bigint): void {
    super.mined(timestamp)
    if (this.now() < timestamp) this.set(timestamp)
  }
}
