import {
  blobBaseFee,
  blobRulesAt,
  headerBlobBaseFee,
  nextBaseFee,
  nextExcessBlobGas,
} from '../../chain/block/header.js'
import type { BlockWire, SealedBlock, StoredBlock } from '../../chain/block/record.js'
import type { HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import { latin1 } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import type { Steps } from '../../encoding/timeSlice.js'

/** Returns the base fee (wei per gas) of the block after a header; undefined before London. */
export function baseFeeAfter(view: ChainView, header: HeaderFields): bigint | undefined {
  const { number, timestamp, difficulty } = header
  return nextBaseFee(header, view.rulesAt({ number: number + 1n, timestamp, difficulty }))
}

/** Returns the blob base fee (wei per blob gas) of a header's own block; undefined before Cancun. */
export function blobBaseFeeAt(view: ChainView, header: HeaderFields): bigint | undefined {
  return headerBlobBaseFee(header, blobRulesAt(view, header))
}

/** Returns the blob base fee (wei per blob gas) of the block after a header; undefined before Cancun. */
export function blobBaseFeeAfter(view: ChainView, header: HeaderFields): bigint | undefined {
  const rules = blobRulesAt(view, { number: header.number + 1n, timestamp: header.timestamp })
  const excess = nextExcessBlobGas(header, rules)
  if (excess === undefined) return undefined
  return blobBaseFee(excess, rules.getBlobGasSchedule().blobGasPriceUpdateFraction)
}

/** Returns blob gas used divided by the block's maximum blob gas; 0 before Cancun. */
export function blobGasUsedRatio(view: ChainView, header: HeaderFields): number {
  if (header.blobGasUsed === undefined || header.blobGasUsed === 0n) return 0
  const { maxBlobGasPerBlock } = blobRulesAt(view, header).getBlobGasSchedule()
  return Number(header.blobGasUsed) / Number(maxBlobGasPerBlock)
}

/** Fee paid by a transaction to the block's producer. */
export interface TransactionFee {
  gasUsed: bigint
  /** Wei per gas above the base fee. */
  tip: bigint
  /** 20 bytes. */
  sender: Uint8Array
}

/** Length of a receipt's prefix, in bytes, that contains all members before its logs. */
const RECEIPT_HEAD_LENGTH = 1024
const feeMembers = /"effectiveGasPrice":"(0x[0-9a-f]+)".*?,"gasUsed":"(0x[0-9a-f]+)"/

const feesOfBlocks = new WeakMap<StoredBlock, readonly TransactionFee[]>()

/** Reads the fees of a stored block's transactions. @returns those by ascending tip */
export function* storedBlockFees(view: ChainView, block: StoredBlock): Steps<readonly TransactionFee[]> {
  const known = feesOfBlocks.get(block)
  if (known !== undefined) return known
  const baseFee = block.header.baseFeePerGas ?? 0n
  const fees: TransactionFee[] = []
  for (const receipt of receiptHeads(view.wire(block), block.transactions.length)) {
    const head = latin1(receipt, 0, Math.min(receipt.length, RECEIPT_HEAD_LENGTH))
    const [, price = '0x0', gasUsed = '0x0'] = feeMembers.exec(head) ?? []
    const { sender } = block.transactions[fees.length]!
    fees.push({ gasUsed: BigInt(gasUsed), tip: BigInt(price) - baseFee, sender })
    if (fees.length % RECEIPTS_AT_ONCE === 0) yield
  }
  const sorted = yield* sortInSteps(fees, compareTips)
  feesOfBlocks.set(block, sorted)
  return sorted
}

/** Number of receipts read at once, and of those read one by one. */
const RECEIPTS_AT_ONCE = 256
const FEW_RECEIPTS = 8

/** Iterates over a block's receipts, or their beginnings if they are long. Those of few transactions may be cached. */
function* receiptHeads(wire: BlockWire, count: number): Iterable<Uint8Array> {
  const areShort = wire.receiptsLength() <= count * 2 * RECEIPT_HEAD_LENGTH
  if (areShort && count < FEW_RECEIPTS) {
    for (let index = 0; index < count; index++) yield wire.receipt(index)
    return
  }
  for (let begin = 0; begin < count; begin += RECEIPTS_AT_ONCE) {
    const end = Math.min(begin + RECEIPTS_AT_ONCE, count)
    if (areShort) yield* wire.receiptsBetween(begin, end)
    else for (let index = begin; index < end; index++) yield wire.receiptStart(index, RECEIPT_HEAD_LENGTH)
  }
}

/** Returns the fees of the pending block's transactions by ascending tip. */
export function sealedBlockFees(block: SealedBlock): Steps<readonly TransactionFee[]> {
  const baseFee = block.header.baseFeePerGas ?? 0n
  const fees = block.transactions.map(({ receipt, sender }) => ({
    gasUsed: receipt.gasUsed,
    tip: receipt.effectiveGasPrice - baseFee,
    sender,
  }))
  return sortInSteps(fees, compareTips)
}

function compareTips(a: TransactionFee, b: TransactionFee): number {
  return a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0
}
