import type { PrecompileFunc } from '@ethereumjs/evm'
import { bytesToPlainHex } from '../../encoding/hex.js'
import { loadKzg } from '../kzg.js'
import type { Awaitable, ForkRules } from '../types.js'
import { loadBls, loadBn254 } from './curves.js'

/** Precompiles by address: 40 lower-case hexadecimal digits without a prefix. */
export type PrecompileMap = Map<string, PrecompileFunc>

/** The precompile that recovers signers, as a key of the precompile map. */
const ECRECOVER = '0000000000000000000000000000000000000001'
/** EIP-152: the compression of BLAKE2b, as a key of the precompile map. */
const BLAKE2 = '0000000000000000000000000000000000000009'
/** The loaders of the libraries that precompiles compute with, by the last byte of their addresses. */
const loaders: readonly (readonly [lastByte: string, load: () => Awaitable<void>])[] = [
  ['06', loadBn254],
  ['07', loadBn254],
  ['08', loadBn254],
  ['0a', loadKzg],
  ['0b', loadBls],
  ['0c', loadBls],
  ['0d', loadBls],
  ['0e', loadBls],
  ['0f', loadBls],
  ['10', loadBls],
  ['11', loadBls],
]

/** The precompiles of a fork, whatever overrides made of them for a message. */
export class ForkPrecompiles {
  readonly map: PrecompileMap
  /** 40 lower-case hexadecimal digits each. */
  readonly addresses: readonly string[]
  readonly #loaders = new Map<PrecompileFunc, () => Awaitable<void>>()
  readonly #blake2: PrecompileFunc | undefined

  /** @param map - those of the library, which recover signers as the rules have it from now on */
  constructor(map: PrecompileMap, { recoveries }: Pick<ForkRules, 'recoveries'>) {
    this.map = map
    const ecrecover = map.get(ECRECOVER)
    if (ecrecover !== undefined && recoveries !== undefined) map.set(ECRECOVER, recoveries.around(ecrecover))
    this.addresses = [...map.keys()]
    for (const [lastByte, load] of loaders) {
      const precompile = map.get(lastByte.padStart(40, '0'))
      if (precompile !== undefined) this.#loaders.set(precompile, load)
    }
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

  /** The last byte of the address at which the fork has a precompile. */
  numberOf(precompile: PrecompileFunc): number {
    for (const [address, candidate] of this.map) {
      if (candidate === precompile) return Number.parseInt(address.slice(-2), 16)
    }
    return 0
  }

  /** Loads the library that a precompile computes with, if it has one that is not there yet. */
  loadLibrary(precompile: PrecompileFunc): Awaitable<void> {
    return this.#loaders.get(precompile)?.()
  }
}

/** Whether an address is below 2^32, as those of all forks' precompiles are. */
function isLowAddress(address: Uint8Array): boolean {
  for (let i = 0; i < 16; i++) if (address[i] !== 0) return false
  return true
}
