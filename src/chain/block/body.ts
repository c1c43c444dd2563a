import { RLP } from '@ethereumjs/rlp'
import type { TypedTransaction } from '@ethereumjs/tx'
import { minimalBytes } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { keccak256 } from '../crypto.js'
import { EncodedItem, type RlpInput, encodeListInSteps, encodeRlp, payloadStart } from '../rlp.js'
import { EMPTY_TRIE_ROOT, type Nibbles, encodePath, nibblesOf } from '../state/nodeRecord.js'
import type { ExecutionLog, ExecutionReceipt, HeaderFields, Withdrawal } from '../types.js'
import type { BlockExecution } from '../vm/block.js'
import { encodeHeader, headerToList } from './header.js'
import type { SealedBlock, SealedTransaction } from './record.js'

/** Returns a withdrawal as the list that its RLP encodes (EIP-4895). */
export function withdrawalToList(withdrawal: Withdrawal): Uint8Array[] {
  return [
    minimalBytes(withdrawal.index),
    minimalBytes(withdrawal.validatorIndex),
    withdrawal.address,
    minimalBytes(withdrawal.amount),
  ]
}

/** The parts of a block's RLP. */
export interface BlockParts {
  header: HeaderFields
  transactions: readonly TypedTransaction[]
  uncles: readonly HeaderFields[]
  withdrawals?: readonly (Withdrawal | EncodedItem)[] | undefined
}

/**
 * Encodes a block as it travels between nodes and in chain files. Typed transactions are byte strings within it.
 *
 * @param header the RLP of the header, if already known
 */
export function* encodeBlockInSteps(
  parts: BlockParts,
  header = encodeHeader(parts.header),
): Steps<Uint8Array> {
  const transactions: (Uint8Array | EncodedItem)[] = []
  for (const transaction of parts.transactions) {
    const bytes = serializedTransaction(transaction)
    transactions.push(transaction.type === 0 ? new EncodedItem(bytes) : bytes)
    if (transactions.length % ITEMS_AT_ONCE === 0) yield
  }
  const list: RlpInput[] = [
    new EncodedItem(header),
    new EncodedItem(yield* encodeListInSteps(transactions)),
    parts.uncles.map(headerToList),
  ]
  if (parts.withdrawals !== undefined) {
    list.push(parts.withdrawals.map((one) => (one instanceof EncodedItem ? one : withdrawalToList(one))))
  }
  return encodeRlp(list)
}

/** Encodes a sealed block as RLP. */
export function encodeSealedBlock({
  transactions,
  ...rest
}: Omit<SealedBlock, 'hash' | 'size'>): Steps<Uint8Array> {
  return encodeBlockInSteps({ ...rest, transactions: transactions.map(({ transaction }) => transaction) })
}

/** Items of a block encoded or hashed between two yields. */
const ITEMS_AT_ONCE = 256

/** Encodes each withdrawal as RLP. */
function* encodeWithdrawals(withdrawals: readonly Withdrawal[]): Steps<Uint8Array[]> {
  const encoded: Uint8Array[] = []
  for (const withdrawal of withdrawals) {
    encoded.push(encodeRlp(withdrawalToList(withdrawal)))
    if (encoded.length % ITEMS_AT_ONCE === 0) yield
  }
  return encoded
}

/** Path of a leaf that is alone in the trie: the hex-prefix encoding of RLP(0), which is 0x80. */
const FIRST_PATH = Uint8Array.of(0x20, 0x80)

/** A trie node as a nested list, ready for RLP. */
type NodeList = (Uint8Array | NodeList)[]

interface Entry {
  nibbles: Nibbles
  value: Uint8Array
}

/**
 * Computes the root of the trie that maps RLP(index) to each value: transactionsRoot, receiptsRoot and withdrawalsRoot
 * of a block (Yellow Paper, 4.3.2; geth: core/types/hashing.go, DeriveSha).
 *
 * @returns 32 bytes
 */
export function* orderedRoot(values: readonly Uint8Array[]): Steps<Uint8Array> {
  const [first] = values
  if (first === undefined) return EMPTY_TRIE_ROOT
  if (values.length === 1) return keccak256(encodeRlp([FIRST_PATH, first]))
  const entries: Entry[] = []
  for (const [index, value] of values.entries()) {
    entries.push({ nibbles: nibblesOf(RLP.encode(index), 0), value })
    if (entries.length % ITEMS_AT_ONCE === 0) yield
  }
  // RLP(0) is 0x80, so it sorts after all other single bytes and before all longer keys.
  const ascending = [...entries.slice(1, 128), ...entries.slice(0, 1), ...entries.slice(128)]
  return keccak256(encodeRlp(yield* buildLarge(ascending, 0)))
}

