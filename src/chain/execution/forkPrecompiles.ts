import type { PrecompileFunc } from '@ethereumjs/evm'
import { bytesToPlainHex } from '../../encoding/hex.js'
import type { ForkRules } from '../types.js'

/** Precompiles by address: 40 lower-case hexadecimal digits without a prefix. */
export type PrecompileMap = Map<string, PrecompileFunc>

/** The precompile that recovers signers, as a key of the precompile map. */
const ECRECOVER = '0000000000000000000000000000000000000001'
/** EIP-152: the compression of BLAKE2b, as a key of the precompile map. */
const BLAKE2 = '0000000000000000000000000000000000000009'
/** EIP-4844: the point evaluation precompile, as a key of the precompile map. */
const POINT_EVALUATION = '000000000000000000000000000000000000000a'

/** The precompiles of a fork, whatever overrides made of them for a message. */
export class ForkPrecompiles {
  readonly map: PrecompileMap
  /** 40 lower-case hexadecimal digits each. */
  readonly addresses: readonly string[]
  readonly #pointEvaluation: PrecompileFunc | undefined
  readonly #blake2: PrecompileFunc | undefined

  /** @param map - those of the library, which recover signers as the rules have it from now on */
  constructor(map: PrecompileMap, { recoveries }: Pick<ForkRules, 'recoveries'>) {
    this.map = map
    const ecrecover = map.get(ECRECOVER)
    if (ecrecover !== undefined && recoveries !== undefined) map.set(ECRECOVER, recoveries.around(ecrecover))
    this.addresses = [...map.keys()]
    this.#pointEvaluation = map.get(POINT_EVALUATION)
    this.#blake2 = map.get(BLAKE2)
  }

  /** The precompile at a 20-byte address of a map, which may be that of the fork. */
  findIn(precompiles: PrecompileMap, address: Uint8Array): PrecompileFunc | undefined {
    if (precompiles === this.map && !isLowAddress(address)) return undefined
    return precompiles.get(bytesToPlainHex(address))
  }

  /** Whether a precompile compresses as BLAKE2b does. */
  isBlake2(precompile: PrecompileFunc): boolean {
    return precompile === this.#blake2
  }

  /** Whether a precompile needs the KZG library. */
  needsKzg(precompile: PrecompileFunc): boolean {
    return precompile === this.#pointEvaluation
  }
}

/** Whether an address is below 2^32, as those of all forks' precompiles are. */
function isLowAddress(address: Uint8Array): boolean {
  for (let i = 0; i < 16; i++) if (address[i] !== 0) return false
  return true
}
