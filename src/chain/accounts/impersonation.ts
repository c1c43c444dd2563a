import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'

/** The accounts that transactions may come from although the node has no key of them, contracts included. */
export class Impersonation {
  readonly #addresses = new Set<string>()
  /** Whether every account may be impersonated without being named. */
  automatic: boolean

  constructor({ automatic }: { automatic: boolean }) {
    this.automatic = automatic
  }

  /** Lets transactions of a 20-byte address in. */
  start(address: Uint8Array): void {
    this.#addresses.add(bytesToPlainHex(address))
  }

  /** @returns false if the 20-byte address was not impersonated */
  stop(address: Uint8Array): boolean {
    return this.#addresses.delete(bytesToPlainHex(address))
  }

  /** Ends all of it; what the operator chose for all accounts stays. */
  clear(): void {
    this.#addresses.clear()
  }

  /** Whether transactions of a 20-byte address are let in without a key. */
  allows(address: Uint8Array): boolean {
    return this.automatic || this.#addresses.has(bytesToPlainHex(address))
  }

  /** Those that were named, 20 bytes each. */
  addresses(): Uint8Array[] {
    return [...this.#addresses].map(hexToBytes)
  }
}
