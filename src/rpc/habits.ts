import type { BlockTag } from '../chain/view.js'
import { hexToBytes } from '../encoding/hex.js'
import { clientVersion, version } from '../version.js'

/** A development node whose habits can be taken on. */
export type Compat = 'anvil' | 'hardhat' | 'ganache'

/** Whether a range beyond the head or up to `pending` is refused as in geth, or cut as development nodes do. */
export type LogsRange = 'strict' | 'lenient'

/** Which members of the pending block are null: those of the provider's documentation, geth's, or none as in anvil. */
export type PendingFields = 'spec' | 'geth' | 'anvil'

/** Everything that a node does in one way or another depending on which node it stands in for (`--compat`). */
export interface Habits {
  /** What web3_clientVersion answers unless it is set; begins as the client libraries of the node want it. */
  clientVersion: string
  /** How many accounts are funded at genesis unless it is set. */
  accounts: number
  /** Who earns the tips of blocks unless a control says otherwise, 20 bytes. */
  coinbase: Uint8Array
  /** Seconds from a block to the next at least. */
  leastTimeStep: bigint

  /** Whether automine and mining by the clock exclude each other. */
  clockEndsAutomine: boolean
  /** Whether what waited while automine was off goes with the next transaction, in one block. */
  waitingShareBlock: boolean
  /** Whether a transaction that automine cannot mine at once is refused. */
  refusesWaiting: boolean
  /** Whether a transaction is refused whose fee cap is below the next base fee. */
  refusesLowCap: boolean
  /** Whether a higher fee cap alone replaces a waiting transaction, by however little. */
  capReplaces: boolean

  /** Whether an access list stays in force beside a gas price; in geth that makes the transaction legacy. */
  keepsAccessLists: boolean
  /** Whether a transaction that names no gas and whose estimate fails gets the block's gas limit. */
  sendsWithoutEstimate: boolean
  /** Whether a transaction without recipient and data creates an account without code. */
  createsWithoutData: boolean
  /** Whether the fee cap that a caller leaves open is the next base fee and the usual tip, whatever tip is given. */
  capsAtNextPrice: boolean
  /** Whether eth_signTransaction fills in what is missing, and answers the signed bytes alone. */
  signsIncomplete: boolean

  /** Whether a transfer to an account without code is estimated without being run, and so without looking at funds. */
  estimatesTransfersUnseen: boolean
  /** The block that eth_estimateGas works on unless one is named. */
  estimateBlock: BlockTag
  /** Whether a message that names no sender is the first account's. */
  callsFromFirstAccount: boolean
  /** Whether wei per gas of more than 128 bits are refused. */
  refusesWideFees: boolean
  /** Whether a message runs whose fee cap is below the base fee. */
  callsBelowBaseFee: boolean
  /** Whether a message that names only a tip offers no more than that; otherwise it has no fee cap. */
  capsCallsAtTip: boolean
  /** Whether a message runs whose sender cannot pay for it. */
  callsUnfunded: boolean
  /** Whether a transaction that was mined at once and failed is answered with its failure. */
  answersFailures: boolean
  /** Whose words refusals and failed executions have. */
  words: Compat | 'geth'
  /** Whether eth_accounts has the impersonated accounts too. */
  listsImpersonated: boolean
  /** Whether eth_mining says whether automine is on. */
  answersMining: boolean
  /** Whether log ranges beyond the head are refused or cut, unless it is set. */
  logsRange: LogsRange
  /** Whether a log range that begins beyond the head is refused also where ranges are cut. */
  refusesLogsToCome: boolean
  /** Whether the first poll of a log filter that names where it begins has the logs that were there before it. */
  filtersBeginInThePast: boolean
  /** Whether a receipt has the time of its block, and the price of blob gas also without blobs. */
  receiptsTellBlock: boolean
  /** Whether eth_createAccessList refuses a message that fails, and takes one that names one of the two fees. */
  accessListsAsCalls: boolean
  /** Whether eth_gasPrice knows the base fee of the next block rather than the head's. */
  pricesNextBlock: boolean
  /** Whether the first block has the base fee of the genesis rather than what follows from it. */
  firstBlockKeepsBaseFee: boolean
  /** Whether a fee history without percentiles has an empty list of rewards rather than none. */
  answersEmptyRewards: boolean
  /** Whether the proof of an account that does not exist has the hashes of an empty one rather than zeros. */
  provesAbsentAsEmpty: boolean
  /** Whether txpool_content and txpool_inspect write addresses with checksums. */
  checksumsPoolAddresses: boolean
  /** How many blocks the safe one is behind the head, and half of what the finalized one is, unless it is set. */
  slotsInAnEpoch: number
  /** Whether the encoding of an unknown transaction is null rather than no bytes. */
  answersNullForUnknownRaw: boolean
  /** Whether eth_simulateV1 puts blocks where numbers are left out. */
  fillsSimulatedGaps: boolean
  /** Whether eth_simulateV1 tells the gas of a call before refunds. */
  tellsPeakGas: boolean
  /** Which members of the pending block are null, unless it is set. */
  pendingFields: PendingFields

