import type { Awaitable } from '../encoding/timeSlice.js'
import type { Common } from '@ethereumjs/common'
import type { SignatureRecoveries } from './evm/signatureRecoveries.js'

/** An account as the state trie holds it. */
export interface AccountState {
  nonce: bigint
  /** Wei. */
  balance: bigint
  /** 32 bytes; the root of the account's storage trie. */
  storageRoot: Uint8Array
  /** 32 bytes; keccak-256 of the code. */
  codeHash: Uint8Array
}

/**
 * The state under one state root, for reading.
 *
 * A view is cheap, isolated from mining and from other views, and stays valid: trie nodes are only added.
 */
export interface StateView {
  /** 32 bytes; the state root that the view reads. */
  readonly root: Uint8Array
  /** The account at a 20-byte address, or undefined if the state has none. */
  getAccount(address: Uint8Array): Awaitable<AccountState | undefined>
  /** The code of an account, empty if there is none. */
  getCode(address: Uint8Array): Awaitable<Uint8Array>
  /** The value of a 32-byte slot as 32 bytes big-endian; zero if the slot was never written. */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array>
}

/** One log as execution left it. */
export interface ExecutionLog {
  /** 20 bytes. */
  address: Uint8Array
  /** 0 to 4 topics of 32 bytes. */
  topics: Uint8Array[]
  data: Uint8Array
}

/** What one transaction left behind. */
export interface ExecutionReceipt {
  /** 1 or 0 since Byzantium; before it the state root after the transaction stands in its place. */
  status?: 0 | 1
  stateRoot?: Uint8Array
  gasUsed: bigint
  cumulativeGasUsed: bigint
  /** 256 bytes. */
  logsBloom: Uint8Array
  logs: ExecutionLog[]
  /** 20 bytes; set for every contract creation, also one that failed. */
  contractAddress?: Uint8Array
  /** Wei per gas. */
  effectiveGasPrice: bigint
  /** Blob transactions only. */
  blobGasUsed?: bigint
  /** Wei per blob gas; blob transactions only. */
  blobGasPrice?: bigint
}

/** A withdrawal of the beacon chain (EIP-4895). */
export interface Withdrawal {
  index: bigint
  validatorIndex: bigint
  /** 20 bytes. */
  address: Uint8Array
  /** Gwei. */
  amount: bigint
}

/** The fields of a block header; those of forks that are not active are undefined. */
export interface HeaderFields {
  parentHash: Uint8Array
  uncleHash: Uint8Array
  coinbase: Uint8Array
  stateRoot: Uint8Array
  transactionsRoot: Uint8Array
  receiptsRoot: Uint8Array
  logsBloom: Uint8Array
  difficulty: bigint
  number: bigint
  gasLimit: bigint
  gasUsed: bigint
  /** Seconds. */
  timestamp: bigint
  extraData: Uint8Array
  mixHash: Uint8Array
  /** 8 bytes. */
  nonce: Uint8Array
  /** Wei per gas; since London. */
  baseFeePerGas?: bigint
  /** Since Shanghai. */
  withdrawalsRoot?: Uint8Array
  /** Since Cancun. */
  blobGasUsed?: bigint
  /** Since Cancun. */
  excessBlobGas?: bigint
  /** Since Cancun. */
  parentBeaconBlockRoot?: Uint8Array
  /** Since Prague. */
  requestsHash?: Uint8Array
}

/** The rules that hold at one block: ethereumjs' view of the fork that is active there. */
export interface ForkRules extends Common {
  /** Signatures that ECRECOVER answers otherwise than they recover. */
  readonly recoveries?: SignatureRecoveries | undefined
  /** Whether blocks stand on a remote chain, which may lack the system contracts. */
  readonly isFork?: boolean | undefined
}
