import { type EVMBLSInterface, type EVMBN254Interface, EVMError, MCLBLS } from '@ethereumjs/evm'
import { type Awaitable, nextTurn } from '../../encoding/timeSlice.js'
import { type MclInstance, createBn254 } from '../crypto/bn254.js'
import { outcomeOr } from '../crypto/outcome.js'

const messages = EVMError.errorMessages

let bn254Library: EVMBN254Interface | undefined
let bn254Loading: Promise<void> | undefined
let blsLibrary: EVMBLSInterface | undefined
let blsLoading: Promise<void> | undefined

/** Loads the library of {@link bn254}, once, when a precompile first needs it. */
export function loadBn254(): Awaitable<void> {
  if (bn254Library !== undefined) return undefined
  bn254Loading ??= import('mcl-wasm/dist/mcl_c.js').then(async ({ default: createInstance }) => {
    await nextTurn()
    const instance = (await createInstance({})) as MclInstance
    await nextTurn()
    bn254Library = createBn254(instance)
  })
  return bn254Loading
}

/** Loads the library of {@link bls}, once, when a precompile first needs it. */
export function loadBls(): Awaitable<void> {
  if (blsLibrary !== undefined) return undefined
  blsLoading ??= import('mcl-wasm').then(async ({ default: mcl }) => {
    await nextTurn()
    await mcl.init(mcl.BLS12_381)
    const library = new MCLBLS(mcl)
    library.init()
    blsLibrary = library
  })
  return blsLoading
}

function loadedBn254(): EVMBN254Interface {
  if (bn254Library === undefined) throw new Error('BN254 is used before loadBn254() is done')
  return bn254Library
}

function loadedBls(): EVMBLSInterface {
  if (blsLibrary === undefined) throw new Error('BLS12-381 is used before loadBls() is done')
  return blsLibrary
}

/** Checks the result: the library returns an empty one for an invalid point. @throws EVMError in that case */
function requireResult(result: Uint8Array): Uint8Array {
  if (result.length > 0) return result
  throw new EVMError(messages.BN254_FP_NOT_IN_FIELD)
}

/**
 * Wraps errors of the library. Those other than EVMError reject a coordinate, but the EVM would take them for a revert.
 */
function withBls(compute: (library: EVMBLSInterface) => Uint8Array): Uint8Array {
  const library = loadedBls()
  try {
    return compute(library)
  } catch (error) {
    throw error instanceof EVMError ? error : new EVMError(messages.BLS_12_381_FP_NOT_IN_FIELD)
  }
}

/** Bytes of a point of BLS12-381's G1, of a point of BN254's G1, and of a scalar. */
const BLS_G1_BYTES = 128
const BN254_G1_BYTES = 64
const SCALAR_BYTES = 32

/**
 * Whether the encoding of a point on BLS12-381, 128 bytes for G1 or 256 for G2, is one of the subgroup (EIP-2537). Call
 * {@link loadBls} first.
 */
export function isInBlsSubgroup(point: Uint8Array): boolean {
  const input = new Uint8Array(point.length + SCALAR_BYTES)
  input.set(point)
  const library = loadedBls()
  return succeeds(() => (point.length === BLS_G1_BYTES ? library.msmG1(input) : library.msmG2(input)))
}

/** Whether 128 bytes encode a point in the subgroup of BN254's G2 (EIP-197). Call {@link loadBn254} first. */
export function isInBn254Subgroup(point: Uint8Array): boolean {
  const input = new Uint8Array(BN254_G1_BYTES + point.length)
  input.set(point, BN254_G1_BYTES)
  const library = loadedBn254()
  return succeeds(() => requireResult(library.pairing(input)))
}

function succeeds(compute: () => Uint8Array): boolean {
  try {
    compute()
    return true
  } catch {
    return false
  }
}

/** The curve of EIP-196 and EIP-197 for ethereumjs. Call {@link loadBn254} first. */
export const bn254: EVMBN254Interface = {
  add: (input) => requireResult(loadedBn254().add(input)),
  mul: (input) => requireResult(loadedBn254().mul(input)),
  pairing: (input) => requireResult(outcomeOr(() => loadedBn254().pairing(input))),
}

/** The curve BLS12-381 of EIP-2537 for ethereumjs. Call {@link loadBls} first. */
export const bls: EVMBLSInterface = {
  addG1: (input) => withBls((library) => library.addG1(input)),
  addG2: (input) => withBls((library) => library.addG2(input)),
  mapFPtoG1: (input) => withBls((library) => library.mapFPtoG1(input)),
  mapFP2toG2: (input) => withBls((library) => library.mapFP2toG2(input)),
  msmG1: (input) => withBls((library) => outcomeOr(() => library.msmG1(input))),
  msmG2: (input) => withBls((library) => outcomeOr(() => library.msmG2(input))),
  pairingCheck: (input) => withBls((library) => outcomeOr(() => library.pairingCheck(input))),
}
