import { bytesToPlainHex } from '../../encoding/hex.js'
import { bigintToBytes } from '../../encoding/quantity.js'
import { sign, type Signature } from '../crypto.js'
import { ChainError } from '../errors.js'
import { messageHash } from './message.js'
import type { KeyedAccount } from './keyedAccount.js'

/** An address that the node has no key of (geth: accounts/errors.go). */
export class UnknownAccountError extends ChainError {
  override readonly name = 'UnknownAccountError'
  /** 20 bytes; undefined where no account was named and there is none. */
  readonly address: Uint8Array | undefined
  constructor(address?: Uint8Array) {
    super('unknown account')
    this.address = address
  }
}

/** Private keys by their address, in the order in which they came. */
export class Keyring {
  readonly #accounts = new Map<string, KeyedAccount>()

  constructor(accounts: readonly KeyedAccount[] = []) {
    for (const account of accounts) this.add(account)
  }

  add(account: KeyedAccount): void {
    this.#accounts.set(bytesToPlainHex(account.address), account)
  }

  /** 20 bytes each. */
  addresses(): Uint8Array[] {
    return [...this.#accounts.values()].map(({ address }) => address)
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
   * Signs a message by EIP-191.
   *
   * @returns r, s and v (27 or 28), 65 bytes
   * @throws UnknownAccountError
   */
  signMessage(address: Uint8Array, message: Uint8Array): Uint8Array {
    return encodeSignature(this.signHash(address, messageHash(message)))
  }
}

/** A signature as r, s and v (27 or 28), 65 bytes. */
export function encodeSignature({ r, s, yParity }: Signature): Uint8Array {
  const bytes = new Uint8Array(65)
  bytes.set(bigintToBytes(r, 32))
  bytes.set(bigintToBytes(s, 32), 32)
  bytes[64] = 27 + yParity
  return bytes
}
