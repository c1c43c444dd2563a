import type { HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import { minBigint } from '../../encoding/bigints.js'
import { quantity } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { ResponseTooLargeError, ServerError } from '../errors.js'
import { findBlock, isPending, latestBlock } from '../methods/findBlock.js'
import type { NumberSelector } from '../params/blockSelector.js'
import type { JsonValue } from '../wire.js'
import {
  type TransactionFee,
  baseFeeAfter,
  blobBaseFeeAfter,
  blobBaseFeeAt,
  blobGasUsedRatio,
  sealedBlockFees,
  storedBlockFees,
} from './blockFees.js'

/** Maximum numbers of blocks and percentiles (geth: eth/gasprice/feehistory.go). */
const MAX_BLOCKS = 1024n
const MAX_PERCENTILES = 100
/** Maximum number of rewards where that of percentiles is not checked. */
const MAX_REWARDS = Number(MAX_BLOCKS) * MAX_PERCENTILES

/** A block, reduced to what fee history needs. */
interface HistoryBlock {
  header: HeaderFields
  fees: readonly TransactionFee[]
}

/** Source of a fee history. */
export interface FeeHistorySource {
  view: ChainView
  /** The chain itself, which may be ahead of the view. */
  chain: ChainView
  /** Base fee (wei per gas) set by a control for the block after the chain's head. */
  imposedBaseFee: bigint | undefined
  /** Whether a history without percentiles has an empty reward list rather than none. */
  answersEmptyRewards: boolean
  /** Whether a percentile may equal its predecessor. */
  takesEqualPercentiles: boolean
  /**
   * Whether, as in anvil, `pending` means the head, the last base fee is always that of the head's successor,
   * percentiles are not checked, and a count of zero means one.
   */
  endsAtHead: boolean
}

/** Parameters of a fee history. */
export interface FeeHistoryQuery {
  count: bigint
  newest: NumberSelector
  percentiles: readonly number[]
}

/**
 * Computes the result of eth_feeHistory.
 *
 * @throws ServerError with geth's message if the percentiles or the newest block are invalid
 */
export async function feeHistory(
  source: FeeHistorySource,
  { count: given, newest: named, percentiles }: FeeHistoryQuery,
): Promise<JsonValue> {
  const { view, chain, imposedBaseFee, answersEmptyRewards, endsAtHead } = source
  const count = endsAtHead && given < 1n ? 1n : given
  const newest: NumberSelector = endsAtHead && isPending(named) ? latestBlock : named
  if (count < 1n) return { oldestBlock: '0x0', gasUsedRatio: null }
  if (!endsAtHead) checkPercentiles(percentiles, source)
  const blocks = await collectBlocks(view, minBigint(count, MAX_BLOCKS), newest)
  const headers = blocks.map(({ header }) => header)
  if (percentiles.length * blocks.length > MAX_REWARDS) throw new ResponseTooLargeError()
  const [oldest] = headers
  const last = headers.at(-1)
  if (oldest === undefined || last === undefined) return { oldestBlock: '0x0', gasUsedRatio: null }
  const before = endsAtHead ? chain.head().header : last
  const imposed = before === chain.head().header ? imposedBaseFee : undefined
  const noRewards = answersEmptyRewards ? [] : undefined
  const nextBaseFee = imposed ?? baseFeeAfter(view, before)
  return {
    oldestBlock: quantity(oldest.number),
    reward:
      percentiles.length > 0 ? await runInSlices(rewardsOf(blocks, percentiles), new TimeSlice()) : noRewards,
    baseFeePerGas: [...headers.map((header) => header.baseFeePerGas), nextBaseFee].map(orZero),
    gasUsedRatio: headers.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    baseFeePerBlobGas: [
      ...headers.map((header) => blobBaseFeeAt(view, header)),
      blobBaseFeeAfter(view, last),
    ].map(orZero),
    blobGasUsedRatio: headers.map((header) => blobGasUsedRatio(view, header)),
  }
}

function orZero(value: bigint | undefined): string {
  return quantity(value ?? 0n)
}

/** Formats any number with six decimals. */
function fixed(value: number): string {
  return Math.abs(value) < 1e21 ? value.toFixed(6) : `${BigInt(value)}.000000`
}

function checkPercentiles(
  percentiles: readonly number[],
  { takesEqualPercentiles }: Pick<FeeHistorySource, 'takesEqualPercentiles'>,
): void {
  const refuse = (what: string): never => {
    throw new ServerError(`invalid reward percentile: ${what}`)
  }
  if (percentiles.length > MAX_PERCENTILES) refuse(`over the query limit ${MAX_PERCENTILES}`)
  percentiles.forEach((percentile, index) => {
    if (percentile < 0 || percentile > 100) refuse(fixed(percentile))
    const before = percentiles[index - 1]
    if (before === percentile && takesEqualPercentiles) return
    if (before !== undefined && percentile <= before) {
      refuse(`#${index - 1}:${before.toFixed(6)} >= #${index}:${percentile.toFixed(6)}`)
    }
  })
}

/** Returns the blocks up to the newest, oldest first, but none before the genesis. */
async function collectBlocks(
  view: ChainView,
  count: bigint,
  newest: NumberSelector,
): Promise<HistoryBlock[]> {
  const blocks: HistoryBlock[] = []
  const slice = new TimeSlice()
  let last: bigint
  if (isPending(newest)) {
    const { block } = await view.pendingBlock()
    blocks.push({ header: block.header, fees: await runInSlices(sealedBlockFees(block), slice) })
    last = block.header.number - 1n
  } else {
    last = newestNumber(view, newest)
  }
  for (let number = last; number >= 0n && BigInt(blocks.length) < count; number--) {
    const block = view.blockByNumber(number)
    if (block === undefined) break
    blocks.push({ header: block.header, fees: await runInSlices(storedBlockFees(view, block), slice) })
    await slice.pause()
  }
  return blocks.reverse()
}

function newestNumber(view: ChainView, newest: NumberSelector): bigint {
  const block = findBlock(view, newest)
  if (block !== undefined) return block.header.number
  const requested = 'number' in newest ? newest.number : 0n
  throw new ServerError(
    `request beyond head block: requested ${requested}, head ${view.head().header.number}`,
  )
}

function* rewardsOf(blocks: readonly HistoryBlock[], percentiles: readonly number[]): Steps<string[][]> {
  const all: string[][] = []
  for (const block of blocks) {
    all.push(rewards(block, percentiles))
    yield
  }
  return all
}

/** Returns the tip at each percentile of a block's gas used. */
function rewards({ header, fees }: HistoryBlock, percentiles: readonly number[]): string[] {
  let index = 0
  let sum = fees[0]?.gasUsed ?? 0n
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100))
    while (sum < threshold && index < fees.length - 1) {
      index += 1
      sum += fees[index]?.gasUsed ?? 0n
    }
    return quantity(fees[index]?.tip ?? 0n)
  })
}