  /** Whether a filter that is not there finds nothing, null, rather than being refused. */
  answersNullForUnknownFilters: boolean
  /** Whether a control sets the nonce of an account to no less than it is, and while nothing waits. */
  noncesOnlyRise: boolean
  /** Whether the setters whose names all nodes share answer true rather than null. */
  settersAnswerTrue: boolean
  /** Milliseconds in the unit of evm_setIntervalMining. */
  miningIntervalUnit: 1 | 1000
  /** Whether evm_setTime counts milliseconds whatever the number; otherwise only where it is too large for seconds. */
  setsTimeInMilliseconds: boolean
  /** Whether evm_increaseTime and evm_setTime move the clock back, and say so. */
  clockGoesBack: boolean
  /** Whether evm_increaseTime and evm_setNextBlockTimestamp answer the time as decimal text. */
  answersTimeAsText: boolean
  /** Whether anvil_metadata has the fork and the snapshots. */
  metadataHasSnapshots: boolean
}

/** hardhat's beneficiary: an address of nobody. */
const NOBODY = hexToBytes('c014ba5e'.repeat(5))
const ZERO_ADDRESS = new Uint8Array(20)

/**
 * The node's own. The beneficiary is hardhat's: the balance of the zero address stays what contracts burn, and a call
 * to it costs what it costs elsewhere (EIP-3651 makes the beneficiary warm).
 */
const own: Habits = {
  clientVersion,
  accounts: 10,
  coinbase: NOBODY,
  leastTimeStep: 1n,
  clockEndsAutomine: true,
  waitingShareBlock: false,
  refusesWaiting: false,
  refusesLowCap: false,
  capReplaces: false,
  keepsAccessLists: false,
  sendsWithoutEstimate: false,
  createsWithoutData: false,
  capsAtNextPrice: false,
  signsIncomplete: false,
  estimatesTransfersUnseen: false,
  estimateBlock: 'latest',
  callsFromFirstAccount: false,
  refusesWideFees: false,
  callsBelowBaseFee: false,
  capsCallsAtTip: false,
  callsUnfunded: false,
  answersFailures: false,
  words: 'geth',
  listsImpersonated: true,
  answersMining: false,
  logsRange: 'strict',
  refusesLogsToCome: false,
  filtersBeginInThePast: false,
  receiptsTellBlock: false,
  accessListsAsCalls: false,
  pricesNextBlock: false,
  firstBlockKeepsBaseFee: false,
  answersEmptyRewards: false,
  provesAbsentAsEmpty: false,
  checksumsPoolAddresses: true,
  slotsInAnEpoch: 0,
  answersNullForUnknownRaw: false,
  fillsSimulatedGaps: true,
  tellsPeakGas: true,
  pendingFields: 'spec',
  answersNullForUnknownFilters: false,
  noncesOnlyRise: false,
  settersAnswerTrue: false,
  miningIntervalUnit: 1000,
  setsTimeInMilliseconds: false,
  clockGoesBack: false,
  answersTimeAsText: false,
  metadataHasSnapshots: true,
}

/** What is different from the node's own habits. */
const others: Readonly<Record<Compat, Partial<Habits>>> = {
  anvil: {
    clientVersion: `anvil/v1.7.1/Standin/v${version}`,
    coinbase: ZERO_ADDRESS,
    leastTimeStep: 0n,
    refusesLowCap: true,
    capReplaces: true,
    keepsAccessLists: true,
    sendsWithoutEstimate: true,
    createsWithoutData: true,
    capsAtNextPrice: true,
    signsIncomplete: true,
    estimatesTransfersUnseen: true,
    refusesWideFees: true,
    callsBelowBaseFee: true,
    words: 'anvil',
    logsRange: 'lenient',
    refusesLogsToCome: true,
    filtersBeginInThePast: true,
    receiptsTellBlock: true,
    accessListsAsCalls: true,
    pricesNextBlock: true,
    firstBlockKeepsBaseFee: true,
    answersEmptyRewards: true,
    provesAbsentAsEmpty: true,
    checksumsPoolAddresses: false,
    slotsInAnEpoch: 32,
    answersNullForUnknownRaw: true,
    fillsSimulatedGaps: false,
    tellsPeakGas: false,
    pendingFields: 'anvil',
  },
  hardhat: {
    clientVersion: `HardhatNetwork/2.29.1/Standin/v${version}`,
    accounts: 20,
    clockEndsAutomine: false,
    waitingShareBlock: true,
    refusesWaiting: true,
    keepsAccessLists: true,
    estimateBlock: 'pending',
    callsFromFirstAccount: true,
    callsBelowBaseFee: true,
    capsCallsAtTip: true,
    callsUnfunded: true,
    pricesNextBlock: true,
    answersFailures: true,
    words: 'hardhat',
    listsImpersonated: false,
    logsRange: 'lenient',
    answersNullForUnknownFilters: true,
    noncesOnlyRise: true,
    settersAnswerTrue: true,
    miningIntervalUnit: 1,
    answersTimeAsText: true,
    metadataHasSnapshots: false,
  },
  ganache: {
    clientVersion: `Ganache/v7.9.2/EthereumJS TestRPC/v7.9.2/Standin/v${version}`,
    coinbase: ZERO_ADDRESS,
    leastTimeStep: 0n,
    keepsAccessLists: true,
    sendsWithoutEstimate: true,
    signsIncomplete: true,
    words: 'ganache',
    answersMining: true,
    logsRange: 'lenient',
    settersAnswerTrue: true,
    setsTimeInMilliseconds: true,
    clockGoesBack: true,
  },
}

/** The habits of the node that is stood in for, or the node's own. */
export function habitsOf(compat: Compat | undefined): Habits {
  return compat === undefined ? own : { ...own, ...others[compat] }
}
