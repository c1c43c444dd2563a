import { stringifyJsonInSteps } from '../../encoding/jsonWriter.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { bigintToBytes, bytesToBigint, bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { type Signature, keccak256InSlices, recover, sign } from '../crypto.js'
import { computeInWorker } from '../crypto/worker.js'
import { ChainError } from '../errors.js'

/** EIP-191, version 0x45: prefix before the length of a message and the message itself. */
const MESSAGE_PREFIX = '\x19Ethereum Signed Message:\n'

const encoder = new TextEncoder()

/** Returns the 32-byte hash that is signed for a message (EIP-191, version 0x45). */
function messageHash(message: Uint8Array): Promise<Uint8Array> {
  return keccak256InSlices(Buffer.concat([Buffer.from(`${MESSAGE_PREFIX}${message.length}`), message]))
}

/**
 * Recovers the signer of a message.
 *
 * @param signature - r, s and v, 65 bytes
 * @returns 20 bytes
 * @throws ChainError with geth's message (internal/ethapi, EcRecover) if v is neither 27 nor 28, or recovery fails
 */
export async function messageSigner(message: Uint8Array, signature: Uint8Array): Promise<Uint8Array> {
  const v = signature[64]
  if (v !== 27 && v !== 28) throw new ChainError('invalid Ethereum signature (V is not 27 or 28)')
  const [r, s] = [bytesToBigint(signature.subarray(0, 32)), bytesToBigint(signature.subarray(32, 64))]
  const hash = await messageHash(message)
  try {
    return recover(hash, { r, s, yParity: v === 27 ? 0 : 1 })
  } catch {
    throw new ChainError('recovery failed')
  }
}

/** An account with its private key. */
export interface KeyedAccount {
  /** 20 bytes. */
  address: Uint8Array
  /** 32 bytes. */
  privateKey: Uint8Array
}

/** An address whose key the node does not have (geth: accounts/errors.go). */
export class UnknownAccountError extends ChainError {
  override readonly name = 'UnknownAccountError'
  /** 20 bytes; undefined if no account was given and there is no default. */
  readonly address: Uint8Array | undefined
  constructor(address?: Uint8Array) {
    super('unknown account')
    this.address = address
  }
}

/** Private keys by address, in insertion order. */
export class Keyring {
  readonly #accounts = new Map<string, KeyedAccount>()

  constructor(accounts: readonly KeyedAccount[] = []) {
    for (const account of accounts) this.add(account)
  }

  add(account: KeyedAccount): void {
    this.#accounts.set(bytesToPlainHex(account.address), account)
  }

  /** The 20-byte address of the first account. */
  get first(): Uint8Array | undefined {
    for (const { address } of this.#accounts.values()) return address
    return undefined
  }

  /** Iterates over the addresses, 20 bytes each. */
  *addresses(): Iterable<Uint8Array> {
    for (const { address } of this.#accounts.values()) yield address
  }

  has(address: Uint8Array): boolean {
    return this.#accounts.has(bytesToPlainHex(address))
  }

  /** @throws UnknownAccountError */
  privateKey(address: Uint8Array): Uint8Array {
    const account = this.#accounts.get(bytesToPlainHex(address))
    if (account === undefined) throw new UnknownAccountError(address)
    return account.privateKey
  }

  /**
   * Signs a 32-byte hash.
   *
   * @throws UnknownAccountError
   */
  signHash(address: Uint8Array, hash: Uint8Array): Signature {
    return sign(hash, this.privateKey(address))
  }

  /**
   * Signs a message (EIP-191).
   *
   * @returns r, s and v (27 or 28), 65 bytes
   * @throws UnknownAccountError
   */
  async signMessage(address: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
    this.privateKey(address)
    return encodeSignature(this.signHash(address, await messageHash(message)))
  }

  /**
   * Signs typed data (EIP-712).
   *
   * @param typedData - with `domain`, `types`, `primaryType` and `message`
   * @returns r, s and v (27 or 28), 65 bytes
   * @throws UnknownAccountError or InvalidTypedDataError
   */
  async signTypedData(address: Uint8Array, typedData: object): Promise<Uint8Array> {
    this.privateKey(address)
    return encodeSignature(this.signHash(address, await hashTypedData(typedData)))
  }
}

/** Encodes a signature as r, s and v (27 or 28), 65 bytes. */
function encodeSignature({ r, s, yParity }: Signature): Uint8Array {
  const bytes = new Uint8Array(65)
  bytes.set(bigintToBytes(r, 32))
  bytes.set(bigintToBytes(s, 32), 32)
  bytes[64] = 27 + yParity
  return bytes
}

/** Typed data that EIP-712 cannot hash. */
export class InvalidTypedDataError extends ChainError {
  override readonly name = 'InvalidTypedDataError'
}

function* encodePieces(pieces: readonly string[]): Steps<Uint8Array[]> {
  const encoded: Uint8Array[] = []
  for (const piece of pieces) {
    encoded.push(encoder.encode(piece))
    yield
  }
  return encoded
}

/** Returns the 32-byte hash to sign. Loads the library on first use. */
async function hashTypedData(typedData: object): Promise<Uint8Array> {
  try {
    const pieces = await runInSlices(stringifyJsonInSteps(typedData), new TimeSlice())
    // Anything longer than one piece takes long to hash.
    if (pieces.length > 1) {
      // Bytes take a tenth of the time of strings to send to the worker.
      const encoded = await runInSlices(encodePieces(pieces), new TimeSlice())
      return await computeInWorker('hashTypedData', encoded)
    }
    const { getSignPayload } = await import('ox/TypedData')
    return hexToBytes(getSignPayload(typedData as Parameters<typeof getSignPayload>[0]))
  } catch (error) {
    throw new InvalidTypedDataError(error instanceof Error ? error.message : 'invalid typed data')
  }
}
