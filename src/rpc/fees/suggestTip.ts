import { blobBaseFee, headerBlobBaseFee, nextBaseFee, nextExcessBlobGas } from '../../chain/block/header.js'
import type { SealedBlock, StoredBlock } from '../../chain/block/record.js'
import type { ForkRules, HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import { bytesEqual } from '../../encoding/hex.js'

/** The rules under which the block after a header runs. */
function rulesAfter(view: ChainView, header: HeaderFields): ForkRules {
  const { number, timestamp, difficulty } = header
  return view.rulesAt({ number: number + 1n, timestamp, difficulty })
}

/** The base fee (wei per gas) of the block after a header; undefined before London. */
export function baseFeeAfter(view: ChainView, header: HeaderFields): bigint | undefined {
  return nextBaseFee(header, rulesAfter(view, header))
}

/** The wei per blob gas in the block of a header; undefined before Cancun. */
export function blobBaseFeeAt(view: ChainView, header: HeaderFields): bigint | undefined {
  return headerBlobBaseFee(header, view.rulesAt(header))
}

/** The wei per blob gas in the block after a header; undefined before Cancun. */
export function blobBaseFeeAfter(view: ChainView, header: HeaderFields): bigint | undefined {
  const rules = rulesAfter(view, header)
  const excess = nextExcessBlobGas(header, rules)
  if (excess === undefined) return undefined
  return blobBaseFee(excess, rules.getBlobGasSchedule().blobGasPriceUpdateFraction)
}

/** Which part of the blob gas that a block may use is used; 0 before Cancun. */
export function blobGasUsedRatio(view: ChainView, header: HeaderFields): number {
  if (header.blobGasUsed === undefined || header.blobGasUsed === 0n) return 0
  return Number(header.blobGasUsed) / Number(view.rulesAt(header).getBlobGasSchedule().maxBlobGasPerBlock)
}

/** What one transaction of a block paid to the block's producer. */
export interface TransactionFee {
  gasUsed: bigint
  /** Wei per gas above the base fee. */
  tip: bigint
  /** 20 bytes. */
  sender: Uint8Array
}

/** Bytes of a receipt within which the members before its logs lie. */
const receiptHeadLength = 1024
const feeMembers = /"effectiveGasPrice":"(0x[0-9a-f]+)".*?,"gasUsed":"(0x[0-9a-f]+)"/

const feesOfBlocks = new WeakMap<StoredBlock, readonly TransactionFee[]>()

/** The fees of a stored block's transactions, by rising tip. */
export function storedBlockFees(view: ChainView, block: StoredBlock): readonly TransactionFee[] {
  const known = feesOfBlocks.get(block)
  if (known !== undefined) return known
  const baseFee = block.header.baseFeePerGas ?? 0n
  const fees = block.transactions.map(({ sender }, index) => {
    const head = Buffer.from(view.wire(block).receipt(index).subarray(0, receiptHeadLength)).toString(
      'latin1',
    )
    const [, price = '0x0', gasUsed = '0x0'] = feeMembers.exec(head) ?? []
    return { gasUsed: BigInt(gasUsed), tip: BigInt(price) - baseFee, sender }
  })
  const sorted = byTip(fees)
  feesOfBlocks.set(block, sorted)
  return sorted
}

/** The fees of the pending block's transactions, by rising tip. */
export function sealedBlockFees(block: SealedBlock): readonly TransactionFee[] {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return byTip(
    block.transactions.map(({ receipt, sender }) => ({
      gasUsed: receipt.gasUsed,
      tip: receipt.effectiveGasPrice - baseFee,
      sender,
    })),
  )
}

function byTip(fees: readonly TransactionFee[]): readonly TransactionFee[] {
  return fees.toSorted((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
}

/** Blocks that are looked at; one more for each that holds little, until there are so many samples. */
const checkedBlocks = 20
const maxSamples = 40
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
  const tip = sample < maxTip ? sample : maxTip
  suggestions.set(head, tip)
  return tip
}

/**
 * The lowest tip (wei per gas) that the head's transactions paid, at least `startTip` (foundry: anvil/src/eth/backend,
 * lowest_suggestion_tip).
 */
export function lowestTip(view: ChainView, startTip: bigint): bigint {
  const [lowest] = storedBlockFees(view, view.head())
  return lowest === undefined || lowest.tip < startTip ? startTip : lowest.tip
}

/** A block's lowest tips; those of its own producer are left out. */
function sampleTips(view: ChainView, block: StoredBlock): bigint[] {
  return storedBlockFees(view, block)
    .filter(({ tip, sender }) => tip >= leastTip && !bytesEqual(sender, block.header.coinbase))
    .slice(0, samplesOfBlock)
    .map(({ tip }) => tip)
}
