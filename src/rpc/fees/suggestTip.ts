import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { bytesEqual } from '../../encoding/hex.js'
import { storedBlockFees } from './blockFees.js'

/** Blocks that are looked at, and the most that are looked at where blocks hold little. */
const checkedBlocks = 20
const maxCheckedBlocks = 40
/** Lowest tips that are taken from each block. */
const samplesOfBlock = 3
const percentile = 60
/** Tips below this many wei say nothing about the market. */
const leastTip = 2n
/** No more than this is suggested, in wei. */
const maxTip = 500_000_000_000n

const suggestions = new WeakMap<StoredBlock, bigint>()

/**
 * The tip (wei per gas) that a transaction should offer: the 60th percentile of the lowest tips of recent blocks, with
 * the parameters of geth (eth/gasprice/gasprice.go, SuggestTipCap).
 *
 * @param startTip - what is suggested where nothing was paid yet, and what a block without transactions counts for
 */
export function suggestTip(view: ChainView, startTip: bigint): bigint {
  const head = view.head()
  const known = suggestions.get(head)
  if (known !== undefined) return known
  const samples: bigint[] = []
  let budget = checkedBlocks
  for (let number = head.header.number, checked = 0; number > 0n && checked < budget; number--, checked++) {
    const block = view.blockByNumber(number)
    const tips = block === undefined ? [] : sampleTips(view, block)
    samples.push(...(tips.length > 0 ? tips : [startTip]))
    if (tips.length <= 1 && budget < maxCheckedBlocks) budget += 1
  }
  samples.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const sample = samples[Math.floor(((samples.length - 1) * percentile) / 100)] ?? startTip
  const tip = sample < maxTip ? sample : maxTip
  suggestions.set(head, tip)
  return tip
}

/** A block's lowest tips; those of its own producer are left out. */
function sampleTips(view: ChainView, block: StoredBlock): bigint[] {
  return storedBlockFees(view, block)
    .filter(({ tip, sender }) => tip >= leastTip && !bytesEqual(sender, block.header.coinbase))
    .slice(0, samplesOfBlock)
    .map(({ tip }) => tip)
}
