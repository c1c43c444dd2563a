import { hexToBytes } from '../../encoding/hex.js'
import { ChainError } from '../errors.js'
import { encodeSignature, type Keyring } from './keyring.js'

/** Typed data that EIP-712 cannot hash. */
export class InvalidTypedDataError extends ChainError {
  override readonly name = 'InvalidTypedDataError'
}

/**
 * Signs typed data by EIP-712.
 *
 * @param typedData - the object with `domain`, `types`, `primaryType` and `message`, or its JSON text
 * @returns r, s and v (27 or 28), 65 bytes
 * @throws UnknownAccountError or InvalidTypedDataError
 */
export async function signTypedData(
  keyring: Keyring,
  address: Uint8Array,
  typedData: unknown,
): Promise<Uint8Array> {
  keyring.privateKey(address)
  return encodeSignature(keyring.signHash(address, await hashTypedData(typedData)))
}

/** The 32-byte hash that is signed. The library is only loaded when the first typed data comes. */
async function hashTypedData(typedData: unknown): Promise<Uint8Array> {
  const { getSignPayload } = await import('ox/TypedData')
  try {
    const value: unknown = typeof typedData === 'string' ? JSON.parse(typedData) : typedData
    return hexToBytes(getSignPayload(value as Parameters<typeof getSignPayload>[0]))
  } catch (error) {
    throw new InvalidTypedDataError(error instanceof Error ? error.message : 'invalid typed data')
  }
}
