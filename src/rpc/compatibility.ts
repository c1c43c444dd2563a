import type { DefaultFeeCap } from '../chain/accounts/feeDefaults.js'
import type { CallBaseFee } from '../chain/calls/call.js'
import type { BlockRandomness } from '../chain/mining/randomness.js'
import type { BlockTag } from '../chain/view.js'
import { hexToBytes } from '../encoding/hex.js'
import type { StructLogForm } from './tracers/structLogger.js'
import { clientVersion, version } from '../version.js'

/** A development node whose compatibility can be taken on. */
export type Compat = 'anvil' | 'hardhat' | 'ganache'

/** Whether a range beyond the head or up to `pending` is refused as in geth, or cut as development nodes do. */
export type LogsRange = 'strict' | 'lenient'

/** Which members of the pending block are null: those of the provider's documentation, geth's, hardhat's, or none as in anvil. */
export type PendingFields = 'spec' | 'geth' | 'anvil' | 'hardhat'

/** Everything that a node does in one way or another depending on which node it stands in for (`--compat`). */
export interface CompatibilityProfile {
  /** What web3_clientVersion answers unless it is set; begins as the client libraries of the node want it. */
  clientVersion: string
  /** How many accounts are funded at genesis unless it is set. */
  accounts: number
  /** Who earns the tips of blocks unless a control says otherwise, 20 bytes. */
  coinbase: Uint8Array
  /** Seconds from a block to the next at least. */
  minimumTimestampIncrement: bigint

  /** Whether automine and mining by the clock exclude each other. */
  intervalMiningDisablesAutomine: boolean
  /** Whether what waited while automine was off goes with the next transaction, in one block. */
  automineIncludesPending: boolean
  /** Whether transactions that become executable together share the block that automine mines; a block each otherwise. */
  readyShareBlock: boolean
  /** Whether a transaction that automine cannot mine at once is refused. */
  rejectsUnminable: boolean
  /** Whose checks a transaction goes through; anvil's refuse a fee cap below the next base fee. */
  transactionChecks: 'geth' | 'anvil'
  /** Whether a higher fee cap alone replaces a waiting transaction, by however little. */
  higherFeeCapReplaces: boolean
  /** Whether transactions of accounts with code are mined as those of impersonated ones (EIP-3607 refuses them). */
  allowsContractSenders: boolean

  /** Whether a transaction that names no gas and whose estimate fails gets the block's gas limit. */
  fallsBackToBlockGasLimit: boolean
  /** Whether a transaction without recipient and data creates an account without code. */
  allowsEmptyCreation: boolean
  /** The fee cap of a transaction whose sender names neither it nor a gas price. */
  defaultFeeCap: DefaultFeeCap
  /** Whether a transaction that names no gas gets the block's gas limit, or the most that one may have (EIP-7825). */
  sendsWithBlockGasLimit: boolean
  /** Whether fees of zero and a tip above the cap are left to the mempool to refuse, or to let wait. */
  leavesFeesToMempool: boolean
  /** Whether a gas price beside EIP-1559 fees wins in a transaction and is ignored in a call; otherwise refused. */
  takesPriceBesideFees: boolean
  /** Whether eth_fillTransaction answers the transaction as one that waits, by default of the first account. */
  fillsAsWaiting: boolean
  /** Whether eth_signTransaction fills in what is missing, and answers the signed bytes alone. */
  fillsBeforeSigning: boolean

  /** Whether gas that a transaction leaves open is estimated from what was given, rather than from all of its fields. */
  estimatesAsGiven: boolean

