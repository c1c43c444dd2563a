import type { ForkRules } from '../types.js'
import { createForkSchedule, type ForkActivation, type ForkSchedule, type RulesPlace } from './rules.js'

/** A fork schedule whose chain id can be changed while the chain runs. */
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

  /** Lets the same forks hold under another chain id from now on. */
  setChainId(chainId: bigint): void {
    const { activations, proofOfWork, transactionGasLimitCap, depositContract } = this.#current
    const [first, ...later] = activations
    if (first === undefined) return
    this.#current = createForkSchedule([first, ...later], {
      chainId,
      proofOfWork,
      transactionGasLimitCap,
      depositContract,
    })
  }
}
