import type { ForkRules } from '../types.js'
import type { ForkActivation, ForkSchedule, RulesPlace, ScheduleChanges } from './forkSchedule.js'

/** A fork schedule that can be changed while the chain runs. */
export class MovableSchedule implements ForkSchedule {
  #current: ForkSchedule

  constructor(schedule: ForkSchedule) {
    this.#current = schedule
  }

  get activations(): readonly ForkActivation[] {
    return this.#current.activations
  }

  get proofOfWork(): boolean {
    return this.#current.proofOfWork
  }

  get transactionGasLimitCap(): boolean {
    return this.#current.transactionGasLimitCap
  }

  get depositContract(): Uint8Array {
    return this.#current.depositContract
  }

  rulesAt(place: RulesPlace): ForkRules {
    return this.#current.rulesAt(place)
  }

  rulesOf(activation: ForkActivation): ForkRules {
    return this.#current.rulesOf(activation)
  }

  with(changes: ScheduleChanges): ForkSchedule {
    return this.#current.with(changes)
  }

  /** Lets other forks hold from now on. */
  replace(schedule: ForkSchedule): void {
    this.#current = schedule
  }

  /** Lets the same forks hold under another chain id from now on. */
  setChainId(chainId: bigint): void {
    this.#current = this.#current.with({ chainId })
  }
}
