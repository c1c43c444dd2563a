import type { StateRanges } from '../chain/state/stateRange.js'
import type { GivenBlobs } from '../chain/mempool/blobs.js'
import type { BlobSidecar, PooledTransaction } from '../chain/mempool/transaction.js'
import type { ResendChange } from '../chain/accounts/wallet.js'
import type { StoredBlock } from '../chain/block/record.js'
import type { AccessListResult } from '../chain/calls/accessList.js'
import type { CallBaseFee } from '../chain/calls/call.js'
import type { CallObject } from '../chain/calls/callObject.js'
import type { AccountOverride } from '../chain/calls/overrides.js'
import type { Simulator } from '../chain/calls/simulate/simulator.js'
import type { ChainListener } from '../chain/reader.js'
import type { ForkSchedule } from '../chain/evm/forkSchedule.js'
import type { BuiltBlock, PayloadAttributes } from '../chain/mining/build.js'
import type { CallSequence, HistoryTracer } from '../chain/tracing/historyTracer.js'
import type { AccountState, Awaitable, HeaderFields, StateView } from '../chain/types.js'
import type { BlockSelector, ChainView } from '../chain/view.js'
import type { BlockOverrides } from '../chain/vm/blockEnvironment.js'
import type { CompatibilityProfile, LogsRange, PendingFields } from './compatibility.js'
import type { Controls } from './controls.js'

/** A message to execute without a transaction. */
export interface ExecutionRequest {
  view: ChainView
  /** The block whose state and header the message sees. */
  block: BlockSelector
  call: CallObject
  stateOverrides?: readonly AccountOverride[] | undefined
  blockOverrides?: BlockOverrides | undefined
  /** A block override that only eth_simulateV1 can do; named, it is refused. */
  unsupportedOverride?: string | undefined
  /** The most gas, as a multiple of the block's gas limit. */
  gasCapInBlocks?: number | undefined
  /** The base fee of the block that the message runs in; kept unless given. */
  baseFee?: CallBaseFee | undefined
  /** Whether the message runs although its sender cannot pay for it. */
  unfunded?: boolean | undefined
}

/** Executes messages. */
export interface Executor {
  /** What the message returns. @throws ExecutionRevertedError, ExecutionFailedError or MessageRejectedError */
  call(request: ExecutionRequest): Awaitable<Uint8Array>
  /** The gas that the message needs. @throws as `call` does */
  estimateGas(request: ExecutionRequest): Awaitable<bigint>
  /** @throws InvalidCallError or MessageRejectedError; a failure of the virtual machine is part of the outcome */
  createAccessList(request: ExecutionRequest): Awaitable<AccessListResult>
}

/** The proof of one slot. */
export interface StorageProof {
  /** RLP of the nodes from the storage root down. */
  proof: readonly Uint8Array[]
  value: bigint
}

/** The proof of an account and of some of its slots. */
export interface AccountProof {
  /** Undefined if the state has no such account. */
  account?: AccountState | undefined
  /** RLP of the nodes from the state root down. */
  accountProof: readonly Uint8Array[]
  /** In the order of the slots that were asked for. */
  storageProof: readonly StorageProof[]
}

/** Proves what a state holds. */
export interface Prover {
  /** @param slots - 32 bytes each */
  prove(state: StateView, address: Uint8Array, slots: readonly Uint8Array[]): Awaitable<AccountProof>
}

/** Makes blocks that are not stored; see chain/calls/simulate. */
export type BlockSimulator = Pick<Simulator, 'simulate'>

/** The waiting transactions of one sender. */
export interface PoolQueues {
  /** 20 bytes. */
  sender: Uint8Array
  /** Those that can be executed one after another now. */
  pending: readonly PooledTransaction[]
  /** Those behind a gap in the nonces. */
  queued: readonly PooledTransaction[]
}

/** Traces what was executed and what could be; see chain/tracing. */
export type Tracing = Pick<HistoryTracer, 'traceBlock' | 'traceCall' | 'traceCalls' | 'intermediateRoots'>

/** Lists what states hold; see chain/state. */
export type Ranges = Pick<
  StateRanges,
  'accounts' | 'storageRoot' | 'storage' | 'code' | 'changedAccounts' | 'preimage'
>

/** Runs calls on one state that is thrown away; see chain/tracing. */
export type CallSequences = Pick<CallSequence, 'run'>

/** Consensus forms of what is stored. */
export interface BlockRecords {
  /** RLP of the whole block. */
  rawBlock(block: StoredBlock): Uint8Array
  /** Each receipt in its EIP-2718 form. */
  rawReceipts(block: StoredBlock): readonly Uint8Array[]
  /** The transaction in its EIP-2718 form. */
  rawTransaction(block: StoredBlock, index: number): Uint8Array
  /** All transactions of the block in their EIP-2718 forms. */
  rawTransactions(block: StoredBlock): readonly Uint8Array[]
  uncles(block: StoredBlock): readonly HeaderFields[]
  /** The code with a 32-byte keccak-256 hash, if an account of any block had it. */
  code(hash: Uint8Array): Uint8Array | undefined
}

