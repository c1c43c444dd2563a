import { accessListFees } from '../chain/accounts/feeDefaults.js'
import { Impersonation } from '../chain/accounts/impersonation.js'
import { type KeyedAccount, Keyring } from '../chain/accounts/keyring.js'
import { Wallet } from '../chain/accounts/wallet.js'
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
import type { CompatibilityProfile, LogsRange, PendingFields } from './compatibility.js'
import { Controls, type RemoteControls } from './controls.js'
import { lowestTip, suggestTip } from './fees/suggestTip.js'
import { estimatedAsGiven } from './methods/transactionRequest.js'

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
  /** Submits transactions; under automine they are mined when that returns. */
  submission: Pick<TransactionSubmission, 'sendRaw' | 'sendPrepared'>
  mempool: Pick<Mempool, 'content' | 'contentFrom' | 'get'>
  /** The blobs of submitted transactions. */
  blobs: Pick<BlobStore, 'get'>
  /** Makes transactions of the accounts that the node has keys of. */
  wallet: Public<Wallet>
  /** Wei per gas above the base fee that transactions offer by default. */
  suggestedTip: () => bigint
  keyring: Pick<Keyring, 'addresses' | 'has' | 'signMessage' | 'signTypedData'>
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

const tipSuggestions = {
  sampled: suggestTip,
  lowest: lowestTip,
  fixed: (_: ChainView, startTip: bigint) => startTip,
}

const gasEstimators = { searched: estimateGas, least: estimateLeast, used: estimateFromGasUsed }

/** Makes the backend of a chain. */
export function createBackend(parts: BackendParts): Backend {
  const { chain, submission, mining, schedules, settings } = parts
  const { view, mempool, stores } = chain
  const { compatibility } = settings
  const suggestedTip = (): bigint => tipSuggestions[compatibility.suggestedTip](view, settings.startTip)
  const keyring = new Keyring(parts.accounts)
  const impersonation = new Impersonation({ automatic: parts.autoImpersonate })
  const executor = new MessageExecutor({
    pendingGasLimit: () => chain.settings.gasLimit,
    completeFees: (call, header) =>
      accessListFees(call, header, { rules: view.rulesAt(header), suggestedTip: suggestedTip() }),
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
    suggestedTip,
    nextBaseFee: () => chain.nextBaseFee(),
    createsWithoutData: compatibility.allowsEmptyCreation,
    ...(compatibility.suggestedTip === 'lowest' && { usualTip: settings.startTip }),
    protectsUnsigned: compatibility.fillsAsWaiting,
    defaultFeeCap: compatibility.defaultFeeCap,
    leavesFeesToMempool: compatibility.leavesFeesToMempool,
    estimatesPlainTransfersStatically: compatibility.estimatesPlainTransfersStatically,
    ...(compatibility.estimatesAsGiven && {
      estimatedCall: (given: CallObject) => estimatedAsGiven(given, compatibility.callBaseFee),
    }),
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
    submission,
    mempool,
    blobs: parts.blobs,
    wallet,
    suggestedTip,
    keyring,
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
  if (compatibility.transactionChecks === 'anvil') options.anvilBaseFee = () => chain.nextBaseFee()
  options.capReplaces = compatibility.higherFeeCapReplaces
  options.contractSenders = compatibility.allowsContractSenders
}
