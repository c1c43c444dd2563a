import type { ForkRules, HeaderFields } from '../types.js'

const WEI_PER_ETHER = 10n ** 18n
/** The reward of an uncle falls by an eighth with each generation. */
const UNCLE_DIVISOR = 8n
/** For each uncle, the block gets this part of its reward. */
const NEPHEW_DIVISOR = 32n

/** Wei that an address gets. */
export interface Reward {
  /** 20 bytes. */
  address: Uint8Array
  amount: bigint
}

/** What proof of work earns (geth: consensus/ethash/consensus.go, accumulateRewards); nothing since the merge. */
export function blockRewards(
  header: HeaderFields,
  uncles: readonly HeaderFields[],
  rules: ForkRules,
): Reward[] {
  if (header.difficulty === 0n) return []
  const whole = rewardOf(rules)
  const forUncles = uncles.map(({ coinbase, number }) => ({
    address: coinbase,
    amount: ((number + UNCLE_DIVISOR - header.number) * whole) / UNCLE_DIVISOR,
  }))
  const nephew = (whole / NEPHEW_DIVISOR) * BigInt(uncles.length)
  return [...forUncles, { address: header.coinbase, amount: whole + nephew }]
}

/** EIP-649 and EIP-1234 lowered it. */
function rewardOf(rules: ForkRules): bigint {
  if (rules.gteHardfork('constantinople')) return 2n * WEI_PER_ETHER
  return (rules.gteHardfork('byzantium') ? 3n : 5n) * WEI_PER_ETHER
}
