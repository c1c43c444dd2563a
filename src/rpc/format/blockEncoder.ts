import type {
  BlockEncoder,
  EncodedBlock,
  SealedBlock,
  SealedTransaction,
  WireSpan,
} from '../../chain/block/record.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { bodyMembers, headerMembers } from './header.js'
import { logText, topicCount } from './log.js'
import { bytesMember, jsonBytes, jsonQuantity, placeInBlock, quantityMember } from './members.js'
import { type MinedAt, transactionText } from './transaction.js'

/** A receipt in wire form and where its logs lie in it. */
export interface ReceiptText {
  text: string
  /** Offset and length of each log within the text. */
  logs: { offset: number; length: number }[]
}

/**
 * A receipt object as JSON text, its members sorted by name as in geth (internal/ethapi/api.go, MarshalReceipt).
 *
 * @param firstLogIndex - index in the block of the first log
 */
export function receiptText(sealed: SealedTransaction, at: MinedAt, firstLogIndex: number): ReceiptText {
  const { receipt, transaction } = sealed
  const transactionHash = jsonBytes(sealed.hash)
  let text =
    `{"blockHash":${at.block.hash}${quantityMember('blobGasPrice', receipt.blobGasPrice)}` +
    `${quantityMember('blobGasUsed', receipt.blobGasUsed)},"blockNumber":${at.block.number}` +
    `,"contractAddress":${receipt.contractAddress === undefined ? 'null' : jsonBytes(receipt.contractAddress)}` +
    `,"cumulativeGasUsed":${jsonQuantity(receipt.cumulativeGasUsed)}` +
    `,"effectiveGasPrice":${jsonQuantity(receipt.effectiveGasPrice)},"from":${jsonBytes(sealed.sender)}` +
    `,"gasUsed":${jsonQuantity(receipt.gasUsed)},"logs":[`
  const logs = receipt.logs.map((log, position) => {
    if (position > 0) text += ','
    const place = {
      block: at.block,
      transactionHash,
      transactionIndex: at.index,
      logIndex: firstLogIndex + position,
    }
    const one = logText(log, place)
    const span = { offset: text.length, length: one.length }
    text += one
    return span
  })
  text +=
    `],"logsBloom":${jsonBytes(receipt.logsBloom)}${bytesMember('root', receipt.stateRoot)}` +
    `${quantityMember('status', receipt.stateRoot === undefined ? receipt.status : undefined)}` +
    `,"to":${transaction.to === undefined ? 'null' : jsonBytes(transaction.to.bytes)}` +
    `,"transactionHash":${transactionHash},"transactionIndex":${jsonQuantity(at.index)}` +
    `,"type":"0x${transaction.type}"}`
  return { text, logs }
}

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
