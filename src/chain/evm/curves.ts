import { type EVMBLSInterface, type EVMBN254Interface, EVMError } from '@ethereumjs/evm'
import { type Awaitable, nextTurn } from '../../encoding/timeSlice.js'
import { outcomeOr } from '../crypto/outcome.js'
import {
  type MclInstance,
  type PairingCurve,
  createPairingCurve,
  curveParameters,
} from '../crypto/pairingCurve.js'

const { BN254_FP_NOT_IN_FIELD, BLS_12_381_POINT_NOT_ON_CURVE } = EVMError.errorMessages

/** A curve, for which mcl is started when a precompile first needs it. */
class LoadedCurve {
  readonly #name: keyof typeof curveParameters
  readonly #invalid: EVMError['error']
  #curve: PairingCurve | undefined
  #loading: Promise<void> | undefined

  /**
   * @param invalid - message of errors for invalid input
   */
  constructor(name: keyof typeof curveParameters, invalid: EVMError['error']) {
    this.#name = name
    this.#invalid = invalid
  }

  load(): Awaitable<void> {
    if (this.#curve !== undefined) return undefined
    this.#loading ??= this.#start()
    return this.#loading
  }

  /** Whether a point is in the subgroup of its group. */
  isInSubgroup(group: 'g1' | 'g2', point: Uint8Array): boolean {
    return this.#loaded().isInSubgroup(group, point)
  }

  /** @throws EVMError if the input is invalid */
  compute(operation: (curve: PairingCurve) => Uint8Array): Uint8Array {
    const result = operation(this.#loaded())
    if (result.length > 0) return result
    throw new EVMError(this.#invalid)
  }

  /** Pauses between the steps of the start, which take some milliseconds each. */
  async #start(): Promise<void> {
    const { default: createInstance } = await import('mcl-wasm/dist/mcl_c.js')
    await nextTurn()
    const instance = (await createInstance({})) as MclInstance
    await nextTurn()
    this.#curve = createPairingCurve(instance, curveParameters[this.#name])
  }

  #loaded(): PairingCurve {
    if (this.#curve === undefined) throw new Error(`${this.#name} is used before it is loaded`)
    return this.#curve
  }
}

/** The curves of EIP-196 and EIP-197, and of EIP-2537. Load them before the precompiles of {@link bn254} or {@link bls}. */
export const curves = {
  bn254: new LoadedCurve('bn254', BN254_FP_NOT_IN_FIELD),
  bls12381: new LoadedCurve('bls12381', BLS_12_381_POINT_NOT_ON_CURVE),
}

/** Bytes of a point of BN254 and a scalar; the precompile takes more and ignores them. */
const BN254_PRODUCT_BYTES = 96

/** The curve of EIP-196 and EIP-197 for ethereumjs. */
export const bn254: EVMBN254Interface = {
  add: (input) => curves.bn254.compute((curve) => curve.add('g1', input)),
  mul: (input) => curves.bn254.compute((curve) => curve.msm('g1', input.subarray(0, BN254_PRODUCT_BYTES))),
  pairing: (input) => curves.bn254.compute((curve) => outcomeOr(() => curve.pairing(input))),
}

/** The curve BLS12-381 of EIP-2537 for ethereumjs. */
export const bls: EVMBLSInterface = {
  addG1: (input) => curves.bls12381.compute((curve) => curve.add('g1', input)),
  addG2: (input) => curves.bls12381.compute((curve) => curve.add('g2', input)),
  mapFPtoG1: (input) => curves.bls12381.compute((curve) => curve.map('g1', input)),
  mapFP2toG2: (input) => curves.bls12381.compute((curve) => curve.map('g2', input)),
  msmG1: (input) => curves.bls12381.compute((curve) => outcomeOr(() => curve.msm('g1', input))),
  msmG2: (input) => curves.bls12381.compute((curve) => outcomeOr(() => curve.msm('g2', input))),
  pairingCheck: (input) => curves.bls12381.compute((curve) => outcomeOr(() => curve.pairing(input))),
}
