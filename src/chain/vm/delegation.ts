import { RLP } from '@ethereumjs/rlp'
import { bytesEqual } from '../../encoding/hex.js'
import { minimalBytes } from '../../encoding/quantity.js'
import { recover } from '../crypto.js'
import { keccak256 } from '../keccak.js'
import type { Authorization } from '../calls/callObject.js'

/** EIP-7702: what stands before the address in the code of an account that runs another's. */
const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
/** EIP-7702: what stands before the RLP of the signed fields. */
const MAGIC = 0x05
/** EIP-2: the upper half of the curve's order is not used for s. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

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

/** The 20-byte address that signed an authorization, or undefined if its signature belongs to none. */
export function recoverAuthority({
  chainId,
  address,
  nonce,
  yParity,
  r,
  s,
}: Authorization): Uint8Array | undefined {
  if (yParity > 1n || s > HALF_ORDER) return undefined
  const fields = RLP.encode([minimalBytes(chainId), address, minimalBytes(nonce)])
  const signed = new Uint8Array(fields.length + 1)
  signed[0] = MAGIC
  signed.set(fields, 1)
  try {
    return recover(keccak256(signed), { r, s, yParity: yParity === 0n ? 0 : 1 })
  } catch {
    return undefined
  }
}
