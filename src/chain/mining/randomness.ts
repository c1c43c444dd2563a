import { keccak256 } from '../crypto.js'

/** Where the prevRandao and the parent beacon block root of blocks come from. */
export type BlockRandomness = 'parent' | 'hardhat'

/**
 * The next values of hardhat's two generators, 32 bytes each: a block takes a value, and its hash is the next one (EDR:
 * edr_provider, data.rs; edr_utils, random.rs).
 */
export interface RandomnessState {
  prevRandao: Uint8Array
  parentBeaconBlockRoot: Uint8Array
}

/** The value that hardhat's genesis takes as its prevRandao; it takes no parent beacon block root. */
export const hardhatGenesisPrevRandao: Uint8Array = seed('randomMixHashSeed')

/** The generators as they are after the genesis of hardhat. */
export function initialRandomness(): RandomnessState {
  return {
    prevRandao: keccak256(hardhatGenesisPrevRandao),
    parentBeaconBlockRoot: seed('randomParentBeaconBlockRootSeed'),
  }
}

/** The generators after a block took a value of each. */
export function nextRandomness({ prevRandao, parentBeaconBlockRoot }: RandomnessState): RandomnessState {
  return { prevRandao: keccak256(prevRandao), parentBeaconBlockRoot: keccak256(parentBeaconBlockRoot) }
}

function seed(text: string): Uint8Array {
  return keccak256(new TextEncoder().encode(text))
}
