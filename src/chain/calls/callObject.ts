import { bytesEqual, hexToBytes } from '../../encoding/hex.js'

/** One account of an access list (EIP-2930). */
export interface AccessListEntry {
  /** 20 bytes. */
  address: Uint8Array
  /** 32 bytes each. */
  storageKeys: Uint8Array[]
}

/** A signed authorization to delegate to another account's code (EIP-7702). */
export interface Authorization {
  /** Zero means any chain. */
  chainId: bigint
  /** 20 bytes; zero revokes a delegation. */
  address: Uint8Array
  nonce: bigint
  yParity: bigint
  r: bigint
  s: bigint
}

/** A call as the caller describes it. Everything is optional; amounts are in wei. */
export interface CallObject {
  /** 20 bytes; the zero address by default. */
  from?: Uint8Array
  /** 20 bytes; absent to create a contract. */
  to?: Uint8Array
  gas?: bigint
  gasPrice?: bigint
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  value?: bigint
  nonce?: bigint
  /** The caller's `input` if given, otherwise its `data`. */
  data?: Uint8Array
  /** Whether the caller gave different `input` and `data`, which rules out building a transaction. */
  hasConflictingData?: boolean
  accessList?: readonly AccessListEntry[]
  chainId?: bigint
  maxFeePerBlobGas?: bigint
  /** 32 bytes each. */
  blobVersionedHashes?: readonly Uint8Array[]
  authorizationList?: readonly Authorization[]
}

/** Called with the data of each call to the console address. */
export type ConsoleListener = (data: Uint8Array) => void

/** The address that the console.log libraries of Hardhat and Forge call; its last bytes spell "console.log". */
const CONSOLE_ADDRESS = hexToBytes('000000000000000000636f6e736f6c652e6c6f67')

/** Whether a 20-byte address is the console's. */
export function isConsole(address: Uint8Array): boolean {
  return bytesEqual(address, CONSOLE_ADDRESS)
}
