import type {
  BlockEncoder,
  EncodedBlock,
  SealedBlock,
  SealedTransaction,
  StoredBlock,
  WireSpan,
} from '../../chain/block/record.js'
import type { HeaderFields, Withdrawal } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { WireBytes } from '../wire.js'
import { logText, topicCount } from './log.js'
import { bytesMember, jsonBytes, jsonQuantity, placeInBlock, quantityMember } from './pieces.js'
import { type MinedAt, transactionText } from './transaction.js'

/** How blocks are shown. */
export interface BlockShape {
  /** Whether transactions are whole objects; otherwise they are their hashes. */
  fullTransactions: boolean
  /** Whether there is a member `totalDifficulty`. */
  totalDifficulty: boolean
}

/** The object of a stored block. */
export function blockWire(view: ChainView, block: StoredBlock, shape: BlockShape): WireBytes {
  return new WireBytes([
    view.wire(block).head(),
    `${totalDifficultyMember(block, shape)},"transactions":[`,
    shape.fullTransactions ? view.wire(block).transactions() : hashesText(block.transactions),
    ']}',
  ])
}

/** The member `totalDifficulty`, if it is wanted. */
export function totalDifficultyMember(
  { totalDifficulty }: Pick<StoredBlock, 'totalDifficulty'>,
  shape: Pick<BlockShape, 'totalDifficulty'>,
): string {
  return shape.totalDifficulty ? `,"totalDifficulty":${jsonQuantity(totalDifficulty)}` : ''
}

/** The hashes of transactions, joined by commas. */
export function hashesText(transactions: readonly { hash: Uint8Array }[]): string {
  return transactions.map(({ hash }) => jsonBytes(hash)).join(',')
}

/** The object of a header: a block without size, transactions, uncles and withdrawals. */
export function headerWire({ hash, header }: Pick<StoredBlock, 'hash' | 'header'>): WireBytes {
  return new WireBytes([`${headerMembers(hash, header)}}`])
}

/** The object of an uncle: a block without transactions. */
export function uncleWire(hash: Uint8Array, header: HeaderFields): WireBytes {
  return new WireBytes([`${headerMembers(hash, header)},"uncles":[]}`])
}

type NullableMember = 'hash' | 'number' | 'nonce' | 'logsBloom' | 'miner' | 'mixHash'

/** Members that are null instead of what the header says. */
export type NullMembers = ReadonlySet<NullableMember>

/** No member is null. */
export const noNullMembers: NullMembers = new Set()

/**
 * The members of a header as JSON text with an opening brace and no closing one; those of forks that are not active are
 * absent (geth: internal/ethapi/api.go, RPCMarshalHeader).
 */
export function headerMembers(hash: Uint8Array, header: HeaderFields, nulls = noNullMembers): string {
  const orNull = (name: NullableMember, text: string): string =>
    `,"${name}":${nulls.has(name) ? 'null' : text}`
  return (
    `{"difficulty":${jsonQuantity(header.difficulty)}` +
    quantityMember('baseFeePerGas', header.baseFeePerGas) +
    quantityMember('blobGasUsed', header.blobGasUsed) +
    quantityMember('excessBlobGas', header.excessBlobGas) +
    `,"extraData":${jsonBytes(header.extraData)},"gasLimit":${jsonQuantity(header.gasLimit)}` +
    `,"gasUsed":${jsonQuantity(header.gasUsed)}` +
    orNull('hash', jsonBytes(hash)) +
    orNull('logsBloom', jsonBytes(header.logsBloom)) +
    orNull('miner', jsonBytes(header.coinbase)) +
    orNull('mixHash', jsonBytes(header.mixHash)) +
    orNull('nonce', jsonBytes(header.nonce)) +
    orNull('number', jsonQuantity(header.number)) +
    bytesMember('parentBeaconBlockRoot', header.parentBeaconBlockRoot) +
    `,"parentHash":${jsonBytes(header.parentHash)},"receiptsRoot":${jsonBytes(header.receiptsRoot)}` +
    bytesMember('requestsHash', header.requestsHash) +
    `,"sha3Uncles":${jsonBytes(header.uncleHash)},"stateRoot":${jsonBytes(header.stateRoot)}` +
    `,"timestamp":${jsonQuantity(header.timestamp)},"transactionsRoot":${jsonBytes(header.transactionsRoot)}` +
    bytesMember('withdrawalsRoot', header.withdrawalsRoot)
  )
}

/** The members that a block has beside those of its header, its transactions and its total difficulty. */
export function bodyMembers(
  size: number,
  uncleHashes: readonly Uint8Array[],
  withdrawals: readonly Withdrawal[] | undefined,
): string {
  const text = `,"size":${jsonQuantity(size)},"uncles":[${uncleHashes.map(jsonBytes).join(',')}]`
  if (withdrawals === undefined) return text
  const entries = withdrawals.map(
    ({ index, validatorIndex, address, amount }) =>
      `{"index":${jsonQuantity(index)},"validatorIndex":${jsonQuantity(validatorIndex)}` +
      `,"address":${jsonBytes(address)},"amount":${jsonQuantity(amount)}}`,
  )
  return `${text},"withdrawals":[${entries.join(',')}]`
}

/** Which members of the pending block are null, and whether its transactions name it. */
export type PendingFields = 'spec' | 'geth' | 'anvil' | 'hardhat'

/**
 * By the provider's documentation; by geth (internal/ethapi/api.go, GetBlockByNumber); by hardhat; anvil leaves out
 * nothing.
 */
const nullMembers: Readonly<Record<PendingFields, NullMembers>> = {
  spec: new Set(['hash', 'number', 'nonce', 'logsBloom']),
  geth: new Set(['hash', 'nonce', 'miner']),
  anvil: new Set(),
  hardhat: new Set(['number', 'nonce', 'mixHash']),
}

/** The object of the pending block. */
export function pendingBlockWire(block: SealedBlock, shape: BlockShape, fields: PendingFields): WireBytes {
  const transactions = shape.fullTransactions
    ? block.transactions.map((_, index) => pendingTransactionText(block, index, fields)).join(',')
    : hashesText(block.transactions)
  return new WireBytes([
    headerMembers(block.hash, block.header, nullMembers[fields]) +
      bodyMembers(block.size, block.uncleHashes, block.withdrawals) +
      totalDifficultyMember(block, shape) +
      `,"transactions":[${transactions}]}`,
  ])
}

/** The object of one of its transactions; geth and anvil let them name the provisional block. */
export function pendingTransactionText(block: SealedBlock, index: number, fields: PendingFields): string {
  const sealed = block.transactions[index]
  if (sealed === undefined) return 'null'
  return transactionText(sealed, fields !== 'spec' ? { block: placeInBlock(block), index } : undefined)
}

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
