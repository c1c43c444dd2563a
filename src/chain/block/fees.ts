import type { ForkRules, HeaderFields } from '../types.js'

/** EIP-1559: the base fee moves by at most an eighth a block. */
const BASE_FEE_CHANGE_DENOMINATOR = 8n
/** EIP-1559: the gas target is half the gas limit. */
const ELASTICITY = 2n
/** EIP-1559: the base fee of the first London block, in wei. */
const INITIAL_BASE_FEE = 1_000_000_000n
/** EIP-4844: gas of one blob. */
export const GAS_PER_BLOB = 131_072n
/** EIP-7918: the execution gas that a blob must at least be worth. */
const BLOB_BASE_COST = 8_192n

/** The base fee per gas (wei) of the block after `parent` (EIP-1559), or undefined before London. */
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
 * The wei per blob gas at an excess of blob gas (EIP-4844, fake_exponential).
 *
 * @param updateFraction - BLOB_BASE_FEE_UPDATE_FRACTION of the blob schedule in force
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

/** The wei per blob gas in the block of this header, or undefined before Cancun. */
export function headerBlobBaseFee(header: HeaderFields, rules: ForkRules): bigint | undefined {
  if (header.excessBlobGas === undefined) return undefined
  return blobBaseFee(header.excessBlobGas, rules.getBlobGasSchedule().blobGasPriceUpdateFraction)
}

/**
 * The excess blob gas of the block after `parent` under that block's rules (EIP-4844, EIP-7918), or undefined
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
