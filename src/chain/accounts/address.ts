import { bytesToPlainHex, type Hex } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'

const ascii = new TextEncoder()

/** Formats a 20-byte address with `0x` and the mixed-case checksum of EIP-55. */
export function checksumAddress(address: Uint8Array): Hex {
  const digits = bytesToPlainHex(address)
  const hash = bytesToPlainHex(keccak256(ascii.encode(digits)))
  let text = ''
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charAt(i)
    text += hash.charAt(i) >= '8' ? digit.toUpperCase() : digit
  }
  return `0x${text}`
}
