import { bytesEqual, hexToBytes } from '../../encoding/hex.js'

/** One account of an access list (EIP-2930). */
export interface AccessListEntry {
  /** 20 bytes. */
  address: Uint8Array
  /** 32 bytes each. */
  storageKeys: Uint8Array[]
}

/** A signed authorization to run another account's code (EIP-7702). */
export interface Authorization {
  /** Zero is any chain. */
  chainId: bigint
  /** 20 bytes; zero takes a delegation back. */
  address: Uint8Array
  nonce: bigint
  yParity: bigint
  r: bigint
  s: bigint
}

/** A call as a caller describes it: everything is optional, amounts are wei. */
export interface CallObject {
  /** 20 bytes; the zero address by default. */
  from?: Uint8Array
  /** 20 bytes; without it the data creates a contract. */
  to?: Uint8Array
  gas?: bigint
  gasPrice?: bigint
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  value?: bigint
  nonce?: bigint
  /** The caller's `input` where it gave one, else its `data`. */
  data?: Uint8Array
  /** Whether the caller gave `input` and `data` that differ, which no transaction is made from. */
  hasTwoData?: boolean
  accessList?: readonly AccessListEntry[]
  chainId?: bigint
  maxFeePerBlobGas?: bigint
  /** 32 bytes each. */
  blobVersionedHashes?: readonly Uint8Array[]
  authorizationList?: readonly Authorization[]
}

/** Told of the data of a call to the console's address. */
export type ConsoleListener = (data: Uint8Array) => void

/** The address that the libraries for console.log of hardhat and forge call: its last bytes say "console.log". */
const CONSOLE_ADDRESS = hexToBytes('000000000000000000636f6e736f6c652e6c6f67')

/** Whether a 20-byte address is the console's. */
export function isConsole(address: Uint8Array): boolean {
  return bytesEqual(address, CONSOLE_ADDRESS)
}
