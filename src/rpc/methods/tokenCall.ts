import { hexToBytes } from '../../encoding/hex.js'

/** The data of a contract call whose arguments are 20-byte addresses. @param selector - 8 digits */
export function encodeCall(selector: string, addresses: readonly Uint8Array[]): Uint8Array {
  const data = new Uint8Array(4 + 32 * addresses.length)
  data.set(hexToBytes(selector))
  addresses.forEach((address, index) => data.set(address, 4 + 32 * index + 12))
  return data
}
