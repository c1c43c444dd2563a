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
import type { PendingFields } from '../compatibility.js'
import { WireBytes } from '../wire.js'
import { logText, topicCount } from './log.js'
import {
  ListWriter,
  type PieceWriter,
  bytesMember,
  jsonBytes,
  jsonQuantity,
  blockReference,
  quantityMember,
} from './pieces.js'
import { type MinedAt, transactionText } from './transaction.js'

/** Format of blocks. */
export interface BlockShape {
  /** Whether transactions are full objects rather than hashes. */
  fullTransactions: boolean
  /** Whether to include `totalDifficulty`. */
  totalDifficulty: boolean
}

/** Returns the object of a stored block. */
export function blockWire(view: ChainView, block: StoredBlock, shape: BlockShape): WireBytes {
  return new WireBytes([
    view.wire(block).head(),
    `${totalDifficultyMember(block, shape)},"transactions":[`,
    shape.fullTransactions ? view.wire(block).transactions() : hashesText(block.transactions),
    ']}',
  ])
}

/** Returns the `totalDifficulty` member, if included. */
export function totalDifficultyMember(
  { totalDifficulty }: Pick<StoredBlock, 'totalDifficulty'>,
  shape: Pick<BlockShape, 'totalDifficulty'>,
): string {
  return shape.totalDifficulty ? `,"totalDifficulty":${jsonQuantity(totalDifficulty)}` : ''
}

/** Joins the hashes of transactions with commas. */
function hashesText(transactions: readonly { hash: Uint8Array }[]): string {
  return transactions.map(({ hash }) => jsonBytes(hash)).join(',')
}

/** Returns the object of a header: a block without size, transactions, uncles and withdrawals. */
export function headerWire({ hash, header }: Pick<StoredBlock, 'hash' | 'header'>): WireBytes {
  return new WireBytes([`${headerMembers(hash, header)}}`])
}

/** Returns the object of an uncle: a block without transactions. */
export function uncleWire(hash: Uint8Array, header: HeaderFields): WireBytes {
  return new WireBytes([`${headerMembers(hash, header)},"uncles":[]}`])
}

type NullableMember = 'hash' | 'number' | 'nonce' | 'logsBloom' | 'miner' | 'mixHash'

/** Members to set to null. */
export type NullMembers = ReadonlySet<NullableMember>

/** The empty set. */
const noNullMembers: NullMembers = new Set()

/**
 * Returns a header's members as JSON text, with an opening brace but no closing one. Members of inactive forks are
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

/** Returns the object of a header with all its members, null where the fork has none (geth: core/types/block.go). */
export function completeHeaderText(hash: Uint8Array, header: HeaderFields): string {
  const orNull = (value: bigint | Uint8Array | undefined): string =>
    value === undefined ? 'null' : typeof value === 'bigint' ? jsonQuantity(value) : jsonBytes(value)
  return (
    `{"parentHash":${jsonBytes(header.parentHash)},"sha3Uncles":${jsonBytes(header.uncleHash)}` +
    `,"miner":${jsonBytes(header.coinbase)},"stateRoot":${jsonBytes(header.stateRoot)}` +
    `,"transactionsRoot":${jsonBytes(header.transactionsRoot)},"receiptsRoot":${jsonBytes(header.receiptsRoot)}` +
    `,"logsBloom":${jsonBytes(header.logsBloom)},"difficulty":${jsonQuantity(header.difficulty)}` +
    `,"number":${jsonQuantity(header.number)},"gasLimit":${jsonQuantity(header.gasLimit)}` +
    `,"gasUsed":${jsonQuantity(header.gasUsed)},"timestamp":${jsonQuantity(header.timestamp)}` +
    `,"extraData":${jsonBytes(header.extraData)},"mixHash":${jsonBytes(header.mixHash)}` +
    `,"nonce":${jsonBytes(header.nonce)},"baseFeePerGas":${orNull(header.baseFeePerGas)}` +
    `,"withdrawalsRoot":${orNull(header.withdrawalsRoot)},"blobGasUsed":${orNull(header.blobGasUsed)}` +
    `,"excessBlobGas":${orNull(header.excessBlobGas)}` +
    `,"parentBeaconBlockRoot":${orNull(header.parentBeaconBlockRoot)}` +
    `,"requestsHash":${orNull(header.requestsHash)},"blockAccessListHash":null,"slotNumber":null` +
    `,"hash":${jsonBytes(hash)}}`
  )
}

/** Logs and withdrawals written at once. */
const WRITTEN_AT_ONCE = 256