  /** Who reads the arguments of a request, and checks it, before all others. */
  requestChecks: 'geth' | 'anvil' | 'hardhat'
  /** What eth_estimateGas ends at: geth's search, the least gas (anvil), or the gas used where it suffices (hardhat). */
  gasEstimate: 'searched' | 'least' | 'used'
  /** Whether a transfer to an account without code is estimated without being run, and so without looking at funds. */
  estimatesPlainTransfersStatically: boolean
  /** The block that eth_estimateGas works on unless one is named. */
  estimateBlockTag: BlockTag
  /** Whether a message that names no sender is the first account's. */
  callsDefaultToFirstAccount: boolean
  /** Whether wei per gas of more than 128 bits are refused. */
  limitsFeesTo128Bits: boolean
  /** Whether a call that names no gas gets its block's gas limit rather than the most that one may have. */
  callsGetBlockGasLimit: boolean
  /** The base fee of the block that a call runs in. */
  callBaseFee: CallBaseFee
  /** Whether a message that names only a tip offers no more than that; otherwise it has no fee cap. */
  tipIsCallFeeCap: boolean
  /** Whether a message runs whose sender cannot pay for it. */
  skipsCallBalanceCheck: boolean
  /** Whether a transaction that was mined at once and failed is answered with its failure. */
  reportsMinedFailures: boolean
  /** Whose words refusals and failed executions have. */
  errorMessages: Compat | 'geth'
  /** Whether eth_accounts has the impersonated accounts too. */
  accountsIncludeImpersonated: boolean
  /** Whether eth_mining says whether automine is on. */
  miningReportsAutomine: boolean
  /** Whether log ranges beyond the head are refused or cut, unless it is set. */
  logsRange: LogsRange
  /** Whether a log range that begins beyond the head is refused also where ranges are cut. */
  rejectsFutureLogRanges: boolean
  /** Whether the first poll of a log filter that names where it begins has the logs that were there before it. */
  filtersReturnPastLogs: boolean
  /** Whether a receipt has the time of its block, and the price of blob gas also without blobs. */
  receiptsIncludeBlockFields: boolean
  /** Whether eth_createAccessList refuses a message that fails, and does without its fees. */
  accessListsFollowCallRules: boolean
  /** The tip that is suggested: geth's from what was paid, the lowest of the head as in anvil, or always the same. */
  suggestedTip: 'sampled' | 'lowest' | 'fixed'
  /** Whether eth_gasPrice knows the base fee of the next block rather than the head's. */
  gasPriceUsesNextBaseFee: boolean
  /** Whether the first block has the base fee of the genesis rather than what follows from it. */
  firstBlockInheritsBaseFee: boolean
  /**
   * Whether `pending` is the head in a fee history, its last base fee that of the next block, any percentiles are taken,
   * and a count of zero is one.
   */
  feeHistoryEndsAtHead: boolean
  /** Whether a fee history without percentiles has an empty list of rewards rather than none. */
  emptyRewardWithoutPercentiles: boolean
  /** Whether the proof of an account that does not exist has the hashes of an empty one rather than zeros. */
  absentAccountsProveEmptyHashes: boolean
  /** Whether txpool_content and txpool_inspect write addresses with checksums. */
  checksumsPoolAddresses: boolean
  /** How many blocks the safe one is behind the head, and half of what the finalized one is, unless it is set. */
  slotsInAnEpoch: number
  /** How methods tell that a block or a transaction is not there, and what they find in its place. */
  missing: 'geth' | 'anvil'
  /** Whether a transaction that waits has a `blockTimestamp`, which is null. */
  waitingTransactionsHaveTime: boolean
  /** Whose controls the names with `hardhat_` stand for. */
  hardhatControls: 'hardhat' | 'anvil'
  /** Whether eth_simulateV1 puts blocks where numbers are left out. */
  simulationFillsGaps: boolean
  /** Whether eth_simulateV1 tells the gas of a call before refunds. */
  simulationReportsPeakGas: boolean
  /** Which members of the pending block are null, unless it is set; undefined lets the path decide. */
  pendingFields: PendingFields | undefined

  /** How traces of every step are written. */
  structLogForm: StructLogForm

