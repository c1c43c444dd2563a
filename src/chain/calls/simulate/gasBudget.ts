/** Gas that all calls of one simulation may use together (geth: RPCGasCap). */
const SIMULATION_GAS = 50_000_000n

/** The gas that is left of a simulation. */
export class GasBudget {
  #left = SIMULATION_GAS

  get left(): bigint {
    return this.#left
  }

  /** Takes off what a call used; it was never given more than is left. */
  spend(gas: bigint): void {
    this.#left -= gas
  }
}
