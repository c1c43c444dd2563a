import type { Awaitable } from '../encoding/timeSlice.js'
import type { Common } from '@ethereumjs/common'
import type { SignatureRecoveries } from './evm/signatureRecoveries.js'

/** An account in the state trie. */
export interface AccountState {
  nonce: bigint
  /** In wei. */
  balance: bigint
  /** Root of the account's storage trie, 32 bytes. */
  storageRoot: Uint8Array
  /** keccak-256 of the code, 32 bytes. */
  codeHash: Uint8Array
}

/**
 * A read-only view of the state under one root.
 *
 * A view is cheap, isolated from mining and from other views, and never becomes invalid: trie nodes are only added.
 */
export interface StateView {
  /** The state root that the view reads, 32 bytes. */
  readonly root: Uint8Array
  /** The account at a 20-byte address, or undefined if the state has none. */
  getAccount(address: Uint8Array): Awaitable<AccountState | undefined>
  /** The code of an account, empty if there is none. */
  getCode(address: Uint8Array): Awaitable<Uint8Array>
  /** The value of a 32-byte slot as 32 bytes big-endian; zero if the slot was never written. */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array>
}

/** A log emitted by execution. */
export interface ExecutionLog {
  /** 20 bytes. */
  address: Uint8Array
  /** 0 to 4 topics of 32 bytes. */
  topics: Uint8Array[]
  data: Uint8Array
}

/** The outcome of one transaction. */
export interface ExecutionReceipt {
  /** 1 or 0 since Byzantium; before it, `stateRoot` holds the state root after the transaction. */
  status?: 0 | 1
  stateRoot?: Uint8Array
  gasUsed: bigint
  cumulativeGasUsed: bigint
  /** 256 bytes. */
  logsBloom: Uint8Array
  logs: ExecutionLog[]
  /** 20 bytes; set for every contract creation, even a failed one. */
  contractAddress?: Uint8Array
  /** Wei per gas. */
  effectiveGasPrice: bigint
  /** Only for blob transactions. */
  blobGasUsed?: bigint
  /** Wei per blob gas; only for blob transactions. */
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

/** The fields of a block header; those of inactive forks are undefined. */
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

/** The fork rules at one block, as an ethereumjs Common. */
export interface ForkRules extends Common {
  /** Signatures for which ECRECOVER returns something other than the real signer. */
  readonly recoveries?: SignatureRecoveries | undefined
  /** Whether the chain forks a remote one, which may lack the system contracts. */
  readonly isFork?: boolean | undefined
}