  /** Methods that are refused as unknown although the node has them. */
  withheldMethods: ReadonlySet<string>
  /** Whether transactions over 16,777,216 gas are refused (EIP-7825) also on a chain of the node's own. */
  appliesTransactionGasCap: boolean
  /** Where the randomness of blocks comes from: their parent's hash, or hardhat's generators. */
  blockRandomness: BlockRandomness
  /** Whether evm_revert refuses a snapshot whose block was taken back, once, instead of answering false. */
  tellsLostSnapshots: boolean
  /** The number of the first snapshot. */
  firstSnapshot: number
  /** Whether the first poll of a block filter begins with the block that was the head when it was made. */
  blockFiltersBeginWithHead: boolean
  /** Whether a filter that is not there finds nothing, null, rather than being refused. */
  nullForUnknownFilter: boolean
  /** Whether a control sets the nonce of an account to no less than it is, and while nothing waits. */
  noncesOnlyIncrease: boolean
  /** Whether the setters whose names all nodes share answer true rather than null. */
  settersReturnTrue: boolean
  /** Milliseconds in the unit of evm_setIntervalMining. */
  miningIntervalUnit: 1 | 1000
  /** Whether evm_setTime counts milliseconds whatever the number; otherwise only where it is too large for seconds. */
  setsTimeInMilliseconds: boolean
  /** Whether evm_increaseTime and evm_setTime move the clock back, and say so. */
  clockMayGoBack: boolean
  /** Whether evm_increaseTime and evm_setNextBlockTimestamp answer the time as decimal text. */
  returnsTimeAsDecimalText: boolean
  /** Whether anvil_metadata has the fork and the snapshots. */
  metadataIncludesSnapshots: boolean
}

/** hardhat's beneficiary, an address without a known key. */
const HARDHAT_COINBASE = hexToBytes('c014ba5e'.repeat(5))
const ZERO_ADDRESS = new Uint8Array(20)

/**
 * The node's own. The beneficiary is hardhat's: the balance of the zero address stays what contracts burn, and a call
 * to it costs what it costs elsewhere (EIP-3651 makes the beneficiary warm).
 */
const standinProfile: CompatibilityProfile = {
  clientVersion,
  accounts: 10,
  coinbase: HARDHAT_COINBASE,
  minimumTimestampIncrement: 1n,
  intervalMiningDisablesAutomine: true,
  automineIncludesPending: false,
  readyShareBlock: false,
  rejectsUnminable: false,
  transactionChecks: 'geth',
  higherFeeCapReplaces: false,
  allowsContractSenders: false,
  fallsBackToBlockGasLimit: false,
  allowsEmptyCreation: false,
  defaultFeeCap: 'twice the base fee',
  sendsWithBlockGasLimit: false,
  leavesFeesToMempool: false,
  takesPriceBesideFees: false,
  fillsAsWaiting: false,
  fillsBeforeSigning: false,
  estimatesAsGiven: false,
  requestChecks: 'geth',
  gasEstimate: 'searched',
  estimatesPlainTransfersStatically: false,
  estimateBlockTag: 'latest',
  callsDefaultToFirstAccount: false,
  limitsFeesTo128Bits: false,
  callsGetBlockGasLimit: false,
  callBaseFee: 'kept',
  tipIsCallFeeCap: false,
  skipsCallBalanceCheck: false,
  reportsMinedFailures: false,
  errorMessages: 'geth',
  accountsIncludeImpersonated: true,
  miningReportsAutomine: false,
  logsRange: 'strict',
  rejectsFutureLogRanges: false,
  filtersReturnPastLogs: false,
  receiptsIncludeBlockFields: false,
  accessListsFollowCallRules: false,
  suggestedTip: 'sampled',
  gasPriceUsesNextBaseFee: false,
  firstBlockInheritsBaseFee: false,
  feeHistoryEndsAtHead: false,
  emptyRewardWithoutPercentiles: false,
  absentAccountsProveEmptyHashes: false,
  checksumsPoolAddresses: true,
  slotsInAnEpoch: 0,
  missing: 'geth',
  waitingTransactionsHaveTime: true,
  hardhatControls: 'hardhat',
  simulationFillsGaps: true,
  simulationReportsPeakGas: true,
  pendingFields: undefined,
  structLogForm: 'geth',
  withheldMethods: new Set(),
  appliesTransactionGasCap: false,
  blockRandomness: 'parent',
  tellsLostSnapshots: false,
  firstSnapshot: 0,
  blockFiltersBeginWithHead: false,
  nullForUnknownFilter: false,
  noncesOnlyIncrease: false,
  settersReturnTrue: false,
  miningIntervalUnit: 1000,
  setsTimeInMilliseconds: false,
  clockMayGoBack: false,
  returnsTimeAsDecimalText: false,
  metadataIncludesSnapshots: true,
}

