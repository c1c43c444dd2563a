import { keccak256 } from '../crypto.js'

/** Source of the prevRandao and parent beacon block root of blocks. */
export type BlockRandomness = 'parent' | 'hardhat'

/**
 * The next values of Hardhat's two generators, 32 bytes each. A block takes a value, and the value's hash is the next
 * one (EDR: edr_provider, data.rs; edr_utils, random.rs).
 */
export interface RandomnessState {
  prevRandao: Uint8Array
  parentBeaconBlockRoot: Uint8Array
}

/** The prevRandao of Hardhat's genesis, which takes no parent beacon block root. */
export const hardhatGenesisPrevRandao: Uint8Array = seed('randomMixHashSeed')

/** Returns the state of the generators after Hardhat's genesis. */
export function initialRandomness(): RandomnessState {
  return {
    prevRandao: keccak256(hardhatGenesisPrevRandao),
    parentBeaconBlockRoot: seed('randomParentBeaconBlockRootSeed'),
  }
}

/** Advances both generators by one block. */
export function nextRandomness({ prevRandao, parentBeaconBlockRoot }: RandomnessState): RandomnessState {
  return { prevRandao: keccak256(prevRandao), parentBeaconBlockRoot: keccak256(parentBeaconBlockRoot) }
}

function seed(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}
