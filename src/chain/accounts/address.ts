import { bytesToPlainHex, type Hex } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'

const ascii = new TextEncoder()

/** A 20-byte address with the checksum of EIP-55 in the case of its letters, behind `0x`. */
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
