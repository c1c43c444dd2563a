import { type EVMBLSInterface, type EVMBN254Interface, EVMError, MCLBLS, RustBN254 } from '@ethereumjs/evm'
import { bytesToBigint } from '../../encoding/hex.js'
import { type Awaitable, nextTurn } from '../../encoding/timeSlice.js'
import { outcomeOr } from '../crypto/outcome.js'
import { FrameFailure } from './failure.js'

const messages = EVMError.errorMessages

let bn254Library: EVMBN254Interface | undefined
let bn254Loading: Promise<void> | undefined
let blsLibrary: EVMBLSInterface | undefined
let blsLoading: Promise<void> | undefined

/** Loads the library of {@link bn254}, once, and only when the first precompile wants it. */
export function loadBn254(): Awaitable<void> {
  if (bn254Library !== undefined) return undefined
  bn254Loading ??= import('rustbn-wasm').then(async ({ initRustBN }) => {
    await nextTurn()
    bn254Library = new RustBN254(await initRustBN())
  })
  return bn254Loading
}

/** Loads the library of {@link bls}, once, and only when the first precompile wants it. */
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

/** BN254: the field that coordinates are of. */
const FIELD_SIZE = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const COORDINATE_BYTES = 32

/**
 * The library returns nothing where a coordinate is not in the field or a point is not on the curve.
 *
 * @param coordinates - of each point of the input, in turns
 * @throws FrameFailure in geth's words for the first point that is bad
 */
function requireResult(result: Uint8Array, input: Uint8Array, coordinates: readonly number[]): Uint8Array {
  if (result.length > 0) return result
  throw new FrameFailure(messages.BN254_FP_NOT_IN_FIELD, badPoint(input, coordinates))
}

function badPoint(input: Uint8Array, coordinates: readonly number[]): string {
  let at = 0
  for (let point = 0; at < input.length; point++) {
    const count = coordinates[point % coordinates.length] ?? 2
    const values = Array.from({ length: count }, (_, index) => {
      const start = at + index * COORDINATE_BYTES
      return bytesToBigint(input.subarray(start, start + COORDINATE_BYTES))
    })
    if (values.some((value) => value >= FIELD_SIZE)) return 'invalid fp.Element encoding'
    const [x = 0n, y = 0n] = values
    if (count === 2 && (x | y) !== 0n && (y * y - x * x * x - 3n) % FIELD_SIZE !== 0n) break
    at += count * COORDINATE_BYTES
  }
  return 'point is not on curve'
}

/** What the library throws that is no EVMError is its refusal of a coordinate, which the EVM would take for a revert. */
function withBls(compute: (library: EVMBLSInterface) => Uint8Array): Uint8Array {
  const library = loadedBls()
  try {
    return compute(library)
  } catch (error) {
    if (error instanceof EVMError && error.error === messages.BLS_12_381_POINT_NOT_ON_CURVE) {
      throw new FrameFailure(error.error, 'invalid point: not on curve')
    }
    if (error instanceof EVMError) throw error
    throw new FrameFailure(messages.BLS_12_381_FP_NOT_IN_FIELD, 'invalid fp.Element encoding')
  }
}

/** The curve of EIP-196 and EIP-197 as ethereumjs wants it; every call needs {@link loadBn254} before it. */
export const bn254: EVMBN254Interface = {
  add: (input) => requireResult(loadedBn254().add(input), input.subarray(0, 128), [2]),
  mul: (input) => requireResult(loadedBn254().mul(input), input.subarray(0, 64), [2]),
  pairing: (input) =>
    requireResult(
      outcomeOr(() => loadedBn254().pairing(input)),
      input,
      [2, 4],
    ),
}

/** The curve BLS12-381 of EIP-2537 as ethereumjs wants it; every call needs {@link loadBls} before it. */
export const bls: EVMBLSInterface = {
  addG1: (input) => withBls((library) => library.addG1(input)),
  addG2: (input) => withBls((library) => library.addG2(input)),
  mapFPtoG1: (input) => withBls((library) => library.mapFPtoG1(input)),
  mapFP2toG2: (input) => withBls((library) => library.mapFP2toG2(input)),
  msmG1: (input) => withBls((library) => outcomeOr(() => library.msmG1(input))),
  msmG2: (input) => withBls((library) => outcomeOr(() => library.msmG2(input))),
  pairingCheck: (input) => withBls((library) => outcomeOr(() => library.pairingCheck(input))),
}
