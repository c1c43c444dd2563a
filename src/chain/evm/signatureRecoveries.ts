import type { ExecResult, PrecompileFunc, PrecompileInput } from '@ethereumjs/evm'
import { bytesToPlainHex } from '../../encoding/hex.js'

/** Bytes that ECRECOVER reads: hash, v, r and s, one word each. */
const INPUT_SIZE = 128

/**
 * Signatures assigned to an account whatever they sign (anvil_impersonateSignature): ECRECOVER returns that account.
 * This only affects contracts, not transactions.
 */
export class SignatureRecoveries {
  /** Addresses as 32-byte words, by r, s and recovery bit. */
  readonly #words = new Map<string, Uint8Array>()

  /**
   * @param signature - 65 bytes: r, s and v (27, 28, 0 or 1)
   * @param address - 20 bytes
   */
  set(signature: Uint8Array, address: Uint8Array): void {
    const word = new Uint8Array(32)
    word.set(address, 12)
    const v = signature[64] ?? 0
    this.#words.set(keyOf(signature.subarray(0, 64), v >= 27 ? v - 27 : v), word)
  }

  /** Removes all signatures. */
  clear(): void {
    this.#words.clear()
  }

  /** Wraps the fork's ECRECOVER, which handles all other signatures. */
  wrap(ecrecover: PrecompileFunc): PrecompileFunc {
    return (input) => this.#answer(input) ?? ecrecover(input)
  }

  #answer({ data, gasLimit, common }: PrecompileInput): ExecResult | undefined {
    const executionGasUsed = common.param('ecRecoverGas')
    if (this.#words.size === 0 || gasLimit < executionGasUsed) return undefined
    const input = new Uint8Array(INPUT_SIZE)
    input.set(data.subarray(0, INPUT_SIZE))
    const v = input[63] ?? 0
    if (!isPlain(input.subarray(32, 63)) || (v !== 27 && v !== 28)) return undefined
    const returnValue = this.#words.get(keyOf(input.subarray(64), v - 27))
    return returnValue && { executionGasUsed, returnValue: returnValue.slice() }
  }
}

function keyOf(rs: Uint8Array, yParity: number): string {
  return `${bytesToPlainHex(rs)}${yParity}`
}

function isPlain(padding: Uint8Array): boolean {
  return padding.every((byte) => byte === 0)
}
