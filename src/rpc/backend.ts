import { accessListFees } from '../chain/accounts/feeDefaults.js'
import { Impersonation } from '../chain/accounts/impersonation.js'
import { type KeyedAccount, Keyring } from '../chain/accounts/keyring.js'
import { Wallet } from '../chain/accounts/wallet.js'
import { BlockRecords } from '../chain/block/rawParts.js'
import type { CallObject } from '../chain/calls/callObject.js'
import { estimateGas } from '../chain/calls/estimate.js'
import { estimateFromGasUsed, estimateMinimumGas } from '../chain/calls/estimateFromGasUsed.js'
import { MessageExecutor } from '../chain/calls/executor.js'
import { Simulator } from '../chain/calls/simulate/simulator.js'
import type { Chain } from '../chain/chain.js'
import type { Snapshots } from '../chain/controls/snapshots.js'
import { type ForkSchedule, MAX_TRANSACTION_GAS, type MovableSchedule } from '../chain/evm/forkSchedule.js'
import type { SignatureRecoveries } from '../chain/evm/signatureRecoveries.js'
import type { BlobStore } from '../chain/mempool/blobs.js'
import type { Mempool } from '../chain/mempool/mempool.js'
import type { TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import { BlockBuilder } from '../chain/mining/build.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import type { ChainListener } from '../chain/reader.js'
import { StateRanges } from '../chain/state/stateRange.js'
import { AccountProver } from '../chain/state/accountProof.js'
import { CallSequence, HistoryTracer } from '../chain/tracing/historyTracer.js'
import type { ChainView } from '../chain/view.js'
import { type Awaitable, TimeSlice, runWithin, whenReady } from '../encoding/timeSlice.js'
import type { CompatibilityProfile, LogsRange, PendingFields } from './compatibility.js'
import { Controls, type RemoteControls } from './controls.js'
import { blobBaseFeeAt } from './fees/blockFees.js'
import { lowestTip, suggestTip } from './fees/suggestTip.js'
import { estimatedAsGiven } from './methods/transactionRequest.js'
import { FilterFeed } from './subscriptions/filterFeed.js'

/** Limits and choices that apply to methods. */
export interface RpcSettings {
  /** Maximum number of logs per query. */
  maxLogs: number
  /** Maximum duration of a log query. */
  logTimeoutMilliseconds: number
  /** Maximum number of addresses and topics per query, counted together. */
  maxLogParameters: number
  /** Maximum number of blocks per query; unlimited if undefined. */
  maxLogRange?: number | undefined
  /**
   * Whether a range beyond the head or up to `pending` is refused like in geth, or clamped like in development nodes.
   */
  logsRange: LogsRange
  /** Whether the error for too many logs suggests a range that fits. */
  logsError: 'plain' | 'suggest'
  /** Gas cap of calls and estimates, as a multiple of the block gas limit; 10 if undefined. */
  gasCapInBlocks?: number | undefined
  /** Suggested tip in wei per gas while no tips have been paid. */
  startTip: bigint
  /** Maximum bytes of traces, or of listed state, per request. */
  maxTraceBytes: number
  /** Whether blocks have a total difficulty. */
  totalDifficulty: boolean
  /** Which members of the pending block are null; undefined lets the path decide, see {@link pendingFieldsOf}. */
  pendingFields: PendingFields | undefined
  /** Choices where the development nodes disagree. */
  compatibility: CompatibilityProfile
}

/** The public members of a class, which a test double must provide. */
type Public<Class> = Pick<Class, keyof Class>

/** Services for methods. */
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
  /** Fork schedule of the chain. */
  forks: ForkSchedule
  /** Submits transactions; with automine, they are mined before it returns. */
  submission: Pick<TransactionSubmission, 'sendRaw' | 'sendPrepared'>
  mempool: Pick<Mempool, 'bytes' | 'content' | 'contentFrom' | 'gappedSize' | 'get' | 'pendingSize' | 'size'>
  /** Blobs of submitted transactions. */
  blobs: Pick<BlobStore, 'get'>
  /** Builds transactions from accounts whose keys the node holds. */
  wallet: Public<Wallet>
  /** Default tip of transactions, in wei per gas. */
  suggestedTip: () => Awaitable<bigint>
  /** Highest gas limit of a transaction in a block with the configured gas limit. */
  maxTransactionGas: () => bigint
  keyring: Pick<Keyring, 'first' | 'addresses' | 'has' | 'signMessage' | 'signTypedData'>
  controls: Public<Controls>
  events: { subscribe(listener: ChainListener): () => void }
  filterFeed: Public<FilterFeed>
  settings: RpcSettings
  /** Answer of web3_clientVersion. */
  clientVersion: string
}

