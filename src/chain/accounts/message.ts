import { bytesToBigint } from '../../encoding/quantity.js'
import { recover } from '../crypto.js'
import { ChainError } from '../errors.js'
import { keccak256 } from '../keccak.js'

/** EIP-191, version 0x45: what stands before a message and its length. */
const MESSAGE_PREFIX = '\x19Ethereum Signed Message:\n'

/** What is signed in the place of a message: 32 bytes (EIP-191, version 0x45). */
export function messageHash(message: Uint8Array): Uint8Array {
  return keccak256(Buffer.concat([Buffer.from(`${MESSAGE_PREFIX}${message.length}`), message]))
}

/**
 * Who signed a message.
 *
 * @param signature - r, s and v, 65 bytes
 * @returns 20 bytes
 * @throws ChainError in geth's words (internal/ethapi, EcRecover) if v is neither 27 nor 28 or nothing is recovered
 */
export function messageSigner(message: Uint8Array, signature: Uint8Array): Uint8Array {
  const v = signature[64]
  if (v !== 27 && v !== 28) throw new ChainError('invalid Ethereum signature (V is not 27 or 28)')
  const [r, s] = [bytesToBigint(signature.subarray(0, 32)), bytesToBigint(signature.subarray(32, 64))]
  try {
    return recover(messageHash(message), { r, s, yParity: v === 27 ? 0 : 1 })
  } catch {
    throw new ChainError('recovery failed')
  }
}
