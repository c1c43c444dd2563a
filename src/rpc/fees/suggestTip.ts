import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { minBigint } from '../../encoding/bigints.js'
import { bytesEqual } from '../../encoding/hex.js'
import { storedBlockFees } from './blockFees.js'

/** Number of blocks to sample. Nearly empty blocks do not count while fewer than `maxSamples` tips are in reach. */
const checkedBlocks = 20
const maxSamples = 40
/** Lowest tips sampled per block. */
const samplesOfBlock = 3
const percentile = 60
/** Tips below this many wei say nothing about the market. */
const minTip = 2n
/** Maximum suggestion in wei per gas. */
const maxTip = 500_000_000_000n

const suggestions = new WeakMap<StoredBlock, bigint>()

/**
 * Suggests a tip (wei per gas): the 60th percentile of the lowest tips of recent blocks, with geth's parameters
 * (eth/gasprice/gasprice.go, SuggestTipCap).
 *
 * @param startTip - suggestion while no tips have been paid, and the sample of a block without transactions
 */
export function suggestTip(view: ChainView, startTip: bigint): bigint {
  const head = view.head()
  const known = suggestions.get(head)
  if (known !== undefined) return known
  const samples: bigint[] = []
  let outstanding = checkedBlocks
  for (let number = head.header.number; number > 0n && outstanding > 0; number--) {
    outstanding--
    const block = view.blockByNumber(number)
    const tips = block === undefined ? [] : sampleTips(view, block)
    if (tips.length <= 1 && samples.length + 1 + outstanding < maxSamples) outstanding++
    samples.push(...(tips.length > 0 ? tips : [startTip]))
  }
  samples.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const sample = samples[Math.floor(((samples.length - 1) * percentile) / 100)] ?? startTip
  const tip = minBigint(sample, maxTip)
  suggestions.set(head, tip)
  return tip
}

/**
 * Returns the lowest tip (wei per gas) paid in the head, at least `startTip` (foundry: anvil/src/eth/backend,
 * lowest_suggestion_tip).
 */
export function lowestTip(view: ChainView, startTip: bigint): bigint {
  const [lowest] = storedBlockFees(view, view.head())
  return lowest === undefined || lowest.tip < startTip ? startTip : lowest.tip
}

/** Returns a block's lowest tips, except those paid by its own fee recipient. */
function sampleTips(view: ChainView, block: StoredBlock): bigint[] {
  return storedBlockFees(view, block)
    .filter(({ tip, sender }) => tip >= minTip && !bytesEqual(sender, block.header.coinbase))
    .slice(0, samplesOfBlock)
    .map(({ tip }) => tip)
}
