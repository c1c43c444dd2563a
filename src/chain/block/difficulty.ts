import { bytesEqual } from '../../encoding/hex.js'
import type { ForkRules, HeaderFields } from '../types.js'
import { EMPTY_UNCLES_HASH } from './header.js'

const MINIMUM_DIFFICULTY = 131_072n
const BOUND_DIVISOR = 2048n
/** Number of blocks after which the bomb doubles. */
const BOMB_PERIOD = 100_000n
/** Frontier: a block within this many seconds of its parent raises the difficulty. */
const FRONTIER_DURATION = 13n

/** Number of blocks by which each fork delays the bomb (EIP-649, EIP-1234, EIP-2384, EIP-3554, EIP-4345, EIP-5133). */
const bombDelays = [
  ['grayGlacier', 11_400_000n],
  ['arrowGlacier', 10_700_000n],
  ['london', 9_700_000n],
  ['muirGlacier', 9_000_000n],
  ['constantinople', 5_000_000n],
  ['byzantium', 3_000_000n],
] as const

/** Computes the difficulty of a proof-of-work block (geth: consensus/ethash/consensus.go, CalcDifficulty). */
export function nextDifficulty(parent: HeaderFields, timestamp: bigint, rules: ForkRules): bigint {
  const difficulty =
    parent.difficulty + (parent.difficulty / BOUND_DIVISOR) * adjustment(parent, timestamp, rules)
  const bounded = difficulty > MINIMUM_DIFFICULTY ? difficulty : MINIMUM_DIFFICULTY
  const period = bombNumber(parent.number + 1n, rules) / BOMB_PERIOD
  if (period <= 1n) return bounded
  const withBomb = bounded + 2n ** (period - 2n)
  return withBomb > MINIMUM_DIFFICULTY ? withBomb : MINIMUM_DIFFICULTY
}

/** Returns the adjustment in 2048ths of the parent's difficulty. */
function adjustment(parent: HeaderFields, timestamp: bigint, rules: ForkRules): bigint {
  const elapsed = timestamp - parent.timestamp
  if (!rules.gteHardfork('homestead')) return elapsed < FRONTIER_DURATION ? 1n : -1n
  // EIP-100: uncles of the parent count.
  const step = rules.gteHardfork('byzantium')
    ? (bytesEqual(parent.uncleHash, EMPTY_UNCLES_HASH) ? 1n : 2n) - elapsed / 9n
    : 1n - elapsed / 10n
  return step > -99n ? step : -99n
}

/** Returns the block number that the bomb is computed from. */
function bombNumber(number: bigint, rules: ForkRules): bigint {
  const delay = bombDelays.find(([hardfork]) => rules.gteHardfork(hardfork))?.[1] ?? 0n
  return number > delay ? number - delay : 0n
}
