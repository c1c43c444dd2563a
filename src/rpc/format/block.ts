import type {
  BlockEncoder,
  EncodedBlock,
  SealedBlock,
  SealedTransaction,
  StoredBlock,
  WireSpan,
} from '../../chain/block/record.js'
import type { HeaderFields } from '../../chain/types.js'
import type { ChainView } from '../../chain/view.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { WireBytes } from '../wire.js'
import { logText, topicCount } from './log.js'
import {
  ListWriter,
  type PieceWriter,
  bytesMember,
  jsonBytes,
  jsonQuantity,
  placeInBlock,
  quantityMember,
} from './pieces.js'
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

/** Logs and withdrawals that are written at once. */
const WRITTEN_AT_ONCE = 256

/** The members that a block has beside those of its header, its transactions and its total difficulty. */
export function* bodyMembers({
  size,
  uncleHashes,
  withdrawals,
}: Pick<SealedBlock, 'size' | 'uncleHashes' | 'withdrawals'>): Steps<string> {
  let text = `,"size":${jsonQuantity(size)},"uncles":[${uncleHashes.map(jsonBytes).join(',')}]`
  if (withdrawals === undefined) return text
  text += ',"withdrawals":['
  for (const [place, { index, validatorIndex, address, amount }] of withdrawals.entries()) {
    text +=
      `${place > 0 ? ',' : ''}{"index":${jsonQuantity(index)},"validatorIndex":${jsonQuantity(validatorIndex)}` +
      `,"address":${jsonBytes(address)},"amount":${jsonQuantity(amount)}}`
    if (place % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) yield
  }
  return `${text}]`
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
export function* writePendingBlock(
  block: SealedBlock,
  { shape, fields }: { shape: BlockShape; fields: PendingFields },
  writer: PieceWriter,
): Steps<void> {
  writer.append(headerMembers(block.hash, block.header, nullMembers[fields]))
  writer.append(yield* bodyMembers(block))
  writer.append(`${totalDifficultyMember(block, shape)},"transactions":`)
  const list = new ListWriter(writer)
  for (const [index, { hash }] of block.transactions.entries()) {
    list.append(shape.fullTransactions ? pendingTransactionText(block, index, fields) : jsonBytes(hash))
    yield
  }
  list.end()
  writer.append('}')
}

/** The object of one of its transactions; geth and anvil let them name the provisional block. */
export function pendingTransactionText(block: SealedBlock, index: number, fields: PendingFields): string {
  const sealed = block.transactions[index]
  if (sealed === undefined) return 'null'
  return transactionText(sealed, fields !== 'spec' ? { block: placeInBlock(block), index } : undefined)
}

/**
 * Writes a receipt object, its members sorted by name as in geth (internal/ethapi/api.go, MarshalReceipt).
 *
 * @param logs - takes where each log lies
 * @returns where the receipt lies
 */
function* writeReceipt(
  sealed: SealedTransaction,
  at: MinedAt,
  { region, logs }: { region: Region; logs: WireSpan[] },
): Steps<WireSpan> {
  const { receipt, transaction } = sealed
  const transactionHash = jsonBytes(sealed.hash)
  const { offset } = region.append(
    `{"blockHash":${at.block.hash}${quantityMember('blobGasPrice', receipt.blobGasPrice)}` +
      `${quantityMember('blobGasUsed', receipt.blobGasUsed)},"blockNumber":${at.block.number}` +
      `,"contractAddress":${receipt.contractAddress === undefined ? 'null' : jsonBytes(receipt.contractAddress)}` +
      `,"cumulativeGasUsed":${jsonQuantity(receipt.cumulativeGasUsed)}` +
      `,"effectiveGasPrice":${jsonQuantity(receipt.effectiveGasPrice)},"from":${jsonBytes(sealed.sender)}` +
      `,"gasUsed":${jsonQuantity(receipt.gasUsed)},"logs":[`,
  )
  for (const [position, log] of receipt.logs.entries()) {
    if (position > 0) region.append(',')
    const place = { block: at.block, transactionHash, transactionIndex: at.index, logIndex: logs.length }
    logs.push(region.append(logText(log, place)))
    if (position % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) yield
  }
  region.append(
    `],"logsBloom":${jsonBytes(receipt.logsBloom)}${bytesMember('root', receipt.stateRoot)}` +
      `${quantityMember('status', receipt.stateRoot === undefined ? receipt.status : undefined)}` +
      `,"to":${transaction.to === undefined ? 'null' : jsonBytes(transaction.to.bytes)}` +
      `,"transactionHash":${transactionHash},"transactionIndex":${jsonQuantity(at.index)}` +
      `,"type":"0x${transaction.type}"}`,
  )
  return { offset, length: region.length - offset }
}

/** Characters of a region that are put into bytes at once. */
const TEXT_AT_ONCE = 256 * 1024

/** Texts that are laid one behind another, with where each of them lies. All of them are ASCII. */
class Region {
  length = 0
  #text = ''
  readonly #pieces: Buffer[] = []

  append(text: string): WireSpan {
    const span = { offset: this.length, length: text.length }
    this.length += text.length
    this.#text += text
    // One long string of small ones would take several times its length.
    if (this.#text.length > TEXT_AT_ONCE) {
      this.#pieces.push(Buffer.from(this.#text, 'latin1'))
      this.#text = ''
    }
    return span
  }

  /** The bytes in memory of their own, so that they may be kept. */
  *bytes(): Steps<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(this.length)
    let position = 0
    for (const piece of this.#pieces) {
      bytes.set(piece, position)
      position += piece.length
      yield
    }
    bytes.write(this.#text, position, 'latin1')
    return bytes
  }
}

function* encode(block: SealedBlock): Steps<EncodedBlock> {
  const region = new Region()
  const place = placeInBlock(block)
  const head = region.append(headerMembers(block.hash, block.header) + (yield* bodyMembers(block)))
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
    receipts.push(yield* writeReceipt(sealed, { block: place, index }, { region, logs }))
    yield
  }
  return { bytes: yield* region.bytes(), head, transactions, receipts, logs }
}

/** Puts sealed blocks into the form in which they are stored and answered. */
export const blockEncoder: BlockEncoder = { encode, topicCount }
