import { bytesToBigint, minimalBytes } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'
import { encodeRlp, payloadsOf } from '../rlp.js'
import type { ForkRules, HeaderFields } from '../types.js'

/** Hash of an empty list of uncles. */
export const EMPTY_UNCLES_HASH: Uint8Array = keccak256(Uint8Array.of(0xc0))

/** Number of header fields before London; later fields are appended (execution-specs, Header). */
const BASE_FIELDS = 15

/** Returns a header as the list of byte strings that its RLP encodes. */
export function headerToList(header: HeaderFields): Uint8Array[] {
  const list = [
    header.parentHash,
    header.uncleHash,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    minimalBytes(header.difficulty),
    minimalBytes(header.number),
    minimalBytes(header.gasLimit),
    minimalBytes(header.gasUsed),
    minimalBytes(header.timestamp),
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  if (header.baseFeePerGas !== undefined) list.push(minimalBytes(header.baseFeePerGas))
  if (header.withdrawalsRoot !== undefined) list.push(header.withdrawalsRoot)
  if (header.blobGasUsed !== undefined) list.push(minimalBytes(header.blobGasUsed))
  if (header.excessBlobGas !== undefined) list.push(minimalBytes(header.excessBlobGas))
  if (header.parentBeaconBlockRoot !== undefined) list.push(header.parentBeaconBlockRoot)
  if (header.requestsHash !== undefined) list.push(header.requestsHash)
  return list
}

/** Encodes a header as RLP. */
export function encodeHeader(header: HeaderFields): Uint8Array {
  return encodeRlp(headerToList(header))
}

/** Returns the 32-byte hash of a header: keccak-256 of its RLP. */
export function hashHeader(header: HeaderFields): Uint8Array {
  return keccak256(encodeHeader(header))
}

/**
 * Builds a header from the byte strings of its RLP list. The number of fields determines the fork.
 *
 * @throws Error if the list has a wrong length, or contains anything but byte strings
 */
export function headerFromList(list: readonly unknown[]): HeaderFields {
  if (list.length < BASE_FIELDS || list.length > BASE_FIELDS + 6) {
    throw new Error(`a block header has 15 to 21 fields, not ${list.length}`)
  }
  const bytes = (index: number): Uint8Array => {
    const item = list[index]
    if (!(item instanceof Uint8Array))
      throw new Error(`field ${index} of a block header is not a byte string`)
    return item
  }
  const number = (index: number): bigint => bytesToBigint(bytes(index))
  return {
    parentHash: bytes(0),
    uncleHash: bytes(1),
    coinbase: bytes(2),
    stateRoot: bytes(3),
    transactionsRoot: bytes(4),
    receiptsRoot: bytes(5),
    logsBloom: bytes(6),
    difficulty: number(7),
    number: number(8),
    gasLimit: number(9),
    gasUsed: number(10),
    timestamp: number(11),
    extraData: bytes(12),
    mixHash: bytes(13),
    nonce: bytes(14),
    baseFeePerGas: list.length > 15 ? number(15) : undefined,
    withdrawalsRoot: list.length > 16 ? bytes(16) : undefined,
    blobGasUsed: list.length > 17 ? number(17) : undefined,
    excessBlobGas: list.length > 18 ? number(18) : undefined,
    parentBeaconBlockRoot: list.length > 19 ? bytes(19) : undefined,
    requestsHash: list.length > 20 ? bytes(20) : undefined,
  }
}

/** Decodes header RLP that this program stored. The byte strings are views of it. */
export function decodeHeader(rlp: Uint8Array): HeaderFields {
  return headerFromList(payloadsOf(rlp))
}

/** EIP-1559: the base fee changes by at most 1/8 per block. */
const BASE_FEE_CHANGE_DENOMINATOR = 8n
/** EIP-1559: the gas target is half the gas limit. */
const ELASTICITY = 2n
/** EIP-1559: base fee of the first London block, in wei. */
export const INITIAL_BASE_FEE = 1_000_000_000n
/** The gas limit changes by less than 1/1024 of the parent's. */
export const GAS_LIMIT_BOUND_DIVISOR = 1024n
/** EIP-4844: gas of one blob. */
export const GAS_PER_BLOB = 131_072n
/** EIP-4844, VERSIONED_HASH_VERSION_KZG: first byte of a versioned hash. */
export const BLOB_HASH_VERSION = 0x01
/** EIP-7918: minimum value of a blob in execution gas. */
const BLOB_BASE_COST = 8_192n

/** Returns the base fee per gas (wei) of the block after `parent` (EIP-1559), or undefined before London. */
export function nextBaseFee(parent: HeaderFields, rules: ForkRules): bigint | undefined {
  if (!rules.isActivatedEIP(1559)) return undefined
  const base = parent.baseFeePerGas
  if (base === undefined) return INITIAL_BASE_FEE
  const target = parent.gasLimit / ELASTICITY
  if (parent.gasUsed === target || target === 0n) return base
  if (parent.gasUsed > target) {
    const delta = (base * (parent.gasUsed - target)) / target / BASE_FEE_CHANGE_DENOMINATOR
    return base + (delta > 1n ? delta : 1n)
  }
  const delta = (base * (target - parent.gasUsed)) / target / BASE_FEE_CHANGE_DENOMINATOR
  return base > delta ? base - delta : 0n
}

/**
 * Returns the wei per blob gas for an excess of blob gas (EIP-4844, fake_exponential).
 *
 * @param updateFraction - BLOB_BASE_FEE_UPDATE_FRACTION of the active blob schedule
 */
export function blobBaseFee(excessBlobGas: bigint, updateFraction: bigint): bigint {
  let sum = 0n
  let term = updateFraction
  for (let i = 1n; term > 0n; i++) {
    sum += term
    term = (term * excessBlobGas) / (updateFraction * i)
  }
  return sum / updateFraction
}

/**
 * Returns the rules with the blob schedule of a block. The schedule depends on the time alone (geth, latestBlobConfig):
 * a genesis with a difficulty, whose other rules are those before the merge, may have blob gas.
 */
export function blobRulesAt(
  schedule: Pick<ForkSchedule, 'rulesAt'>,
  { number, timestamp }: Pick<HeaderFields, 'number' | 'timestamp'>,
): ForkRules {
  return schedule.rulesAt({ number, timestamp, difficulty: 0n })
}

/** Returns the wei per blob gas in a block, or undefined before Cancun. */
export function headerBlobBaseFee(header: HeaderFields, rules: ForkRules): bigint | undefined {
  if (header.excessBlobGas === undefined) return undefined
  return blobBaseFee(header.excessBlobGas, rules.getBlobGasSchedule().blobGasPriceUpdateFraction)
}

/**
 * Returns the excess blob gas of the block after `parent` under that block's rules (EIP-4844, EIP-7918), or undefined
 * before Cancun.
 */
export function nextExcessBlobGas(parent: HeaderFields, rules: ForkRules): bigint | undefined {
  if (!rules.isActivatedEIP(4844)) return undefined
  const schedule = rules.getBlobGasSchedule()
  const target = schedule.targetBlobGasPerBlock
  const excess = parent.excessBlobGas ?? 0n
  const used = parent.blobGasUsed ?? 0n
  if (excess + used < target) return 0n
  if (rules.isActivatedEIP(7918)) {
    const price = blobBaseFee(excess, schedule.blobGasPriceUpdateFraction)
    if (BLOB_BASE_COST * (parent.baseFeePerGas ?? 0n) > GAS_PER_BLOB * price) {
      const maximum = schedule.maxBlobGasPerBlock
      return excess + (used * (maximum - target)) / maximum
    }
  }
  return excess + used - target
}
