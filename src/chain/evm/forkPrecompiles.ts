import { type Hash, createHash, getHashes } from 'node:crypto'
import type { ExecResult, PrecompileFunc, PrecompileInput } from '@ethereumjs/evm'
import { bytesToPlainHex } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices, whenReady } from '../../encoding/timeSlice.js'
import { WorkerRefusal, computeInWorker } from '../crypto/worker.js'
import type { Outcome } from '../crypto/outcome.js'
import type { ForkRules } from '../types.js'
import { curves } from './curves.js'
import { outOfGas } from './failure.js'
import { yieldingModexp } from './modexp.js'
import { p256Precompile } from './p256.js'

/** Precompiles by address: 40 lower-case hexadecimal digits without a prefix. */
export type PrecompileMap = Map<string, PrecompileFunc>

/** Map key of the ecrecover precompile. */
const ECRECOVER = '0000000000000000000000000000000000000001'
/** Map key of the BLAKE2b compression precompile (EIP-152). */
const BLAKE2 = '0000000000000000000000000000000000000009'

/** What a precompile needs before it runs. */
interface Preparation {
  /** Loads the library that it computes with. */
  load?: () => Awaitable<void>
  offload?: Offload
}

/** Work for the worker if the input has more than `maxPairsInline` pairs. */
interface Offload {
  operation: PrecompileOperation
  pairBytes: number
  maxPairsInline: number
  /** Lower bound of the cost per pair (EIP-1108, EIP-2537). Unpaid work is not computed. */
  gasPerPair: bigint
}

type PrecompileOperation = 'bn254Pairing' | 'blsG1Msm' | 'blsG2Msm' | 'blsPairing'

const loadBn254 = () => curves.bn254.load()
const loadBls = () => curves.bls12381.load()

/** By the last byte of the address. Up to about five milliseconds of work are done here, the rest in the worker. */
const preparations: readonly (readonly [lastByte: string, Preparation])[] = [
  ['06', { load: loadBn254 }],
  ['07', { load: loadBn254 }],
  [
    '08',
    {
      load: loadBn254,
      offload: { operation: 'bn254Pairing', pairBytes: 192, maxPairsInline: 2, gasPerPair: 34_000n },
    },
  ],
  ['0b', { load: loadBls }],
  [
    '0c',
    {
      load: loadBls,
      offload: { operation: 'blsG1Msm', pairBytes: 160, maxPairsInline: 16, gasPerPair: 6_000n },
    },
  ],
  ['0d', { load: loadBls }],
  [
    '0e',
    {
      load: loadBls,
      offload: { operation: 'blsG2Msm', pairBytes: 288, maxPairsInline: 8, gasPerPair: 11_000n },
    },
  ],
  [
    '0f',
    {
      load: loadBls,
      offload: { operation: 'blsPairing', pairBytes: 384, maxPairsInline: 4, gasPerPair: 32_600n },
    },
  ],
  ['10', { load: loadBls }],
  ['11', { load: loadBls }],
]

/** Some OpenSSL builds lack it; then the library's own implementation runs. */
const hasRipemd160 = getHashes().includes('ripemd160')
const RIPEMD160 = '0000000000000000000000000000000000000003'

const SHA256 = '0000000000000000000000000000000000000002'

/** Hashes by the system's library; for RIPEMD-160 it is ten times as fast as the library's own implementation. */
function hashPrecompile(
  algorithm: 'ripemd160' | 'sha256',
  { data, gasLimit, common }: PrecompileInput,
): Awaitable<ExecResult> {
  const words = BigInt(Math.ceil(data.length / 32))
  const executionGasUsed = common.param(`${algorithm}Gas`) + common.param(`${algorithm}WordGas`) * words
  if (executionGasUsed > gasLimit) return outOfGas(gasLimit)
  return whenReady(digestOf(createHash(algorithm), data), (digest) => {
    const returnValue = new Uint8Array(32)
    returnValue.set(digest, 32 - digest.length)
    return { executionGasUsed, returnValue }
  })
}