/** Parts of a backend. */
export interface BackendParts {
  chain: Chain
  submission: TransactionSubmission
  mining: MiningSchedule
  snapshots: Snapshots
  schedules: MovableSchedule
  recoveries: SignatureRecoveries
  blobs: BlobStore
  remote: RemoteControls
  /** Whether the node logs blocks and calls; updated in place. */
  logging: { enabled: boolean }
  accounts: readonly KeyedAccount[]
  /** Whether unsigned transactions from any account are accepted. */
  autoImpersonate: boolean
  settings: RpcSettings
  clientVersion: string
}

const tipSuggestions = {
  sampled: (view: ChainView, startTip: bigint) => runWithin(suggestTip(view, startTip), new TimeSlice()),
  lowest: (view: ChainView, startTip: bigint) => runWithin(lowestTip(view, startTip), new TimeSlice()),
  fixed: (_: ChainView, startTip: bigint) => startTip,
}

const gasEstimators = { searched: estimateGas, least: estimateMinimumGas, used: estimateFromGasUsed }

/** Creates the backend of a chain. */
export function createBackend(parts: BackendParts): Backend {
  const { chain, submission, schedules, settings } = parts
  const { view, mempool, stores } = chain
  const { compatibility } = settings
  const suggestedTip = (): Awaitable<bigint> =>
    tipSuggestions[compatibility.suggestedTip](view, settings.startTip)
  const keyring = new Keyring(parts.accounts)
  const impersonation = new Impersonation({ automatic: parts.autoImpersonate })
  const { gasLimit: configuredGasLimit } = chain.settings
  const executor = new MessageExecutor({
    pendingGasLimit: () => chain.settings.gasLimit,
    estimateLimit: compatibility.gasEstimate === 'used' ? configuredGasLimit : undefined,
    completeFees: (header) =>
      whenReady(suggestedTip(), (tip) => {
        const blobBaseFee = blobBaseFeeAt(view, header)
        return (call) => accessListFees(call, header, { blobBaseFee, suggestedTip: tip })
      }),
    estimate: gasEstimators[compatibility.gasEstimate],
    onConsole: (data) => chain.onConsole?.(data),
  })
  const wallet = new Wallet({
    keyring,
    impersonation,
    view,
    mempool,
    executor,
    suggestedTip,
    nextBaseFee: () => chain.nextBaseFee(),
    createsWithoutData: compatibility.allowsEmptyCreation,
    ...(compatibility.suggestedTip === 'lowest' && { defaultTip: settings.startTip }),
    keepsChainId: compatibility.fillReturnsPendingTransaction,
    defaultFeeCap: compatibility.defaultFeeCap,
    gasPriceWins: compatibility.allowsGasPriceWithFeeCaps,
    defersFeeChecksToMempool: compatibility.defersFeeChecksToMempool,
    estimatesPlainTransfersStatically: compatibility.estimatesPlainTransfersStatically,
    ...(compatibility.estimatesGivenFields && {
      estimatedCall: (given: CallObject) => estimatedAsGiven(given, compatibility.callBaseFee),
    }),
    ...(compatibility.defaultsToBlockGasLimit && {
      defaultGas: () => maxTransactionGas(chain, configuredGasLimit),
    }),
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
    submission,
    mempool,
    blobs: parts.blobs,
    wallet,
    suggestedTip,
    maxTransactionGas: () => maxTransactionGas(chain, configuredGasLimit),
    keyring,
    controls: new Controls({ ...parts, executor, keyring, impersonation, wallet, compatibility }),
    events: chain.events,
    filterFeed: new FilterFeed({ chain: view, events: chain.events }),
    settings,
    clientVersion: parts.clientVersion,
  }
}

/**
 * Returns the highest gas limit allowed for a transaction in a block with this gas limit under the next block's rules.
 */
function maxTransactionGas(chain: Pick<Chain, 'nextRules'>, gasLimit: bigint): bigint {
  const isCapped = chain.nextRules().isActivatedEIP(7825)
  return isCapped && gasLimit > MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : gasLimit
}

/** Makes a mempool refuse and replace transactions like the emulated node. */
export function applyCompatibility(
  { options }: Mempool,
  {
    chain,
    mining,
    compatibility,
  }: Pick<BackendParts, 'chain' | 'mining'> & Pick<RpcSettings, 'compatibility'>,
): void {
  options.checksAsHardhat = compatibility.transactionChecks === 'hardhat'
  if (compatibility.rejectsUnminable)
    options.automineBaseFee = () => (mining.mode.automine ? chain.nextBaseFee() : undefined)
  if (compatibility.transactionChecks === 'anvil') options.anvilBaseFee = () => chain.nextBaseFee()
  options.capReplaces = compatibility.higherFeeCapReplaces
  options.contractSenders = compatibility.allowsContractSenders
}
