import type { DefaultFeeCap } from '../chain/accounts/feeDefaults.js'
import type { CallBaseFee } from '../chain/calls/call.js'
import type { BlockRandomness } from '../chain/mining/randomness.js'
import type { BlockTag } from '../chain/view.js'
import { hexToBytes } from '../encoding/hex.js'
import type { TraceForm } from './tracers/tracerKind.js'
import { clientVersion, version } from '../version.js'

/** A development node that can be emulated. */
export type Compat = 'anvil' | 'hardhat' | 'ganache'

/** Whose argument decoding and request checks run first. */
export type RequestChecks = 'geth' | 'anvil' | 'hardhat'

/** Whether a range beyond the head or up to `pending` is refused like in geth, or clamped like in development nodes. */
export type LogsRange = 'strict' | 'lenient'

/**
 * Which members of the pending block are null: those of the provider's documentation, geth or hardhat; none in anvil.
 * Its transactions refer to it except as in the documentation.
 */
export type PendingFields = 'spec' | 'geth' | 'anvil' | 'hardhat'

/** All behaviour that depends on the emulated node (`--compat`). */
export interface CompatibilityProfile {
  /** Default answer of web3_clientVersion; its prefix is what the node's client libraries expect. */
  clientVersion: string
  /** Default number of accounts funded at genesis. */
  accounts: number
  /** Default fee recipient of blocks, 20 bytes. */
  coinbase: Uint8Array
  /** Minimum seconds between consecutive blocks. */
  minimumTimestampIncrement: bigint
  /** Whether the clock continues from the head's time after a rollback, a reorganisation or a revert. */
  clockFollowsHead: boolean

  /** Whether the interval of anvil_mine moves the clock rather than separating blocks. */
  miningAdvancesClock: boolean
  /** Whether automine and interval mining exclude each other. */
  intervalMiningDisablesAutomine: boolean
  /** Whether transactions left pending while automine was off share the next one's block. */
  automineIncludesPending: boolean
  /** Whether transactions that become executable together share one automined block; otherwise each gets its own. */
  executableTransactionsShareBlock: boolean
  /** Whether a transaction that automine cannot mine at once is refused. */
  rejectsUnminable: boolean
  /** Whose transaction checks apply; anvil's refuse a fee cap below the next base fee. */
  transactionChecks: RequestChecks
  /** Whether any higher fee cap suffices to replace a pending transaction. */
  higherFeeCapReplaces: boolean
  /** Whether accounts with code may send transactions, as impersonated ones may (EIP-3607 forbids it). */
  allowsContractSenders: boolean

  /** Whether a transaction without gas falls back to the block gas limit if its estimate fails. */
  fallsBackToBlockGasLimit: boolean
  /** Whether a transaction without recipient and data creates an account without code. */
  allowsEmptyCreation: boolean
  /** Default fee cap of a transaction with neither fee cap nor gas price. */
  defaultFeeCap: DefaultFeeCap
  /** Whether a transaction without gas gets the configured block gas limit, or the cap of EIP-7825 if lower. */
  defaultsToBlockGasLimit: boolean
  /** Whether zero fees and a tip above the cap are left for the mempool to refuse or queue. */
  defersFeeChecksToMempool: boolean
  /** Whether a gas price next to EIP-1559 fees wins in transactions and is ignored in calls; otherwise refused. */
  allowsGasPriceWithFeeCaps: boolean
  /** Whether eth_fillTransaction returns a pending transaction, by default from the first account. */
  fillReturnsPendingTransaction: boolean
  /** Whether eth_signTransaction fills in missing fields and returns only the signed bytes. */
  fillsBeforeSigning: boolean

  /** Whether missing gas is estimated from the given fields rather than from the completed transaction. */
  estimatesGivenFields: boolean

