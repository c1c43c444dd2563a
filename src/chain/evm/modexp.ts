import type { ExecResult, PrecompileFunc } from '@ethereumjs/evm'
import { bigintToBytes, bytesToBigint } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices, whenReady } from '../../encoding/timeSlice.js'

/** Where the base begins, after the lengths of base, exponent and modulus, of 32 bytes each (EIP-198). */
const BASE_START = 96
/** Lengths above this cost more gas than a call can have. */
const MAX_LENGTH = 2n ** 31n
/**
 * Bytes of the exponent times the squared length of the numbers, up to which the library computes all at once, in about
 * a millisecond.
 */
const WORK_AT_ONCE = 2 ** 18

/**
 * Bytes of a number from which a single multiplication may take a millisecond. Osaka refuses longer ones (EIP-7823).
 */
const LONG_NUMBER = 1024

interface Operands {
  base: Uint8Array
  exponent: Uint8Array
  modulus: Uint8Array
}

/**
 * Wraps the library's modular exponentiation (EIP-198) to yield to other work: with 50 million gas it takes a tenth of
 * a second. The library still determines the gas and what is refused.
 */
export function yieldingModexp(precompile: PrecompileFunc): PrecompileFunc {
  return (input) => {
    const lengths = [0, 32, 64].map((start) => bytesToBigint(part(input.data, start, 32)))
    if (lengths.some((length) => length > MAX_LENGTH)) return precompile(input)
    const [baseLength, exponentLength, modulusLength] = lengths.map(Number) as [number, number, number]
    if (exponentLength * Math.max(baseLength, modulusLength) ** 2 <= WORK_AT_ONCE) return precompile(input)
    const exponentStart = BASE_START + baseLength
    const modulusStart = exponentStart + exponentLength
    // Missing bytes count as zeros, and with a modulus of zero the library computes no power.
    const withoutModulus = { ...input, data: input.data.subarray(0, modulusStart) }
    return whenReady(precompile(withoutModulus), (result): Awaitable<ExecResult> => {
      if (result.exceptionError !== undefined) return result
      const operands = {
        base: part(input.data, BASE_START, baseLength),
        exponent: part(input.data, exponentStart, exponentLength),
        modulus: part(input.data, modulusStart, modulusLength),
      }
      return runInSlices(modularPower(operands), new TimeSlice()).then((power) => ({
        ...result,
        returnValue: bigintToBytes(power, modulusLength),
      }))
    })
  }
}

/** Returns a part of the input, with zeros for bytes beyond its end. */
function part(data: Uint8Array, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(data.subarray(start, start + length))
  return bytes
}

/** Raises a base to a power in steps of one byte of the exponent; zero if the modulus is zero. Four bits at a time. */
function* modularPower({ base, exponent, modulus }: Operands): Steps<bigint> {
  const divisor = bytesToBigint(modulus)
  if (divisor === 0n) return 0n
  const factor = bytesToBigint(base) % divisor
  const powers = [1n % divisor]
  while (powers.length < 16) {
    powers.push(((powers.at(-1) as bigint) * factor) % divisor)
    yield
  }
  let result = powers[0] as bigint
  for (const byte of exponent) {
    for (const digit of [byte >> 4, byte & 15]) {
      for (let square = 0; square < 4; square++) {
        result = (result * result) % divisor
        if (modulus.length > LONG_NUMBER) yield
      }
      if (digit > 0) result = (result * (powers[digit] as bigint)) % divisor
    }
    yield
  }
  return result
}