/** Writes a block's members other than those of the header, the transactions and the total difficulty. */
export function* bodyMembers({
  size,
  uncleHashes,
  withdrawals,
}: Pick<SealedBlock, 'size' | 'uncleHashes' | 'withdrawals'>): Steps<string> {
  let text = `,"size":${jsonQuantity(size)},"uncles":[${uncleHashes.map(jsonBytes).join(',')}]`
  if (withdrawals === undefined) return text
  text += ',"withdrawals":['
  for (const [place, withdrawal] of withdrawals.entries()) {
    text += (place > 0 ? ',' : '') + withdrawalText(withdrawal)
    if (place % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) yield
  }
  return `${text}]`
}

/** Returns the object of a withdrawal. */
export function withdrawalText({ index, validatorIndex, address, amount }: Withdrawal): string {
  return (
    `{"index":${jsonQuantity(index)},"validatorIndex":${jsonQuantity(validatorIndex)}` +
    `,"address":${jsonBytes(address)},"amount":${jsonQuantity(amount)}}`
  )
}

/**
 * Null members in the provider's documentation, in geth (internal/ethapi/api.go, GetBlockByNumber) and in hardhat; none
 * in anvil.
 */
const nullMembers: Readonly<Record<PendingFields, NullMembers>> = {
  spec: new Set(['hash', 'number', 'nonce', 'logsBloom']),
  geth: new Set(['hash', 'nonce', 'miner']),
  anvil: new Set(),
  hardhat: new Set(['number', 'nonce', 'mixHash']),
}

/** The members that place a transaction in a block. */
const placeMembers = /"(block(?:Hash|Number)|transactionIndex)":"\w+"/g

/** Writes the object of the pending block. */
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
    list.append(shape.fullTransactions ? provisionalTransactionText(block, index, fields) : jsonBytes(hash))
    yield
  }
  list.end()
  writer.append('}')
}

/**
 * Returns a transaction of the pending block. With `geth` and `anvil` it refers to the provisional block, with
 * `hardhat` it has only its gas price there.
 */
export function provisionalTransactionText(block: SealedBlock, index: number, fields: PendingFields): string {
  const sealed = block.transactions[index]
  if (sealed === undefined) return 'null'
  const at = fields === 'spec' ? undefined : { block: blockReference(block), index }
  const text = transactionText(sealed, at)
  return fields === 'hardhat' ? text.replace(placeMembers, '"$1":null') : text
}

/**
 * Writes a receipt object, its members sorted by name like geth's (internal/ethapi/api.go, MarshalReceipt).
 *
 * @param logs - receives the position of each log
 * @returns the position of the receipt
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
    const location = { block: at.block, transactionHash, transactionIndex: at.index, logIndex: logs.length }
    logs.push(region.append(logText(log, location)))
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

/** Characters of a region encoded at once. */
const TEXT_AT_ONCE = 256 * 1024

/** Concatenates ASCII texts and records their positions. */
class Region {
  length = 0
  #text = ''
  readonly #pieces: Buffer[] = []

  append(text: string): WireSpan {
    const span = { offset: this.length, length: text.length }
    this.length += text.length
    this.#text += text
    // A single string built from small ones would take several times its length in memory.
    if (this.#text.length > TEXT_AT_ONCE) {
      this.#pieces.push(Buffer.from(this.#text, 'latin1'))
      this.#text = ''
    }
    return span
  }

  /** Returns the bytes in a buffer of their own, so that the caller may keep them. */
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

/** Returns the receipts of a block that is not stored, joined by commas. */
export function* receiptsOf(block: SealedBlock): Steps<Uint8Array> {
  const { bytes, receipts } = yield* encode(block)
  const [first, last] = [receipts[0], receipts.at(-1)]
  return first === undefined || last === undefined
    ? new Uint8Array(0)
    : bytes.subarray(first.offset, last.offset + last.length)
}

function* encode(block: SealedBlock): Steps<EncodedBlock> {
  const region = new Region()
  const reference = blockReference(block)
  const head = region.append(headerMembers(block.hash, block.header) + (yield* bodyMembers(block)))
  const transactions: WireSpan[] = []
  for (const [index, sealed] of block.transactions.entries()) {
    if (index > 0) region.append(',')
    transactions.push(region.append(transactionText(sealed, { block: reference, index })))
    yield
  }
  const logs: WireSpan[] = []
  const receipts: WireSpan[] = []
  for (const [index, sealed] of block.transactions.entries()) {
    if (index > 0) region.append(',')
    receipts.push(yield* writeReceipt(sealed, { block: reference, index }, { region, logs }))
    yield
  }
  return { bytes: yield* region.bytes(), head, transactions, receipts, logs }
}

/** Encodes sealed blocks in the form in which they are stored and served. */
export const blockEncoder: BlockEncoder = { encode, topicCount }
