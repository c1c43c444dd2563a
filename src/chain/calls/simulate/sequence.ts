import { EMPTY_UNCLES_HASH, nextBaseFee, nextExcessBlobGas } from '../../block/header.js'
import { type ForkSchedule, hardforks } from '../../evm/forkSchedule.js'
import type { DraftParent } from '../../mining/producer.js'
import { EMPTY_TRIE_ROOT } from '../../state/nodeRecord.js'
import type { ForkRules, HeaderFields } from '../../types.js'
import { type BlockToSimulate, SimulationError } from './request.js'

/** Maximum number of blocks in a simulation, including those that fill gaps. */
const MAX_BLOCKS = 256n
const MAX_CALLS_IN_BLOCK = 5_000
const MAX_CALLS = 10_000
/** Seconds between blocks without a given time. */
const BLOCK_TIME = 12n

/** A block with its place in the sequence. */
export interface SequencedBlock extends BlockToSimulate {
  number: bigint
  /** Seconds. */
  timestamp: bigint
}

/**
 * Checks that a simulation does not exceed the limits.
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
 * Assigns a number and time to each block, and fills gaps in the numbers with empty blocks if requested.
 *
 * @throws SimulationError if numbers or times do not increase, or the last block is too far ahead
 */
export function sequenceBlocks(
  base: HeaderFields,
  blocks: readonly BlockToSimulate[],
  { fillsGaps }: { fillsGaps: boolean },
): SequencedBlock[] {
  const sequenced: SequencedBlock[] = []
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
      timestamp = nextTimestamp(timestamp)
      sequenced.push({ overrides: {}, stateOverrides: [], calls: [], number, timestamp })
    }
    const { time } = block.overrides
    if (time !== undefined && time <= timestamp) {
      throw new SimulationError(
        'timestampOrder',
        `block timestamps must be in order: ${time} <= ${timestamp}`,
      )
    }
    number = wanted
    timestamp = time ?? nextTimestamp(timestamp)
    sequenced.push({ ...block, number, timestamp })
  }
  return sequenced
}

/** Returns the default time of the block after one, which overflows like geth's. */
function nextTimestamp(timestamp: bigint): bigint {
  return BigInt.asUintN(64, timestamp + BLOCK_TIME)
}

function tooManyBlocks(): SimulationError {
  return new SimulationError('limit', 'too many blocks')
}

/**
 * Drafts the header of a simulated block before execution. Beneficiary and gas limit come from the parent; the base fee
 * is zero unless given or validated (geth: internal/ethapi/simulate.go, makeHeaders).
 */
export function draftSimulatedHeader(
  parent: DraftParent,
  { overrides, number, timestamp }: SequencedBlock,
  rules: ForkRules,
  { difficulty, validation }: { difficulty: bigint; validation: boolean },
): HeaderFields {
  const header: HeaderFields = {
    parentHash: parent.hash,
    uncleHash: EMPTY_UNCLES_HASH,
    coinbase: overrides.feeRecipient ?? parent.header.coinbase,
    stateRoot: new Uint8Array(32),
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty,
    number,
    gasLimit: overrides.gasLimit ?? parent.header.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: new Uint8Array(0),
    mixHash: overrides.prevRandao ?? new Uint8Array(32),
    nonce: new Uint8Array(8),
  }
  // An override applies even before London.
  if (overrides.baseFeePerGas !== undefined) header.baseFeePerGas = overrides.baseFeePerGas
  else if (rules.isActivatedEIP(1559)) {
    header.baseFeePerGas = validation ? (nextBaseFee(parent.header, rules) ?? 0n) : 0n
  }
  if (rules.isActivatedEIP(4895)) header.withdrawalsRoot = EMPTY_TRIE_ROOT
  const excessBlobGas = nextExcessBlobGas(parent.header, rules)
  if (excessBlobGas !== undefined) {
    header.blobGasUsed = 0n
    header.excessBlobGas = excessBlobGas
  }
  if (rules.isActivatedEIP(4788)) {
    header.parentBeaconBlockRoot = overrides.beaconRoot ?? new Uint8Array(32)
  }
  return header
}

const PARIS = hardforks.indexOf('paris')

/**
 * Whether a block with this number and time is post-merge, as far as the schedule alone can tell: after the fork that
 * splits the network, or under any later fork (geth: params/config.go, IsPostMerge).
 */
export function isPostMerge(
  { activations }: Pick<ForkSchedule, 'activations'>,
  { number, timestamp }: { number: bigint; timestamp: bigint },
): boolean {
  return activations.some(({ hardfork, from }) => {
    if (hardforks.indexOf(hardfork) < PARIS) return false
    if ('block' in from) return from.block <= number
    return 'timestamp' in from && from.timestamp <= timestamp
  })
}
