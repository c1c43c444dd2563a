import type { HeaderFields } from '../../types.js'
import { SimulationError } from './errors.js'
import type { BlockToSimulate } from './request.js'

/** Blocks of one simulation, those that fill gaps included. */
const MAX_BLOCKS = 256n
const MAX_CALLS_IN_BLOCK = 5_000
const MAX_CALLS = 10_000
/** Seconds between blocks whose time is not given. */
const BLOCK_TIME = 12n

/** A block with its place in the sequence. */
export interface PlacedBlock extends BlockToSimulate {
  number: bigint
  /** Seconds. */
  timestamp: bigint
}

/**
 * Refuses what is too much to simulate.
 *
 * @throws SimulationError
 */
export function checkLimits(blocks: readonly BlockToSimulate[]): void {
  if (blocks.length === 0) throw new SimulationError('emptyInput', 'empty input')
  if (BigInt(blocks.length) > MAX_BLOCKS) throw tooManyBlocks()
  let calls = 0
  for (const block of blocks) {
    const { length } = block.calls
    if (length > MAX_CALLS_IN_BLOCK) {
      throw new SimulationError('limit', `too many calls in block: ${length} > ${MAX_CALLS_IN_BLOCK}`)
    }
    calls += length
    if (calls > MAX_CALLS) throw new SimulationError('limit', `too many calls: ${calls} > ${MAX_CALLS}`)
  }
}

/**
 * Gives every block its number and time, and puts empty blocks where numbers are left out, if they are to be filled.
 *
 * @throws SimulationError if numbers or times do not rise, or if the last block is too far ahead.
 */
export function placeBlocks(
  base: HeaderFields,
  blocks: readonly BlockToSimulate[],
  { fillsGaps }: { fillsGaps: boolean },
): PlacedBlock[] {
  const placed: PlacedBlock[] = []
  let { number, timestamp } = base
  for (const block of blocks) {
    const wanted = block.overrides.number ?? number + 1n
    if (wanted <= number) {
      throw new SimulationError(
        'blockNumberOrder',
        `block numbers must be in order: ${BigInt.asUintN(64, wanted)} <= ${number}`,
      )
    }
    if (fillsGaps && wanted - base.number > MAX_BLOCKS) throw tooManyBlocks()
    while (fillsGaps && number + 1n < wanted) {
      number += 1n
      timestamp += BLOCK_TIME
      placed.push({ overrides: {}, stateOverrides: [], calls: [], number, timestamp })
    }
    const time = block.overrides.time ?? timestamp + BLOCK_TIME
    if (time <= timestamp) {
      throw new SimulationError(
        'timestampOrder',
        `block timestamps must be in order: ${time} <= ${timestamp}`,
      )
    }
    number = wanted
    timestamp = time
    placed.push({ ...block, number, timestamp })
  }
  return placed
}

function tooManyBlocks(): SimulationError {
  return new SimulationError('limit', 'too many blocks')
}
