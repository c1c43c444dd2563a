import type { Chain } from '../chain.js'

/** Milliseconds between blocks that are mined by the clock: as many as that, or any number between two. */
export type MiningInterval = number | readonly [least: number, most: number]

/** When blocks are mined without being asked for. */
export interface MiningMode {
  /** Whether a block is mined for each transaction as it comes in. */
  automine: boolean
  /** 0 mines none. */
  interval: MiningInterval
}

/** Mines by itself: for each transaction, by the clock, or not at all. */
export class MiningSchedule {
  readonly #chain: Pick<Chain, 'exclusively' | 'mine' | 'mineEachReady'>
  readonly #report: (fault: unknown) => void
  #automine: boolean
  #interval: MiningInterval = 0
  #timer: NodeJS.Timeout | undefined

  /** @param report - told when mining by the clock fails */
  constructor(
    chain: Pick<Chain, 'exclusively' | 'mine' | 'mineEachReady'>,
    mode: MiningMode,
    report: (fault: unknown) => void,
  ) {
    this.#chain = chain
    this.#report = report
    this.#automine = mode.automine
    this.setInterval(mode.interval)
  }

  get mode(): MiningMode {
    return { automine: this.#automine, interval: this.#interval }
  }

  /** Turns automine on or off. Turned on, it mines what waits at once. */
  async setAutomine(enabled: boolean): Promise<void> {
    this.#automine = enabled
    await this.#chain.exclusively(() => this.mineReady())
  }

  /** Mines blocks by the clock from now on; an interval of 0 ends that. */
  setInterval(interval: MiningInterval): void {
    this.stop()
    this.#interval = interval
    const wait = this.#nextWait()
    if (wait > 0) this.#plan(performance.now() + wait)
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

  /** Under automine, mines one block for each transaction that can be executed now. Only within the chain's turn. */
  async mineReady(): Promise<void> {
    if (this.#automine) await this.#chain.mineEachReady()
  }

  /** Ends mining by the clock. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Each block plans the next one, so that blocks that take longer than the interval do not pile up. */
  #plan(due: number): void {
    const timer = setTimeout(
      () => {
        void this.#chain
          .exclusively(() => (this.#timer === timer ? this.#chain.mine() : undefined))
          .catch(this.#report)
          .then(() => {
            if (this.#timer === timer) this.#plan(Math.max(due + this.#nextWait(), performance.now()))
          })
      },
      Math.max(0, due - performance.now()),
    )
    this.#timer = timer
  }
}
