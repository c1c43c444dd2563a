import { bytesEqual, hexToBytes } from '../../encoding/hex.js'

/** Told of the data of a call to the console's address. */
export type ConsoleListener = (data: Uint8Array) => void

/** The address that the libraries for console.log of hardhat and forge call: its last bytes say "console.log". */
const CONSOLE_ADDRESS = hexToBytes('000000000000000000636f6e736f6c652e6c6f67')

/** Whether a 20-byte address is the console's. */
export function isConsole(address: Uint8Array): boolean {
  return bytesEqual(address, CONSOLE_ADDRESS)
}
