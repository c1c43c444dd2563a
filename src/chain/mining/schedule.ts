import { TIMEOUT_MAX } from '../../encoding/timeSlice.js'
import type { Chain } from '../chain.js'
import { ChainStoppedError } from '../errors.js'

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
   * automine is turned on, in a block each.
   */
  waitingShareBlock?: boolean | undefined
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

  /** Leaves mining to those who ask for it. */
  setManual(): void {
    this.#automine = false
    this.setInterval(0)
  }

  #nextWait(): number {
    if (typeof this.#interval === 'number') return this.#interval
    const [least, most] = this.#interval
    return least + Math.random() * (most - least)
  }

  /** Under automine, mines the transactions that can be executed now. Only within the chain's turn. */
  async mineReady(): Promise<void> {
    if (!this.#automine) return
    await this.#chain.mineEachReady(
      this.#options.waitingShareBlock === true ? {} : { maximumTransactions: 1 },
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
