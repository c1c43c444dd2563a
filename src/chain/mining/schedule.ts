import { TIMEOUT_MAX } from '../../encoding/timeSlice.js'
import type { Chain, MinedBlock } from '../chain.js'
import { ChainError, ChainStoppedError } from '../errors.js'

/** Milliseconds between blocks that are mined by the clock: as many as that, or any number between two. */
export type MiningInterval = number | readonly [least: number, most: number]

/** When blocks are mined without being asked for. */
export interface MiningMode {
  /** Whether a block is mined for each transaction as it comes in. */
  automine: boolean
  /** 0 mines none. */
  interval: MiningInterval
}

/** What automine does about transactions that came while it was off. */
export interface ScheduleOptions {
  /**
   * Whether they wait for the next transaction and share its block, as in hardhat. Otherwise they are mined when
   * automine is turned on.
   */
  waitingShareBlock?: boolean | undefined
  /** Whether transactions that can be executed at once share a block, as in anvil and hardhat; a block each otherwise. */
  readyShareBlock?: boolean | undefined
  /** Told when mining by the clock fails. */
  report: (fault: unknown) => void
}

/** Mines by itself: for each transaction, by the clock, or not at all. */
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
    if (this.#options.waitingShareBlock === true) return
    await this.#chain.exclusively(() => this.mineReady())
  }

  /** Mines blocks by the clock from now on; an interval of 0 ends that. */
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
   * Under automine, mines the transactions that can be executed now. Only within the chain's turn.
   *
   * @param onMined - called with each block
   */
  async mineReady(onMined?: (block: MinedBlock) => void): Promise<void> {
    if (!this.#automine) return
    const { waitingShareBlock, readyShareBlock } = this.#options
    await this.#chain.mineEachReady(
      waitingShareBlock === true || readyShareBlock === true ? {} : { maximumTransactions: 1 },
      onMined,
    )
  }

  /** Ends mining by the clock for good. */
  close(): void {
    this.#isClosed = true
    this.setInterval(0)
  }

  /** Each block plans the next one, so that blocks that take longer than the interval do not pile up. */
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

/** What a clock is made of, so that a snapshot can bring it back and a restart can go on with it. */
export interface ClockState {
  /** Seconds that the clock is ahead of the wall clock. */
  offset: bigint
  /** The exact time of the next block, if one was asked for. */
  nextTimestamp?: bigint
  /** Seconds between a block and its parent, if they are fixed. */
  interval?: bigint
  /** The least time of the next block: where the clock was moved forward while blocks were ahead of it. */
  earliest?: bigint
}

/** How a clock runs. */
export interface ClockOptions {
  /** Seconds since the epoch; the wall clock, or a logical one for chains that come out the same in every run. */
  now: () => bigint
  /** The least number of seconds between a block and its parent: 1 by the standard, 0 where bursts may share one. */
  minimumStep: bigint
}

/** A time that a block cannot have. */
export class TimestampError extends ChainError {
  override readonly name = 'TimestampError'
}

/** The largest time that a header holds, in seconds. */
const LARGEST_TIMESTAMP = 2n ** 64n - 1n

/** Decides the time of blocks: the wall clock, moved by controls, never against the order of blocks. */
export class Clock {
  readonly #now: () => bigint
  readonly #minimumStep: bigint
  #state: ClockState = { offset: 0n }

  constructor({ now, minimumStep }: ClockOptions) {
    this.#now = now
    this.#minimumStep = minimumStep
  }

  /** A clock that runs with the wall clock, from a time in seconds on if one is given. */
  static startingAt(time: bigint | undefined, { minimumStep }: Pick<ClockOptions, 'minimumStep'>): Clock {
    const wallClock = (): bigint => BigInt(Math.floor(Date.now() / 1000))
    const ahead = time === undefined ? 0n : time - wallClock()
    return new Clock({ now: () => wallClock() + ahead, minimumStep })
  }

  get state(): ClockState {
    return { ...this.#state }
  }

  restore(state: ClockState): void {
    this.#state = { ...state }
  }

  /** Seconds since the epoch, as this chain counts them. */
  now(): bigint {
    return this.#now() + this.#state.offset
  }

  /**
   * Moves the clock by seconds, for good. Forward, the next block is at least so much later than its parent, also where
   * a burst of blocks has run ahead of the clock; back again, it is not.
   *
   * @param parent - the time of the head in seconds
   * @returns the whole offset from the wall clock in seconds
   * @throws TimestampError if that is beyond what a block can have
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
   * Sets the clock to a time in seconds, also one that has passed; it runs on from there. Blocks keep rising over
   * their parents all the same.
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
   * Fixes the time of the next block; the clock goes on from it.
   *
   * @throws TimestampError if the block could not stand on a parent of time `parent`.
   */
  setNext(timestamp: bigint, parent: bigint): void {
    this.check(timestamp, parent)
    this.#state.nextTimestamp = timestamp
  }

  /**
   * Fixes the seconds between blocks from now on, or lets the clock decide again.
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
   * The time that the next block would have now, on a parent of time `parent`. The parent may be another one than when
   * the time was fixed: blocks rise all the same.
   */
  peek(parent: bigint): bigint {
    const { nextTimestamp } = this.#state
    if (nextTimestamp === undefined) return this.peekUnfixed(parent)
    const least = parent + this.#minimumStep
    return nextTimestamp < least ? least : nextTimestamp
  }

  /** The time that a block would have now for which none was fixed, on a parent of time `parent`. */
  peekUnfixed(parent: bigint): bigint {
    if (this.#state.interval !== undefined) return parent + this.#state.interval
    const { earliest = 0n } = this.#state
    const now = this.now()
    // As in anvil: blocks may share a second, but do not stand still where they have run ahead of the clock.
    const least = now < parent ? parent + 1n : parent + this.#minimumStep
    return [least, earliest, now].reduce((a, b) => (a > b ? a : b))
  }

  /** A time that was asked for, as a block can have it: that of its parent is moved by the least step. */
  afterParent(timestamp: bigint, parent: bigint): bigint {
    return timestamp === parent ? parent + this.#minimumStep : timestamp
  }

  /** Takes note that a block of this time was mined: what was fixed for it is used up, and the clock goes on from it. */
  mined(timestamp: bigint): void {
    const fixed = this.#state.nextTimestamp !== undefined
    delete this.#state.nextTimestamp
    delete this.#state.earliest
    if (fixed) this.set(timestamp)
  }

  /**
   * Checks that a block of a time can stand on a parent.
   *
   * @throws TimestampError if it cannot.
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
 * Checks that a header can hold a time, in seconds.
 *
 * @throws TimestampError
 */
export function checkTimestamp(timestamp: bigint): void {
  if (timestamp <= LARGEST_TIMESTAMP) return
  throw new TimestampError(`Timestamp error: ${timestamp} is greater than 2^64 - 1`)
}

/** A clock that only blocks and controls move, for chains that come out the same in every run. */
export class LogicalClock extends Clock {
  override mined(timestamp: bigint): void {
    super.mined(timestamp)
    if (this.now() < timestamp) this.set(timestamp)
  }
}