/** Builds a node. The keys RLP(index) are never prefixes of one another, so branches have no values. */
function buildNode(entries: Entry[], depth: number): NodeList {
  const first = entries[0]!
  if (entries.length === 1) return [encodePath(first.nibbles.subarray(depth), { leaf: true }), first.value]
  const shared = sharedDepth(entries, depth)
  if (shared > depth) return extension(entries, { depth, shared }, buildNode(entries, shared))
  const branch = emptyBranch()
  for (const { nibble, below } of childrenOf(entries, depth)) {
    branch[nibble] = reference(buildNode(below, depth + 1))
  }
  return branch
}

/** Incremental version of {@link buildNode}: yields between large subtrees. */
function* buildLarge(entries: Entry[], depth: number): Steps<NodeList> {
  if (entries.length <= ITEMS_AT_ONCE) {
    yield
    return buildNode(entries, depth)
  }
  const shared = sharedDepth(entries, depth)
  if (shared > depth) return extension(entries, { depth, shared }, yield* buildLarge(entries, shared))
  const branch = emptyBranch()
  for (const { nibble, below } of childrenOf(entries, depth)) {
    branch[nibble] = reference(yield* buildLarge(below, depth + 1))
  }
  return branch
}

/** Returns the depth in nibbles to which all keys agree. */
function sharedDepth(entries: readonly Entry[], depth: number): number {
  const first = entries[0]!
  const last = entries[entries.length - 1]!
  let shared = depth
  while (first.nibbles[shared] === last.nibbles[shared]) shared++
  return shared
}

function extension(
  [first]: readonly Entry[],
  { depth, shared }: { depth: number; shared: number },
  child: NodeList,
): NodeList {
  return [encodePath(first!.nibbles.subarray(depth, shared), { leaf: false }), reference(child)]
}

function emptyBranch(): NodeList {
  return new Array<Uint8Array>(17).fill(new Uint8Array(0))
}

/** Iterates over the entries of each child of a branch. */
function* childrenOf(entries: Entry[], depth: number): Generator<{ nibble: number; below: Entry[] }> {
  for (let start = 0; start < entries.length;) {
    const nibble = entries[start]!.nibbles[depth]!
    let end = start
    while (end < entries.length && entries[end]!.nibbles[depth] === nibble) end++
    yield { nibble, below: entries.slice(start, end) }
    start = end
  }
}

/** Embeds a node in its parent: itself if its RLP is shorter than 32 bytes, otherwise its hash. */
function reference(node: NodeList): Uint8Array | NodeList {
  const encoded = encodeRlp(node)
  return encoded.length < 32 ? node : keccak256(encoded)
}

const known = new WeakMap<TypedTransaction, Uint8Array>()

/** Caches the EIP-2718 encoding that a transaction arrived in, without blobs and in its own memory. */
export function rememberSerialized(transaction: TypedTransaction, bytes: Uint8Array): void {
  known.set(transaction, bytes)
}

/**
 * Returns the EIP-2718 encoding of a transaction, without blobs. ethereumjs encodes it again each time, and a block
 * needs it for its size, its root and its record.
 */
export function serializedTransaction(transaction: TypedTransaction): Uint8Array {
  let bytes = known.get(transaction)
  if (bytes === undefined) {
    bytes = transaction.serialize()
    known.set(transaction, bytes)
  }
  return bytes
}

/** Everything that a block is sealed from besides its execution. */
export interface SealInput {
  /** The header that the block was executed under. */
  header: HeaderFields
  /** State root after the block, 32 bytes. */
  stateRoot: Uint8Array
  parentTotalDifficulty: bigint
  /** Since Shanghai. */
  withdrawals?: readonly Withdrawal[]
  altered: boolean
  /** 32 bytes; set if it differs from the parent's root. */
  parentStateRoot?: Uint8Array
}

/** Computes the root of the encoded transactions. */
function transactionsRoot(transactions: readonly SealedTransaction[]): Steps<Uint8Array> {
  return orderedRoot(transactions.map(({ transaction }) => serializedTransaction(transaction)))
}

