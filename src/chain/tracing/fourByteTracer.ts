import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import type { ExecutionTracer, FrameStart, TracedMessage } from './tracer.js'

const SELECTOR_LENGTH = 4
const calls: ReadonlySet<string> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** Counts the function selectors that were called, each with the length of its arguments (geth: native/4byte.go). */
export class FourByteTracer implements ExecutionTracer {
  /** By selector and number of bytes behind it: `0x27dc297e-128`. */
  readonly counts = new Map<string, number>()
  #precompiles: ReadonlySet<string> = new Set()

  begin({ precompiles }: TracedMessage): void {
    this.#precompiles = precompiles
  }

  enter({ type, to, input }: FrameStart): void {
    if (input.length < SELECTOR_LENGTH || !calls.has(type) || this.#precompiles.has(bytesToPlainHex(to)))
      return
    const key = `${bytesToHex(input.subarray(0, SELECTOR_LENGTH))}-${input.length - SELECTOR_LENGTH}`
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }
}
