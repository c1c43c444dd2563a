import { bytesEqual } from '../../encoding/hex.js'

/** EIP-7702: what stands before the address in the code of an account that runs another's. */
const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)

/** Whether code is a delegation to another account's (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === PREFIX.length + 20 && bytesEqual(code.subarray(0, PREFIX.length), PREFIX)
}

/** The 20-byte address that a delegation names, or undefined if the code is none. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return isDelegation(code) ? code.subarray(PREFIX.length) : undefined
}

/** The code of an account that delegates to a 20-byte address. */
export function delegationCode(address: Uint8Array): Uint8Array {
  const code = new Uint8Array(PREFIX.length + 20)
  code.set(PREFIX)
  code.set(address, PREFIX.length)
  return code
}
