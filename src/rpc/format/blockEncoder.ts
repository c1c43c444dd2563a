import type { BlockEncoder, EncodedBlock, SealedBlock, WireSpan } from '../../chain/block/record.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { bodyMembers, headerMembers } from './header.js'
import { topicCount } from './log.js'
import { placeInBlock } from './place.js'
import { receiptText } from './receipt.js'
import { transactionText } from './transaction.js'

/** Texts that are laid one behind another, with where each of them lies. All of them are ASCII. */
class Region {
  text = ''

  append(text: string): WireSpan {
    const span = { offset: this.text.length, length: text.length }
    this.text += text
    return span
  }

  /** The bytes in memory of their own, so that they may be kept. */
  bytes(): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(this.text.length)
    bytes.write(this.text, 'latin1')
    return bytes
  }
}

function* encode(block: SealedBlock): Steps<EncodedBlock> {
  const region = new Region()
  const place = placeInBlock(block)
  const head = region.append(
    headerMembers(block.hash, block.header) + bodyMembers(block.size, block.uncleHashes, block.withdrawals),
  )
  const transactions: WireSpan[] = []
  for (const [index, sealed] of block.transactions.entries()) {
    if (index > 0) region.append(',')
    transactions.push(region.append(transactionText(sealed, { block: place, index })))
    yield
  }
  const logs: WireSpan[] = []
  const receipts: WireSpan[] = []
  for (const [index, sealed] of block.transactions.entries()) {
    if (index > 0) region.append(',')
    const receipt = receiptText(sealed, { block: place, index }, logs.length)
    const span = region.append(receipt.text)
    for (const log of receipt.logs) logs.push({ offset: span.offset + log.offset, length: log.length })
    receipts.push(span)
    yield
  }
  return { bytes: region.bytes(), head, transactions, receipts, logs }
}

/** Puts sealed blocks into the form in which they are stored and answered. */
export const blockEncoder: BlockEncoder = { encode, topicCount }