/** Bytes hashed between two yields: a single call may hash tens of megabytes. */
const HASHED_AT_ONCE = 1024 * 1024

function digestOf(hash: Hash, data: Uint8Array): Awaitable<Uint8Array> {
  if (data.length <= HASHED_AT_ONCE) return hash.update(data).digest()
  return runInSlices(digestInSteps(hash, data), new TimeSlice())
}

function* digestInSteps(hash: Hash, data: Uint8Array): Steps<Uint8Array> {
  for (let start = 0; start < data.length; start += HASHED_AT_ONCE) {
    hash.update(data.subarray(start, start + HASHED_AT_ONCE))
    yield
  }
  return hash.digest()
}

const ripemd160Precompile: PrecompileFunc = (input) => hashPrecompile('ripemd160', input)

/** Leaves short input to the library, whose call costs less. */
function yieldingSha256(precompile: PrecompileFunc): PrecompileFunc {
  return (input) =>
    input.data.length <= HASHED_AT_ONCE ? precompile(input) : hashPrecompile('sha256', input)
}

/** Map key of modular exponentiation (EIP-198). */
const MODEXP = '0000000000000000000000000000000000000005'

/** A pairing check, whose gas depends on the number of pairs of points. */
interface PairingCheck {
  /** Map key. */
  address: string
  pairBytes: number
  /** Names of the library's gas parameters. */
  baseGas: string
  pairGas: string
}

/** EIP-197 and EIP-2537. */
const pairingChecks: readonly PairingCheck[] = [
  {
    address: '0000000000000000000000000000000000000008',
    pairBytes: 192,
    baseGas: 'bn254PairingGas',
    pairGas: 'bn254PairingWordGas',
  },
  {
    address: '000000000000000000000000000000000000000f',
    pairBytes: 384,
    baseGas: 'bls12381PairingBaseGas',
    pairGas: 'bls12381PairingPerPairGas',
  },
]

/** Makes a pairing check charge its gas before it checks the input length, as geth does. */
function gasFirst(precompile: PrecompileFunc, { pairBytes, baseGas, pairGas }: PairingCheck): PrecompileFunc {
  return (input) => {
    const { data, gasLimit, common } = input
    const pairs = BigInt(Math.floor(data.length / pairBytes))
    const gas = common.param(baseGas) + pairs * common.param(pairGas)
    return gas > gasLimit ? outOfGas(gasLimit) : precompile(input)
  }
}

/** Map key of the precompile that verifies secp256r1 signatures (EIP-7951). */
const P256_VERIFY = '0000000000000000000000000000000000000100'

/** Map key of the point evaluation precompile (EIP-4844). */
const POINT_EVALUATION = '000000000000000000000000000000000000000a'
const POINT_EVALUATION_BYTES = 192
const POINT_EVALUATION_GAS = 50_000n

/** The precompiles of a fork, before any overrides. */
export class ForkPrecompiles {
  readonly map: PrecompileMap
  /** 40 lower-case hexadecimal digits each. */
  readonly addresses: readonly string[]
  readonly #preparations = new Map<PrecompileFunc, Preparation>()
  readonly #pointEvaluation: PrecompileFunc | undefined
  readonly #blake2: PrecompileFunc | undefined