/** Methods of geth that hardhat refuses by name. */
const hardhatLacks: ReadonlySet<string> = new Set([
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

/** What is different from the node's own compatibility. */
const differences: Readonly<Record<Compat, Partial<CompatibilityProfile>>> = {
  anvil: {
    clientVersion: `anvil/v1.7.1/Standin/v${version}`,
    coinbase: ZERO_ADDRESS,
    minimumTimestampIncrement: 0n,
    readyShareBlock: true,
    transactionChecks: 'anvil',
    requestChecks: 'anvil',
    higherFeeCapReplaces: true,
    allowsContractSenders: true,
    fallsBackToBlockGasLimit: true,
    allowsEmptyCreation: true,
    defaultFeeCap: 'the next price',
    leavesFeesToMempool: true,
    takesPriceBesideFees: true,
    fillsAsWaiting: true,
    fillsBeforeSigning: true,
    estimatesAsGiven: true,
    gasEstimate: 'least',
    estimatesPlainTransfersStatically: true,
    limitsFeesTo128Bits: true,
    callsGetBlockGasLimit: true,
    callBaseFee: 'lowered',
    errorMessages: 'anvil',
    logsRange: 'lenient',
    rejectsFutureLogRanges: true,
    filtersReturnPastLogs: true,
    receiptsIncludeBlockFields: true,
    accessListsFollowCallRules: true,
    suggestedTip: 'lowest',
    gasPriceUsesNextBaseFee: true,
    firstBlockInheritsBaseFee: true,
    feeHistoryEndsAtHead: true,
    emptyRewardWithoutPercentiles: true,
    absentAccountsProveEmptyHashes: true,
    checksumsPoolAddresses: false,
    slotsInAnEpoch: 32,
    tellsLostSnapshots: true,
    missing: 'anvil',
    waitingTransactionsHaveTime: false,
    hardhatControls: 'anvil',
    simulationFillsGaps: false,
    simulationReportsPeakGas: false,
    pendingFields: 'anvil',
    structLogForm: 'anvil',
  },
  hardhat: {
    allowsContractSenders: true,
    clientVersion: `HardhatNetwork/2.29.1/Standin/v${version}`,
    accounts: 20,
    intervalMiningDisablesAutomine: false,
    automineIncludesPending: true,
    rejectsUnminable: true,
    requestChecks: 'hardhat',
    gasEstimate: 'used',
    estimateBlockTag: 'pending',
    callsDefaultToFirstAccount: true,
    defaultFeeCap: 'twice the next base fee',
    sendsWithBlockGasLimit: true,
    leavesFeesToMempool: true,
    callBaseFee: 'zero',
    tipIsCallFeeCap: true,
    skipsCallBalanceCheck: true,
    suggestedTip: 'fixed',
    gasPriceUsesNextBaseFee: true,
    reportsMinedFailures: true,
    errorMessages: 'hardhat',
    accountsIncludeImpersonated: false,
    logsRange: 'lenient',
    pendingFields: 'hardhat',
    structLogForm: 'hardhat',
    withheldMethods: hardhatLacks,
    appliesTransactionGasCap: true,
    blockRandomness: 'hardhat',
    firstSnapshot: 1,
    blockFiltersBeginWithHead: true,
    nullForUnknownFilter: true,
    noncesOnlyIncrease: true,
    settersReturnTrue: true,
    miningIntervalUnit: 1,
    returnsTimeAsDecimalText: true,
    metadataIncludesSnapshots: false,
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
    setsTimeInMilliseconds: true,
    clockMayGoBack: true,
  },
}

/** The compatibility of the node that is stood in for, or the node's own. */
export function compatibilityProfile(compat: Compat | undefined): CompatibilityProfile {
  return compat === undefined ? standinProfile : { ...standinProfile, ...differences[compat] }
}
