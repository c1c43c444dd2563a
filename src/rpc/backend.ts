import { accessListFees } from '../chain/accounts/feeDefaults.js'
import { Impersonation } from '../chain/accounts/impersonation.js'
import { type KeyedAccount, Keyring } from '../chain/accounts/keyring.js'
import { type CompletedTransaction, type ResendChange, Wallet, resend } from '../chain/accounts/wallet.js'
import { BlockRecords } from '../chain/block/rawParts.js'
import type { CallObject } from '../chain/calls/callObject.js'
import { estimateGas } from '../chain/calls/estimate.js'
import { estimateFromGasUsed, estimateLeast } from '../chain/calls/estimateFromGasUsed.js'
import { MessageExecutor } from '../chain/calls/executor.js'
import { Simulator } from '../chain/calls/simulate/simulator.js'
import type { Chain } from '../chain/chain.js'
import type { Snapshots } from '../chain/controls/snapshots.js'
import { type ForkSchedule, MAX_TRANSACTION_GAS, type MovableSchedule } from '../chain/evm/forkSchedule.js'
import type { SignatureRecoveries } from '../chain/evm/signatureRecoveries.js'
import type { BlobStore, GivenBlobs } from '../chain/mempool/blobs.js'
import type { Mempool } from '../chain/mempool/mempool.js'
import type { SubmittedTransaction, TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import type { PooledTransaction } from '../chain/mempool/transaction.js'
import { BlockBuilder } from '../chain/mining/build.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import type { ChainListener } from '../chain/reader.js'
import { StateRanges } from '../chain/state/stateRange.js'
import { AccountProver } from '../chain/state/accountProof.js'
import { CallSequence, HistoryTracer } from '../chain/tracing/historyTracer.js'
import type { ChainView } from '../chain/view.js'
import type { CompatibilityProfile, LogsRange, PendingFields } from './compatibility.js'
import { Controls, type RemoteControls } from './controls.js'
import { suggestTip } from './fees/suggestTip.js'

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

/** The public members of a class: what a test double has to offer. */
type Public<Class> = Pick<Class, keyof Class>

/** What methods work with. */
export interface Backend {
  chain: ChainView
  executor: Public<MessageExecutor>
  prover: Public<AccountProver>
  tracing: Public<HistoryTracer>
  ranges: Public<StateRanges>
  sequence: Public<CallSequence>
  simulator: Public<Simulator>
  records: Public<BlockRecords>
  builder: Public<BlockBuilder>
  /** The forks of the chain. */
  forks: ForkSchedule
  pool: Public<TransactionPool>
  accounts: Public<Accounts>
  controls: Public<Controls>
  events: { subscribe(listener: ChainListener): () => void }
  settings: RpcSettings
  /** The answer of web3_clientVersion. */
  clientVersion: string
}

/** What a backend is made of. */
export interface BackendParts {
  chain: Chain
  submission: TransactionSubmission
  mining: MiningSchedule
  snapshots: Snapshots
  schedules: MovableSchedule
  recoveries: SignatureRecoveries
  blobs: BlobStore
  remote: RemoteControls
  /** Whether the node reports blocks and calls; changes in place. */
  logging: { enabled: boolean }
  accounts: readonly KeyedAccount[]
  /** Whether transactions of any account are accepted without a signature. */
  autoImpersonate: boolean
  settings: RpcSettings
  clientVersion: string
}

const gasEstimators = { searched: estimateGas, least: estimateLeast, used: estimateFromGasUsed }

/** Makes the backend of a chain. */
export function createBackend(parts: BackendParts): Backend {
  const { chain, submission, mining, schedules, settings } = parts
  const { view, mempool, stores } = chain
  const { compatibility } = settings
  const keyring = new Keyring(parts.accounts)
  const impersonation = new Impersonation({ automatic: parts.autoImpersonate })
  const executor = new MessageExecutor({
    pendingGasLimit: () => chain.settings.gasLimit,
    completeFees: (call, header) => accessListFees(call, header, view.rulesAt(header)),
    estimate: gasEstimators[compatibility.gasEstimate],
    onConsole: (data) => chain.onConsole?.(data),
  })
  applyCompatibility(mempool, { chain, mining, compatibility })
  const wallet = new Wallet({
    keyring,
    impersonation,
    view,
    mempool,
    executor,
    suggestedTip: () => suggestTip(view, settings.startTip),
    nextBaseFee: () => chain.nextBaseFee(),
    createsWithoutData: compatibility.allowsEmptyCreation,
    defaultFeeCap: compatibility.defaultFeeCap,
    allowsZeroFees: compatibility.allowsZeroFees,
    estimatesPlainTransfersStatically: compatibility.estimatesPlainTransfersStatically,
    ...(compatibility.sendsWithBlockGasLimit && { defaultGas: () => mostTransactionGas(chain) }),
    ...(compatibility.fallsBackToBlockGasLimit && { fallbackGas: () => chain.settings.gasLimit }),
  })
  return {
    chain: view,
    executor,
    prover: new AccountProver(stores),
    tracing: new HistoryTracer(stores),
    ranges: new StateRanges(stores),
    sequence: new CallSequence(stores),
    simulator: new Simulator({ stores, schedule: schedules }),
    records: new BlockRecords(stores),
    builder: new BlockBuilder(chain, schedules),
    forks: schedules,
    pool: new TransactionPool({ submission, mempool, wallet, blobs: parts.blobs }),
    accounts: new Accounts(keyring, wallet, compatibility),
    controls: new Controls({ ...parts, executor, keyring, impersonation, wallet, compatibility }),
    events: chain.events,
    settings,
    clientVersion: parts.clientVersion,
  }
}

/** The most gas that a transaction of the next block may have. */
function mostTransactionGas(chain: Pick<Chain, 'settings' | 'nextRules'>): bigint {
  const { gasLimit } = chain.settings
  const isCapped = chain.nextRules().isActivatedEIP(7825)
  return isCapped && gasLimit > MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : gasLimit
}

/** Makes a mempool refuse and replace transactions as the emulated node does. */
function applyCompatibility(
  { options }: Mempool,
  {
    chain,
    mining,
    compatibility,
  }: Pick<BackendParts, 'chain' | 'mining'> & Pick<RpcSettings, 'compatibility'>,
): void {
  if (compatibility.rejectsUnminable)
    options.automineBaseFee = () => (mining.mode.automine ? chain.nextBaseFee() : undefined)
  if (compatibility.rejectsFeeCapBelowBaseFee) options.minimumFeeCap = () => chain.nextBaseFee()
  options.capReplaces = compatibility.higherFeeCapReplaces
  options.contractSenders = compatibility.allowsContractSenders
}

/** The pooled transactions of one sender. */
export interface PoolQueues {
  /** 20 bytes. */
  sender: Uint8Array
  /** Executable now, one after another. */
  pending: readonly PooledTransaction[]
  /** Behind a gap in the nonces. */
  queued: readonly PooledTransaction[]
}

/** Submits transactions, and looks up those in the mempool. */
export class TransactionPool {
  readonly #submission: TransactionSubmission
  readonly #mempool: Mempool
  readonly #wallet: Wallet
  readonly #blobs: BlobStore

  constructor(parts: {
    submission: TransactionSubmission
    mempool: Mempool
    wallet: Wallet
    blobs: BlobStore
  }) {
    this.#submission = parts.submission
    this.#mempool = parts.mempool
    this.#wallet = parts.wallet
    this.#blobs = parts.blobs
  }

  /**
   * Submits a signed transaction; under automine it is mined when this returns.
   *
   * @throws TransactionRejectedError
   */
  sendRaw(raw: Uint8Array): Promise<SubmittedTransaction> {
    return this.#submission.sendRaw(raw)
  }

  /** Fills in, signs and submits a transaction of an account that the node has a key of, or impersonates. */
  send(call: CallObject): Promise<SubmittedTransaction> {
    return this.#submission.sendPrepared(() => this.#wallet.prepare(call))
  }

  /** Submits a transaction of any account without a signature. */
  sendUnsigned(call: CallObject & { from: Uint8Array }): Promise<SubmittedTransaction> {
    return this.#submission.sendPrepared(() => this.#wallet.prepareUnsigned(call))
  }

  /** Submits a pooled transaction again with another price or gas limit. */
  resend(call: CallObject, change: ResendChange): Promise<SubmittedTransaction> {
    return this.#submission.sendPrepared(() => resend(this.#wallet, call, change))
  }

  /** All pooled transactions, by sender. */
  content(): readonly PoolQueues[] {
    return this.#mempool.content()
  }

  /** The pooled transactions of a 20-byte sender. */
  contentFrom(sender: Uint8Array): Pick<PoolQueues, 'pending' | 'queued'> {
    return this.#mempool.contentFrom(sender)
  }

  /** A pooled transaction by its 32-byte hash. */
  get(hash: Uint8Array): PooledTransaction | undefined {
    return this.#mempool.get(hash)
  }

  /** A blob of a submitted transaction, by its 32-byte versioned hash. */
  blob(versionedHash: Uint8Array): Uint8Array | undefined {
    return this.#blobs.get(versionedHash)
  }

  /** The nonce after the last pending transaction of an account. */
  nextNonce(address: Uint8Array): Promise<bigint> {
    return this.#wallet.nextNonce(address)
  }
}

/** The accounts that the node has keys of. */
export class Accounts {
  readonly #keyring: Keyring
  readonly #wallet: Wallet
  readonly #compatibility: Pick<CompatibilityProfile, 'fillsBeforeSigning'>

  constructor(
    keyring: Keyring,
    wallet: Wallet,
    compatibility: Pick<CompatibilityProfile, 'fillsBeforeSigning'>,
  ) {
    this.#keyring = keyring
    this.#wallet = wallet
    this.#compatibility = compatibility
  }

  /** 20 bytes each. */
  addresses(): readonly Uint8Array[] {
    return this.#keyring.addresses()
  }

  /** Signs a message by EIP-191. @returns r, s and v, 65 bytes */
  signMessage(address: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
    return this.#keyring.signMessage(address, message)
  }

  /** Signs typed data by EIP-712. @returns r, s and v, 65 bytes */
  signTypedData(address: Uint8Array, typedData: object): Promise<Uint8Array> {
    return this.#keyring.signTypedData(address, typedData)
  }

  /** Signs a transaction without submitting it. */
  async signTransaction(call: CallObject): Promise<CompletedTransaction> {
    const { fillsBeforeSigning } = this.#compatibility
    const { transaction, hash } = await (fillsBeforeSigning
      ? this.#wallet.prepare(call)
      : this.#wallet.sign(call))
    return { raw: transaction.serialize(), transaction, hash }
  }

  /** Fills in what a transaction of any account leaves open, without signing it. */
  fillTransaction(call: CallObject, blobs?: GivenBlobs): Promise<CompletedTransaction> {
    return this.#wallet.complete(call, blobs)
  }
}