  /**
   * @param map - the library's precompiles; replaced in place where needed
   */
  constructor(map: PrecompileMap, { recoveries }: Pick<ForkRules, 'recoveries'>) {
    this.map = map
    const ecrecover = map.get(ECRECOVER)
    if (ecrecover !== undefined && recoveries !== undefined) map.set(ECRECOVER, recoveries.wrap(ecrecover))
    if (map.has(RIPEMD160) && hasRipemd160) map.set(RIPEMD160, ripemd160Precompile)
    const sha256 = map.get(SHA256)
    if (sha256 !== undefined) map.set(SHA256, yieldingSha256(sha256))
    const modexp = map.get(MODEXP)
    if (modexp !== undefined) map.set(MODEXP, yieldingModexp(modexp))
    for (const check of pairingChecks) {
      const pairing = map.get(check.address)
      if (pairing !== undefined) map.set(check.address, gasFirst(pairing, check))
    }
    if (map.has(P256_VERIFY)) map.set(P256_VERIFY, p256Precompile)
    this.addresses = [...map.keys()]
    for (const [lastByte, preparation] of preparations) {
      const precompile = map.get(lastByte.padStart(40, '0'))
      if (precompile !== undefined) this.#preparations.set(precompile, preparation)
    }
    this.#pointEvaluation = map.get(POINT_EVALUATION)
    this.#blake2 = map.get(BLAKE2)
  }

  /** Finds the precompile at a 20-byte address in a map, which may be the fork's own. */
  findIn(precompiles: PrecompileMap, address: Uint8Array): PrecompileFunc | undefined {
    if (precompiles === this.map && !isLowAddress(address)) return undefined
    return precompiles.get(bytesToPlainHex(address))
  }

  /** Whether a precompile is BLAKE2b compression. */
  isBlake2(precompile: PrecompileFunc): boolean {
    return precompile === this.#blake2
  }

  /** Returns the last byte of a precompile's address in the fork. */
  numberOf(precompile: PrecompileFunc): number {
    for (const [address, candidate] of this.map) {
      if (candidate === precompile) return Number.parseInt(address.slice(-2), 16)
    }
    return 0
  }

  /**
   * Prepares a precompile to run: loads its library, and lets the worker compute what would block other requests.
   *
   * @returns the worker's result, for {@link withOutcome}
   */
  prepare(precompile: PrecompileFunc, data: Uint8Array, gasLimit: bigint): Awaitable<Outcome | undefined> {
    if (precompile === this.#pointEvaluation) return verifyPoint(data, gasLimit)
    const preparation = this.#preparations.get(precompile)
    const loading = preparation?.load?.()
    const outcome = preparation?.offload && computeElsewhere(preparation.offload, data, gasLimit)
    // Both are awaited at once, lest the worker's fault go unhandled while the library loads.
    return loading === undefined ? outcome : Promise.all([loading, outcome]).then(() => outcome)
  }
}

function computeElsewhere(
  { operation, pairBytes, maxPairsInline, gasPerPair }: Offload,
  data: Uint8Array,
  gasLimit: bigint,
): Promise<Outcome> | undefined {
  const pairs = data.length / pairBytes
  if (pairs <= maxPairsInline || !Number.isInteger(pairs)) return undefined
  return BigInt(pairs) * gasPerPair > gasLimit ? undefined : outcomeOf(computeInWorker(operation, data))
}

function verifyPoint(data: Uint8Array, gasLimit: bigint): Promise<Outcome> | undefined {
  if (data.length !== POINT_EVALUATION_BYTES || gasLimit < POINT_EVALUATION_GAS) return undefined
  const [z, y] = [data.subarray(32, 64), data.subarray(64, 96)]
  const [commitment, proof] = [data.subarray(96, 144), data.subarray(144)]
  return outcomeOf(computeInWorker('verifyKzgProof', commitment, z, y, proof))
}

/** Keeps apart the library's own errors, which mean invalid input, and all others, which are faults. */
async function outcomeOf(computing: Promise<Uint8Array | boolean>): Promise<Outcome> {
  try {
    return { value: await computing }
  } catch (error) {
    if (!(error instanceof WorkerRefusal)) throw error
    return { error }
  }
}

/** Whether an address is below 2^32, like those of all forks' precompiles. */
function isLowAddress(address: Uint8Array): boolean {
  for (let i = 0; i < 16; i++) if (address[i] !== 0) return false
  return true
}