  /** Whose argument decoding and request checks run first. */
  requestChecks: RequestChecks
  /** Result of eth_estimateGas: geth's search, the least gas (anvil), or the gas used if it suffices (hardhat). */
  gasEstimate: 'searched' | 'least' | 'used'
  /** Whether a transfer to an account without code is estimated without execution, and so regardless of balance. */
  estimatesPlainTransfersStatically: boolean
  /** Default block of eth_estimateGas. */
  estimateBlockTag: BlockTag
  /** Whether messages without a sender come from the first account. */
  callsDefaultToFirstAccount: boolean
  /** Whether fees of more than 128 bits (wei per gas) are refused. */
  limitsFeesTo128Bits: boolean
  /** Gas of a call that sets none: the gas cap, its block's gas limit, or the most that a transaction may have. */
  defaultCallGas: 'cap' | 'block' | 'transaction'
  /** Whether calls on the head see the fee recipient and the gas limit of the next block. */
  headCallsSeeNextBlock: boolean
  /** Base fee of the block in which a call runs. */
  callBaseFee: CallBaseFee
  /** Whether the tip of a message with only a tip is also its fee cap; otherwise it has no cap. */
  tipIsCallFeeCap: boolean
  /** Whether messages run even if the sender cannot pay for them. */
  skipsCallBalanceCheck: boolean
  /** Whether a transaction that is mined at once and fails is answered with its failure. */
  reportsMinedFailures: boolean
  /** Whose error messages are used. */
  errorMessages: Compat | 'geth'
  /** Whether eth_accounts includes impersonated accounts. */
  accountsIncludeImpersonated: boolean
  /** Whether eth_mining reports the automine setting. */
  miningReportsAutomine: boolean
  /** Default treatment of log ranges beyond the head. */
  logsRange: LogsRange
  /** Whether log ranges that start beyond the head are refused even where ranges are clamped. */
  rejectsFutureLogRanges: boolean
  /** Which log filters begin with the logs that their range already has. */
  filtersBeginWithPastLogs: 'none' | 'with a start block' | 'all'
  /** Whether eth_getFilterLogs polls the filter rather than running its query. */
  filterLogsArePolled: boolean
  /** Whether receipts include the block time, and the blob gas price even without blobs. */
  receiptsIncludeBlockFields: boolean
  /** Whether the receipt of a failed creation lacks the address. */
  failedCreationsLackAddress: boolean
  /** Whether eth_createAccessList refuses messages that fail, and ignores fees. */
  accessListsFollowCallRules: boolean
  /** Suggested tip: geth's from recent tips, the head's lowest like anvil, or constant. */
  suggestedTip: 'sampled' | 'lowest' | 'fixed'
  /** Whether eth_gasPrice uses the next block's base fee rather than the head's. */
  gasPriceUsesNextBaseFee: boolean
  /** Whether the first block inherits the genesis base fee rather than deriving it. */
  firstBlockInheritsBaseFee: boolean
  /**
   * Whether in a fee history `pending` means the head, the last base fee is the next block's, any percentiles are
   * accepted, and a count of zero means one.
   */
  feeHistoryEndsAtHead: boolean
  /** Whether a fee history without percentiles has an empty reward list rather than none. */
  emptyRewardWithoutPercentiles: boolean
  /**
   * Whether proofs show that tries are empty: an absent account has the hashes of an empty one rather than zeros, and
   * the proof of a slot in an empty trie is the empty node rather than nothing.
   */
  proofsShowEmptiness: boolean
  /** Whether txpool_content and txpool_inspect write checksummed addresses. */
  checksumsPoolAddresses: boolean
  /** Whether txpool_content, txpool_contentFrom and txpool_inspect list blob transactions. */
  listsPooledBlobs: boolean
  /** Default distance of the safe block from the head, in blocks; the finalized block is twice as far. */
  slotsInAnEpoch: number
  /** Whether an account's nonce at `pending` is that in the pending block, which lacks what cannot be mined yet. */
  pendingNonceFollowsBlock: boolean
  /** How methods report missing blocks and transactions, and what they return instead. */
  missing: 'geth' | 'anvil'
  /** Whether pending transactions have a `blockTimestamp`, which is null. */
  pendingTransactionsHaveTimestamp: boolean
  /**
   * Whether lookups of a single transaction also find pending ones by sender and nonce, with the gas price that they
   * would pay in the next block rather than their fee cap.
   */
  lookupsUseNextBlock: boolean
  /** Whose controls the `hardhat_` names invoke. */
  hardhatControls: 'hardhat' | 'anvil'
  /** Whether eth_simulateV1 fills gaps in the block numbers. */
  simulationFillsGaps: boolean
  /** Whether eth_simulateV1 reports a call's gas before refunds. */
  simulationReportsPeakGas: boolean
  /** Default choice of null members in the pending block; undefined lets the path decide. */
  pendingFields: PendingFields | undefined

