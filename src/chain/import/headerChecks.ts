import { bytesEqual } from '../../encoding/hex.js'
import { nextDifficulty } from '../block/difficulty.js'
import {
  GAS_LIMIT_BOUND_DIVISOR,
  EMPTY_UNCLES_HASH,
  GAS_PER_BLOB,
  nextBaseFee,
  nextExcessBlobGas,
} from '../block/header.js'
import type { StoredBlock } from '../block/record.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'
import type { ForkRules, HeaderFields } from '../types.js'
import { ImportError } from '../errors.js'

const MINIMUM_GAS_LIMIT = 5000n
const MAXIMUM_GAS_LIMIT = 2n ** 63n - 1n
/** EIP-1559: the first London block doubles the parent's gas limit. */
const LONDON_ELASTICITY = 2n
const MAXIMUM_EXTRA_DATA = 32
/** EIP-779: extra data of the first blocks from the fork on, and their number. */
const DAO_EXTRA_DATA = new TextEncoder().encode('dao-hard-fork')
const DAO_EXTRA_BLOCKS = 10n

/** A header to check, and its context. */
export interface HeaderCheck {
  header: HeaderFields
  parent: Pick<StoredBlock, 'hash' | 'header' | 'totalDifficulty'>
  rules: ForkRules
  schedule: ForkSchedule
}

/**
 * Checks everything in a header that its parent determines (geth: consensus/beacon/consensus.go and
 * consensus/ethash/consensus.go, verifyHeader), except the proof-of-work seal.
 *
 * @throws ImportError that names the field
 */
export function checkHeader(check: HeaderCheck): void {
  const { header, parent, rules } = check
  const expect = (field: keyof HeaderFields, expected: bigint | undefined): void => {
    const value = header[field]
    if (value !== expected)
      refuse(header, field, `expected ${expected ?? 'none'}, got ${String(value ?? 'none')}`)
  }
  if (!bytesEqual(header.parentHash, parent.hash))
    refuse(header, 'parentHash', 'it is not the hash of the parent')
  expect('number', parent.header.number + 1n)
  checkTimestamp(check)
  checkGasLimit(check)
  if (header.gasUsed > header.gasLimit) {
    refuse(header, 'gasUsed', `${header.gasUsed} is more than the gas limit ${header.gasLimit}`)
  }
  checkExtraData(check)
  if (header.difficulty === 0n) checkWithoutWork(check)
  else checkProofOfWork(check)
  expect('baseFeePerGas', nextBaseFee(parent.header, rules))
  expect('excessBlobGas', nextExcessBlobGas(parent.header, rules))
  checkBlobGas(check)
  checkPresence(header, 'withdrawalsRoot', rules.isActivatedEIP(4895))
  checkPresence(header, 'parentBeaconBlockRoot', rules.isActivatedEIP(4788))
  checkPresence(header, 'requestsHash', rules.isActivatedEIP(7685))
}

function refuse(header: HeaderFields, field: keyof HeaderFields, reason: string): never {
  throw new ImportError(header.number, field, reason)
}

function checkTimestamp({ header, parent }: HeaderCheck): void {
  const before = parent.header.timestamp
  if (header.timestamp <= before) {
    refuse(header, 'timestamp', `${header.timestamp} is not after the parent's ${before}`)
  }
}

function checkGasLimit({ header, parent, rules }: HeaderCheck): void {
  const isFirstOfLondon = rules.isActivatedEIP(1559) && parent.header.baseFeePerGas === undefined
  const base = parent.header.gasLimit * (isFirstOfLondon ? LONDON_ELASTICITY : 1n)
  const { gasLimit } = header
  const moved = gasLimit > base ? gasLimit - base : base - gasLimit
  if (
    moved >= base / GAS_LIMIT_BOUND_DIVISOR ||
    gasLimit < MINIMUM_GAS_LIMIT ||
    gasLimit > MAXIMUM_GAS_LIMIT
  ) {
    refuse(header, 'gasLimit', `${gasLimit} is too far from the parent's ${base}`)
  }
}

function checkExtraData({ header, schedule }: HeaderCheck): void {
  const { length } = header.extraData
  if (length > MAXIMUM_EXTRA_DATA)
    refuse(header, 'extraData', `${length} bytes are more than ${MAXIMUM_EXTRA_DATA}`)
  const from = schedule.activations.find(({ hardfork }) => hardfork === 'dao')?.from
  if (from === undefined || !('block' in from)) return
  const isMarked = header.number >= from.block && header.number < from.block + DAO_EXTRA_BLOCKS
  if (isMarked && !bytesEqual(header.extraData, DAO_EXTRA_DATA)) {
    refuse(header, 'extraData', 'a block of the DAO fork must say dao-hard-fork')
  }
}

/** Returns the total difficulty at which proof of work ends; undefined if never. */
function terminalDifficulty({ activations }: ForkSchedule): bigint | undefined {
  const from = activations.find((activation) => 'totalDifficulty' in activation.from)?.from
  return from !== undefined && 'totalDifficulty' in from ? from.totalDifficulty : undefined
}

function checkWithoutWork({ header, parent, schedule }: HeaderCheck): void {
  const terminal = terminalDifficulty(schedule)
  if (schedule.proofOfWork && (terminal === undefined || parent.totalDifficulty < terminal)) {
    refuse(header, 'difficulty', `it is zero before the chain has reached ${terminal ?? 'its merge'}`)
  }
  if (!bytesEqual(header.uncleHash, EMPTY_UNCLES_HASH)) {
    refuse(header, 'uncleHash', 'a block without proof of work has no uncles')
  }
  if (header.nonce.some((byte) => byte !== 0)) refuse(header, 'nonce', 'it is not zero')
}

function checkProofOfWork({ header, parent, rules, schedule }: HeaderCheck): void {
  if (!schedule.proofOfWork) refuse(header, 'difficulty', 'it is not zero')
  const terminal = terminalDifficulty(schedule)
  if (terminal !== undefined && parent.totalDifficulty >= terminal) {
    refuse(header, 'difficulty', 'it is not zero after the merge')
  }
  const expected = nextDifficulty(parent.header, header.timestamp, rules)
  if (header.difficulty !== expected)
    refuse(header, 'difficulty', `expected ${expected}, got ${header.difficulty}`)
}

function checkBlobGas({ header, rules }: HeaderCheck): void {
  const { blobGasUsed } = header
  checkPresence(header, 'blobGasUsed', rules.isActivatedEIP(4844))
  if (blobGasUsed === undefined) return
  const { maxBlobGasPerBlock } = rules.getBlobGasSchedule()
  if (blobGasUsed > maxBlobGasPerBlock || blobGasUsed % GAS_PER_BLOB !== 0n) {
    refuse(
      header,
      'blobGasUsed',
      `${blobGasUsed} is not a whole number of blobs up to ${maxBlobGasPerBlock / GAS_PER_BLOB}`,
    )
  }
}

function checkPresence(header: HeaderFields, field: keyof HeaderFields, wanted: boolean): void {
  if ((header[field] !== undefined) === wanted) return
  refuse(header, field, wanted ? 'is missing' : 'its fork is not in force yet')
}
