import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { minBigint } from '../../encoding/bigints.js'
import { bytesEqual } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { storedBlockFees } from './blockFees.js'

/**
 * Number of blocks to sample. Nearly empty blocks do not count while fewer than {@link MAX_SAMPLES} tips are in reach.
 */
const CHECKED_BLOCKS = 20
const MAX_SAMPLES = 40
/** Lowest tips sampled per block. */
const SAMPLES_OF_BLOCK = 3
const PERCENTILE = 60
/** Tips below this many wei say nothing about the market. */
const MIN_TIP = 2n
/** Maximum suggestion in wei per gas. */
const MAX_TIP = 500_000_000_000n

const suggestions = new WeakMap<StoredBlock, bigint>()

/**
 * Suggests a tip (wei per gas): the 60th percentile of the lowest tips of recent blocks, with geth's parameters
 * (eth/gasprice/gasprice.go, SuggestTipCap).
 *
 * @param startTip - suggestion while no tips have been paid, and the sample of a block without transactions
 */
export function* suggestTip(view: ChainView, startTip: bigint): Steps<bigint> {
  const head = view.head()
  const known = suggestions.get(head)
  if (known !== undefined) return known
  const samples: bigint[] = []
  let outstanding = CHECKED_BLOCKS
  for (let number = head.header.number; number > 0n && outstanding > 0; number--) {
    outstanding--
    const block = view.blockByNumber(number)
    const tips = block === undefined ? [] : yield* sampleTips(view, block)
    yield
    if (tips.length <= 1 && samples.length + 1 + outstanding < MAX_SAMPLES) outstanding++
    samples.push(...(tips.length > 0 ? tips : [startTip]))
  }
  samples.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const sample = samples[Math.floor(((samples.length - 1) * PERCENTILE) / 100)] ?? startTip
  const tip = minBigint(sample, MAX_TIP)
  suggestions.set(head, tip)
  return tip
}

/**
 * Returns the lowest tip (wei per gas) paid in the head, at least `startTip` (foundry: anvil/src/eth/backend,
 * lowest_suggestion_tip).
 */
export function* lowestTip(view: ChainView, startTip: bigint): Steps<bigint> {
  const [lowest] = yield* storedBlockFees(view, view.head())
  return lowest === undefined || lowest.tip < startTip ? startTip : lowest.tip
}

/** Returns a block's lowest tips, except those paid by its own fee recipient. */
function* sampleTips(view: ChainView, block: StoredBlock): Steps<bigint[]> {
  const fees = yield* storedBlockFees(view, block)
  return fees
    .filter(({ tip, sender }) => tip >= MIN_TIP && !bytesEqual(sender, block.header.coinbase))
    .slice(0, SAMPLES_OF_BLOCK)
    .map(({ tip }) => tip)
}