/** Completes and hashes the header of an executed block. */
export function* sealBlock(
  { transactions }: Pick<BlockExecution, 'transactions'>,
  outcome: Awaited<ReturnType<BlockExecution['finish']>>,
  { header: draft, stateRoot, parentTotalDifficulty, withdrawals, altered, parentStateRoot }: SealInput,
): Steps<SealedBlock> {
  const ofTransactions = yield* transactionsRoot(transactions)
  yield
  const receipts = yield* encodeReceipts(transactions)
  yield
  const ofReceipts = yield* orderedRoot(receipts)
  yield
  const ownWithdrawals = withdrawals && (yield* encodeWithdrawals(withdrawals))
  const ofWithdrawals = ownWithdrawals ? yield* orderedRoot(ownWithdrawals) : draft.withdrawalsRoot
  // Drafted, sealed and decoded headers list their members in the same order, to share one V8 shape.
  const header: HeaderFields = {
    parentHash: draft.parentHash,
    uncleHash: draft.uncleHash,
    coinbase: draft.coinbase,
    stateRoot,
    transactionsRoot: ofTransactions,
    receiptsRoot: ofReceipts,
    logsBloom: outcome.logsBloom,
    difficulty: draft.difficulty,
    number: draft.number,
    gasLimit: draft.gasLimit,
    gasUsed: outcome.gasUsed,
    timestamp: draft.timestamp,
    extraData: draft.extraData,
    mixHash: draft.mixHash,
    nonce: draft.nonce,
    baseFeePerGas: draft.baseFeePerGas,
    withdrawalsRoot: ofWithdrawals,
    blobGasUsed: outcome.blobGasUsed ?? draft.blobGasUsed,
    excessBlobGas: draft.excessBlobGas,
    parentBeaconBlockRoot: draft.parentBeaconBlockRoot,
    requestsHash: outcome.requestsHash ?? draft.requestsHash,
  }
  const headerRlp = encodeHeader(header)
  const block = yield* encodeBlockInSteps(
    {
      header,
      transactions: transactions.map(({ transaction }) => transaction),
      uncles: [],
      withdrawals: ownWithdrawals?.map((bytes) => new EncodedItem(bytes)),
    },
    headerRlp,
  )
  return {
    hash: keccak256(headerRlp),
    header,
    transactions,
    uncles: [],
    uncleHashes: [],
    withdrawals,
    size: block.length,
    encoded: { header: headerRlp, block, receipts },
    totalDifficulty: parentTotalDifficulty + header.difficulty,
    altered,
    parentStateRoot,
  }
}

/** The 256-byte bloom without logs. It may be shared, because a finished bloom is never modified. */
export const EMPTY_BLOOM: Uint8Array = new Uint8Array(256)

/** Sets the three bits of an address or topic in a 256-byte bloom (Yellow Paper, 4.3.1, M3:2048). */
function addToBloom(bloom: Uint8Array, entry: Uint8Array): void {
  const hash = keccak256(entry)
  for (let i = 0; i < 6; i += 2) {
    const bit = ((hash[i]! << 8) | hash[i + 1]!) & 2047
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
}

/** Computes the 256-byte bloom of the addresses and topics of logs. */
export function* logsBloom(logs: readonly ExecutionLog[]): Steps<Uint8Array> {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = new Uint8Array(256)
  for (const [index, { address, topics }] of logs.entries()) {
    addToBloom(bloom, address)
    for (const topic of topics) addToBloom(bloom, topic)
    if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield
  }
  return bloom
}

/** Returns the union of blooms, as in a block header. */
export function joinBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const filled = blooms.filter((bloom) => bloom !== EMPTY_BLOOM)
  const [only] = filled
  if (only === undefined) return EMPTY_BLOOM
  if (filled.length === 1) return only
  const joined = new Uint8Array(256)
  for (const bloom of filled) {
    for (let i = 0; i < 256; i++) joined[i]! |= bloom[i]!
  }
  return joined
}

/**
 * Encodes a receipt in its consensus form (EIP-2718, EIP-658), as in receiptsRoot and debug_getRawReceipts. Typed
 * transactions prepend their type byte.
 */
function* encodeReceipt(receipt: ExecutionReceipt, transactionType: number): Steps<Uint8Array> {
  const outcome = receipt.stateRoot ?? minimalBytes(BigInt(receipt.status ?? 0))
  const fields = [
    outcome,
    minimalBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.length > ITEMS_AT_ONCE ? yield* encodeLogs(receipt.logs) : receipt.logs.map(logToList),
  ]
  if (transactionType === 0) return encodeRlp(fields)
  const typed = encodeRlp(fields, 1)
  typed[0] = transactionType
  return typed
}

function logToList({ address, topics, data }: ExecutionLog): RlpInput {
  return [address, topics, data]
}

/** Encodes logs as RLP, many per item. */
function* encodeLogs(logs: readonly ExecutionLog[]): Steps<EncodedItem[]> {
  const items: EncodedItem[] = []
  for (let start = 0; start < logs.length; start += ITEMS_AT_ONCE) {
    const list = encodeRlp(logs.slice(start, start + ITEMS_AT_ONCE).map(logToList))
    items.push(new EncodedItem(list.subarray(payloadStart(list, 0))))
    yield
  }
  return items
}

/** Encodes the receipts of transactions in consensus form. */
export function* encodeReceipts(transactions: readonly SealedTransaction[]): Steps<Uint8Array[]> {
  const encoded: Uint8Array[] = []
  for (const { transaction, receipt } of transactions) {
    encoded.push(yield* encodeReceipt(receipt, transaction.type))
    if (encoded.length % ITEMS_AT_ONCE === 0) yield
  }
  return encoded
}