/** A block to build without storing it. */
export interface BuildRequest {
  /** 32 bytes. */
  parentHash: Uint8Array
  attributes: PayloadAttributes
  /** EIP-2718 forms of just the transactions that it has; what waits in the mempool if undefined. */
  transactions: readonly Uint8Array[] | undefined
  /** The chain's own if undefined. */
  extraData: Uint8Array | undefined
}

/** Builds blocks. */
export interface BlockBuilder {
  /** @throws ChainError if the block cannot be */
  build(order: BuildRequest): Promise<BuiltBlock>
}

/** Takes transactions and tells about those that wait. */
export interface TransactionPool {
  /**
   * Takes a signed transaction; under automine it is mined when this returns.
   *
   * @returns its hash
   * @throws TransactionRejectedError
   */
  sendRaw(raw: Uint8Array): Awaitable<Uint8Array>
  /** Fills in, signs and takes a transaction of one of the node's accounts. @returns its hash */
  send(call: CallObject): Awaitable<Uint8Array>
  /** Sends a transaction that waits already again, with another price or gas limit. @returns its hash */
  resend(call: CallObject, change: ResendChange): Awaitable<Uint8Array>
  /** Everything that waits, by sender. */
  content(): readonly PoolQueues[]
  /** What waits of one 20-byte sender. */
  contentFrom(sender: Uint8Array): Pick<PoolQueues, 'pending' | 'queued'>
  /** A transaction that waits, executable or not. */
  get(hash: Uint8Array): PooledTransaction | undefined
  /** A blob of a transaction that came in, by its 32-byte versioned hash. */
  blob(versionedHash: Uint8Array): Uint8Array | undefined
  /** The nonce after the last executable transaction of an account. */
  nextNonce(address: Uint8Array): Awaitable<bigint>
}

/** A transaction that was signed and not sent. */
export interface SignedTransaction {
  raw: Uint8Array
  /** Of a blob transaction whose blobs came along. */
  sidecar?: BlobSidecar
  transaction: PooledTransaction['transaction']
  hash: Uint8Array
}

/** The accounts that the node holds keys of. */
export interface Accounts {
  addresses(): readonly Uint8Array[]
  /** Signs a message by EIP-191. @returns r, s and v, 65 bytes */
  signMessage(address: Uint8Array, message: Uint8Array): Uint8Array
  /** Who signed a message by EIP-191, 20 bytes. @param signature - r, s and v, 65 bytes. @throws ChainError */
  messageSigner(message: Uint8Array, signature: Uint8Array): Uint8Array
  /** Signs typed data by EIP-712. @returns r, s and v, 65 bytes */
  signTypedData(address: Uint8Array, typedData: unknown): Awaitable<Uint8Array>
  signTransaction(call: CallObject): Awaitable<SignedTransaction>
  /** A transaction of any account with everything that the caller left open, unsigned. */
  fillTransaction(call: CallObject, blobs?: GivenBlobs): Awaitable<SignedTransaction>
}

/** Limits and choices that methods answer by. */
export interface RpcSettings {
  /** Most logs of one query. */
  maxLogs: number
  /** Longest a log query may run. */
  logTimeoutMilliseconds: number
  /** Most addresses and topics of one query together. */
  maxLogParameters: number
  /** Most blocks of one query; no limit if undefined. */
  maxLogRange?: number | undefined
  /** Whether a range beyond the head or up to `pending` is refused as in geth, or cut as development nodes do. */
  logsRange: LogsRange
  /** Whether the refusal of too many logs names a range that would do. */
  logsError: 'plain' | 'suggest'
  /** The most gas of a call or an estimate, as a multiple of the block's gas limit; 10 if undefined. */
  gasCapInBlocks?: number | undefined
  /** Wei per gas that is suggested as a tip where nothing was paid yet. */
  startTip: bigint
  /** Most bytes of the traces of one request. */
  maxTraceBytes: number
  /** Whether blocks have a total difficulty. */
  totalDifficulty: boolean
  /** Which members of the pending block are null; undefined lets the path decide, see {@link pendingFieldsOf}. */
  pendingFields: PendingFields | undefined
  /** What prevails where the development nodes disagree. */
  compatibility: CompatibilityProfile
}

/** What methods work with; each member is one capability, joined at the composition root. */
export interface Backend {
  chain: ChainView
  executor: Executor
  prover: Prover
  tracing: Tracing
  ranges: Ranges
  sequence: CallSequences
  simulator: BlockSimulator
  records: BlockRecords
  builder: BlockBuilder
  /** The forks of the chain. */
  forks: ForkSchedule
  pool: TransactionPool
  accounts: Accounts
  controls: Controls
  events: { subscribe(listener: ChainListener): () => void }
  settings: RpcSettings
  /** As web3_clientVersion answers it. */
  clientVersion: string
}