  /** Whose format and defaults traces have. */
  traceForm: TraceForm

  /** Methods refused as unknown although the node implements them. */
  withheldMethods: ReadonlySet<string>
  /** Whether the cap of 16,777,216 gas per transaction (EIP-7825) also applies to the node's own chain. */
  appliesTransactionGasCap: boolean
  /** Source of block randomness: the parent hash, or hardhat's generators. */
  blockRandomness: BlockRandomness
  /** Whether evm_revert throws once for a snapshot whose block was rolled back, instead of answering false. */
  revertThrowsForLostSnapshot: boolean
  /** Number of the first snapshot. */
  firstSnapshot: number
  /** Whether a transaction that is mined at once takes the number of a snapshot, to which hardhat could go back. */
  minedTransactionsCountAsSnapshots: boolean
  /** Whether the first poll of a block filter starts with the head at its creation. */
  blockFiltersBeginWithHead: boolean
  /** Whether subscriptions to new heads push blocks rather than headers. */
  headsAreBlocks: boolean
  /** Whether ids of filters are counted rather than random. */
  countsFilters: boolean
  /** Whether an unknown filter yields null, and an unknown subscription false, rather than an error. */
  nullForUnknownFilter: boolean
  /** Whether a control may only increase a nonce, and only while the mempool is empty. */
  noncesOnlyIncrease: boolean
  /** Whether the setters common to all nodes return true rather than null. */
  settersReturnTrue: boolean
  /** Unit of evm_setIntervalMining in milliseconds. */
  miningIntervalUnit: 1 | 1000
  /** Whether evm_setTime always takes milliseconds; otherwise only when too large for seconds. */
  setTimeTakesMilliseconds: boolean
  /** Whether evm_increaseTime and evm_setTime may turn the clock back, and report it. */
  clockMayGoBack: boolean
  /** Whether evm_increaseTime and evm_setNextBlockTimestamp return the time as a decimal string. */
  returnsTimeAsDecimalString: boolean
  /** Whether anvil_metadata includes the client's version number and commit, the fork and the snapshots. */
  metadataIsComplete: boolean
}

/** Hardhat's fee recipient, an address without a known key. */
const HARDHAT_COINBASE = hexToBytes('c014ba5e'.repeat(5))
const ZERO_ADDRESS = new Uint8Array(20)

/**
 * Standin's own profile. The fee recipient is hardhat's: the zero address then holds only what contracts burn, and
 * calling it costs what it costs elsewhere (EIP-3651 makes the fee recipient warm).
 */
