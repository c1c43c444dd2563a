import type { SealedTransaction } from '../../chain/block/record.js'
import { logText } from './log.js'
import { bytesMember, jsonBytes, jsonQuantity, quantityMember } from './members.js'
import type { MinedAt } from './transaction.js'

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
