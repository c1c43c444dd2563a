import type { ExecResult, PrecompileFunc, PrecompileInput } from '@ethereumjs/evm'
import { bytesToPlainHex } from '../../encoding/hex.js'

/** Bytes that ECRECOVER reads: hash, v, r and s, a word each. */
const INPUT_SIZE = 128

/**
 * Signatures that are taken for an account's whatever they sign (anvil_impersonateSignature): ECRECOVER answers the
 * account. Transactions are not affected, only contracts.
 */
export class SignatureRecoveries {
  /** Addresses as 32-byte words, by r and s with the recovery bit. */
  readonly #words = new Map<string, Uint8Array>()

  /**
   * @param signature - 65 bytes: r, s, and v, which is 27 or 28, or 0 or 1
   * @param address - 20 bytes
   */
  set(signature: Uint8Array, address: Uint8Array): void {
    const word = new Uint8Array(32)
    word.set(address, 12)
    const v = signature[64] ?? 0
    this.#words.set(keyOf(signature.subarray(0, 64), v >= 27 ? v - 27 : v), word)
  }

  /** Forgets all of them. */
  clear(): void {
    this.#words.clear()
  }

  /** ECRECOVER as the fork has it, for every other signature. */
  around(ecrecover: PrecompileFunc): PrecompileFunc {
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