const standinProfile: CompatibilityProfile = {
  clientVersion,
  accounts: 10,
  coinbase: HARDHAT_COINBASE,
  minimumTimestampIncrement: 1n,
  clockFollowsHead: false,
  miningAdvancesClock: false,
  intervalMiningDisablesAutomine: true,
  automineIncludesPending: false,
  executableTransactionsShareBlock: false,
  rejectsUnminable: false,
  transactionChecks: 'geth',
  higherFeeCapReplaces: false,
  allowsContractSenders: false,
  fallsBackToBlockGasLimit: false,
  allowsEmptyCreation: false,
  defaultFeeCap: 'twice the base fee',
  defaultsToBlockGasLimit: false,
  defersFeeChecksToMempool: false,
  allowsGasPriceWithFeeCaps: false,
  fillReturnsPendingTransaction: false,
  fillsBeforeSigning: false,
  estimatesGivenFields: false,
  requestChecks: 'geth',
  gasEstimate: 'searched',
  estimatesPlainTransfersStatically: false,
  estimateBlockTag: 'latest',
  callsDefaultToFirstAccount: false,
  limitsFeesTo128Bits: false,
  defaultCallGas: 'cap',
  headCallsSeeNextBlock: false,
  callBaseFee: 'kept',
  tipIsCallFeeCap: false,
  skipsCallBalanceCheck: false,
  reportsMinedFailures: false,
  errorMessages: 'geth',
  accountsIncludeImpersonated: true,
  miningReportsAutomine: false,
  logsRange: 'strict',
  rejectsFutureLogRanges: false,
  filtersBeginWithPastLogs: 'none',
  filterLogsArePolled: false,
  receiptsIncludeBlockFields: false,
  failedCreationsLackAddress: false,
  accessListsFollowCallRules: false,
  suggestedTip: 'sampled',
  gasPriceUsesNextBaseFee: false,
  firstBlockInheritsBaseFee: false,
  feeHistoryEndsAtHead: false,
  emptyRewardWithoutPercentiles: false,
  proofsShowEmptiness: false,
  checksumsPoolAddresses: true,
  listsPooledBlobs: false,
  slotsInAnEpoch: 0,
  pendingNonceFollowsBlock: false,
  missing: 'geth',
  pendingTransactionsHaveTimestamp: true,
  lookupsUseNextBlock: false,
  hardhatControls: 'hardhat',
  simulationFillsGaps: true,
  simulationReportsPeakGas: true,
  pendingFields: undefined,
  traceForm: 'geth',
  withheldMethods: new Set(),
  appliesTransactionGasCap: false,
  blockRandomness: 'parent',
  revertThrowsForLostSnapshot: false,
  firstSnapshot: 0,
  minedTransactionsCountAsSnapshots: false,
  blockFiltersBeginWithHead: false,
  headsAreBlocks: false,
  countsFilters: false,
  nullForUnknownFilter: false,
  noncesOnlyIncrease: false,
  settersReturnTrue: false,
  miningIntervalUnit: 1000,
  setTimeTakesMilliseconds: false,
  clockMayGoBack: false,
  returnsTimeAsDecimalString: false,
  metadataIsComplete: true,
}

/** Geth methods that hardhat rejects. */
const methodsHardhatLacks: ReadonlySet<string> = new Set([
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_getWork',
  'eth_hashrate',
  'eth_protocolVersion',
  'eth_signTransaction',
  'eth_submitWork',
])

