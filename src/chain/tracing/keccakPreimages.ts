import { bytesToPlainHex } from '../../encoding/hex.js'
import { whenReady } from '../../encoding/timeSlice.js'
import { keccak256Within } from '../crypto.js'
import type { TraceBudget } from './budget.js'
import { opcodes } from './opcodes.js'
import type { ExecutionTracer, Step } from './tracer.js'

/** Maximum zero padding in bytes beyond the end of memory (geth: eth/tracers/internal/util.go). */
export const MAX_MEMORY_PADDING = 1024 * 1024

const MAX_INT64 = 2n ** 63n - 1n

/** Returns the input of a KECCAK256 about to run; undefined if operands are missing or reach too far. */
function keccakInput({ runState, memoryWords }: Step): Uint8Array | undefined {
  const { stack, memory } = runState
  if (stack.length < 2) return undefined
  const [start = 0n, size = 0n] = stack.peek(2).map((word) => BigInt.asIntN(64, word))
  const length = memoryWords * 32
  // geth's sum of both may wrap around; it then finds nothing beyond the memory.
  if (start + size > MAX_INT64) return start < BigInt(length) ? undefined : new Uint8Array(0)
  if (start < 0n || size < 0n || start + size - BigInt(length) > MAX_MEMORY_PADDING) return undefined
  const input = new Uint8Array(Number(size))
  const known = Math.min(length - Number(start), input.length)
  if (known > 0) input.set(memory.read(Number(start), known, true))
  return input
}

/** Collects the inputs of KECCAK256 (geth: eth/tracers/native/keccak256_preimage.go). */
export class KeccakPreimageTracer implements ExecutionTracer {
  /** By hash, 64 hexadecimal digits. */
  readonly preimages = new Map<string, Uint8Array>()
  readonly #budget: TraceBudget

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  step(step: Step): Promise<void> | undefined {
    if (step.runState.opCode !== opcodes.KECCAK256) return undefined
    const input = keccakInput(step)
    if (input === undefined) return undefined
    const kept = whenReady(keccak256Within(input), (hash) => this.#keep(bytesToPlainHex(hash), input))
    return kept instanceof Promise ? kept : undefined
  }

  #keep(key: string, input: Uint8Array): void {
    if (this.preimages.has(key)) return
    this.#budget.spend(2 * (input.length + key.length))
    this.preimages.set(key, input)
  }
}