/** Differences from Standin's own profile. */
const differences: Readonly<Record<Compat, Partial<CompatibilityProfile>>> = {
  anvil: {
    clientVersion: `anvil/v1.7.1/Standin/v${version}`,
    coinbase: ZERO_ADDRESS,
    minimumTimestampIncrement: 0n,
    clockFollowsHead: true,
    miningAdvancesClock: true,
    executableTransactionsShareBlock: true,
    transactionChecks: 'anvil',
    requestChecks: 'anvil',
    higherFeeCapReplaces: true,
    allowsContractSenders: true,
    fallsBackToBlockGasLimit: true,
    allowsEmptyCreation: true,
    defaultFeeCap: 'the next price',
    defersFeeChecksToMempool: true,
    allowsGasPriceWithFeeCaps: true,
    fillReturnsPendingTransaction: true,
    fillsBeforeSigning: true,
    estimatesGivenFields: true,
    gasEstimate: 'least',
    estimatesPlainTransfersStatically: true,
    limitsFeesTo128Bits: true,
    defaultCallGas: 'block',
    headCallsSeeNextBlock: true,
    callBaseFee: 'unchecked',
    errorMessages: 'anvil',
    logsRange: 'lenient',
    rejectsFutureLogRanges: true,
    filtersBeginWithPastLogs: 'with a start block',
    receiptsIncludeBlockFields: true,
    accessListsFollowCallRules: true,
    suggestedTip: 'lowest',
    gasPriceUsesNextBaseFee: true,
    firstBlockInheritsBaseFee: true,
    feeHistoryEndsAtHead: true,
    emptyRewardWithoutPercentiles: true,
    proofsShowEmptiness: true,
    checksumsPoolAddresses: false,
    listsPooledBlobs: true,
    slotsInAnEpoch: 32,
    revertThrowsForLostSnapshot: true,
    missing: 'anvil',
    pendingTransactionsHaveTimestamp: false,
    lookupsUseNextBlock: true,
    hardhatControls: 'anvil',
    simulationFillsGaps: false,
    simulationReportsPeakGas: false,
    pendingFields: 'anvil',
    traceForm: 'anvil',
  },
  hardhat: {
    allowsContractSenders: true,
    clientVersion: `HardhatNetwork/2.29.1/Standin/v${version}`,
    accounts: 20,
    intervalMiningDisablesAutomine: false,
    automineIncludesPending: true,
    rejectsUnminable: true,
    transactionChecks: 'hardhat',
    requestChecks: 'hardhat',
    gasEstimate: 'used',
    estimateBlockTag: 'pending',
    callsDefaultToFirstAccount: true,
    defaultCallGas: 'transaction',
    defaultFeeCap: 'twice the next base fee',
    defaultsToBlockGasLimit: true,
    proofsShowEmptiness: true,
    defersFeeChecksToMempool: true,
    callBaseFee: 'zero',
    tipIsCallFeeCap: true,
    skipsCallBalanceCheck: true,
    suggestedTip: 'fixed',
    gasPriceUsesNextBaseFee: true,
    reportsMinedFailures: true,
    errorMessages: 'hardhat',
    accountsIncludeImpersonated: false,
    logsRange: 'lenient',
    failedCreationsLackAddress: true,
    pendingNonceFollowsBlock: true,
    pendingFields: 'hardhat',
    traceForm: 'hardhat',
    withheldMethods: methodsHardhatLacks,
    appliesTransactionGasCap: true,
    blockRandomness: 'hardhat',
    firstSnapshot: 1,
    minedTransactionsCountAsSnapshots: true,
    blockFiltersBeginWithHead: true,
    filtersBeginWithPastLogs: 'all',
    filterLogsArePolled: true,
    headsAreBlocks: true,
    countsFilters: true,
    nullForUnknownFilter: true,
    noncesOnlyIncrease: true,
    settersReturnTrue: true,
    miningIntervalUnit: 1,
    returnsTimeAsDecimalString: true,
    metadataIsComplete: false,
  },
  ganache: {
    clientVersion: `Ganache/v7.9.2/EthereumJS TestRPC/v7.9.2/Standin/v${version}`,
    coinbase: ZERO_ADDRESS,
    minimumTimestampIncrement: 0n,
    fallsBackToBlockGasLimit: true,
    fillsBeforeSigning: true,
    errorMessages: 'ganache',
    miningReportsAutomine: true,
    logsRange: 'lenient',
    settersReturnTrue: true,
    setTimeTakesMilliseconds: true,
    clockMayGoBack: true,
  },
}

/** Returns the profile of the emulated node, or Standin's own. */
export function compatibilityProfile(compat: Compat | undefined): CompatibilityProfile {
  return compat === undefined ? standinProfile : { ...standinProfile, ...differences[compat] }
}
