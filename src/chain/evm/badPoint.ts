import { EVMError } from '@ethereumjs/evm'
import { bytesToBigint } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { curves } from './curves.js'

/** A curve y² = x³ + b over a prime field, and its twist over the field with i² = -1 (EIP-197, EIP-2537). */
interface Curve {
  modulus: bigint
  /** Bytes of an encoded field element, and how many of the first ones must be zero. */
  elementBytes: number
  zeroBytes: number
  b: bigint
  /** b of the twist is `numerator` / `denominator`, each as [real, imaginary]. */
  twist: { numerator: Element; denominator: Element }
  /** Index of the real part in an encoded element of the twist's field: 0 or 1. */
  realIndex: 0 | 1
  /** Name in {@link curves}. */
  name: keyof typeof curves
  /** BN254's G1 is the entire curve. */
  messages: { offCurve: string; g1?: string; g2: string }
}

/** An element of the twist's field: [real, imaginary]. */
type Element = readonly [bigint, bigint]

const bn254: Curve = {
  modulus: 21888242871839275222246405745257275088696311157297823662689037894645226208583n,
  elementBytes: 32,
  zeroBytes: 0,
  b: 3n,
  twist: { numerator: [3n, 0n], denominator: [9n, 1n] },
  realIndex: 1,
  name: 'bn254',
  messages: {
    offCurve: 'point is not on curve',
    g2: 'point is not in correct subgroup',
  },
}

const bls12381: Curve = {
  modulus:
    0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
  elementBytes: 64,
  zeroBytes: 16,
  b: 4n,
  twist: { numerator: [4n, 4n], denominator: [1n, 0n] },
  realIndex: 0,
  name: 'bls12381',
  messages: {
    offCurve: 'invalid point: not on curve',
    g1: 'g1 point is not on correct subgroup',
    g2: 'g2 point is not on correct subgroup',
  },
}

/** A part of an input; a scalar has 32 bytes and is always valid. */
type Part = 'element' | 'g1' | 'g2' | 'scalar'

/** Curve and repeating parts of the input, by the last byte of the precompile's address. */
const inputs = new Map<number, readonly [Curve, readonly Part[]]>([
  [0x06, [bn254, ['g1', 'g1']]],
  [0x07, [bn254, ['g1', 'scalar']]],
  [0x08, [bn254, ['g1', 'g2']]],
  [0x0b, [bls12381, ['g1', 'g1']]],
  [0x0c, [bls12381, ['g1', 'scalar']]],
  [0x0d, [bls12381, ['g2', 'g2']]],
  [0x0e, [bls12381, ['g2', 'scalar']]],
  [0x0f, [bls12381, ['g1', 'g2']]],
  [0x10, [bls12381, ['element']]],
  [0x11, [bls12381, ['element', 'element']]],
])

/** EIP-2537: additions take points outside the subgroups. */
const additions = new Set([0x0b, 0x0d])

const messages = EVMError.errorMessages
const refusals = new Set<string>([
  messages.BN254_FP_NOT_IN_FIELD,
  messages.BLS_12_381_FP_NOT_IN_FIELD,
  messages.BLS_12_381_POINT_NOT_ON_CURVE,
])

/** Whether a precompile failed because of a point or a field element in its input. */
export function isBadPoint({ error }: EVMError): boolean {
  return refusals.has(error)
}

/**
 * Finds geth's message for the first invalid point or element in a precompile's input (core/vm/contracts.go). The
 * libraries only report that there is one. Of each pair, geth decodes both parts before it checks the subgroups.
 *
 * @param precompile - the last byte of its address; its library must be loaded
 */
export function* badPointMessage(precompile: number, given: Uint8Array): Steps<string | undefined> {
  const input = inputs.get(precompile)
  if (input === undefined) return undefined
  const [curve, parts] = input
  const period = parts.reduce((sum, part) => sum + lengthOf(part, curve), 0)
  // EIP-196: input is padded with zeros.
  const data = new Uint8Array(Math.max(period, given.length))
  data.set(given)
  const check = (find: (part: Part, bytes: Uint8Array) => string | undefined, at: number) => {
    let start = at
    for (const part of parts) {
      const end = start + lengthOf(part, curve)
      const fault = find(part, data.subarray(start, end))
      if (fault !== undefined) return fault
      start = end
    }
    return undefined
  }
  let fault: string | undefined
  let end = 0
  for (; end < given.length; end += period) {
    fault = check((part, bytes) => faultOf(part, bytes, curve), end)
    if (fault !== undefined) break
    yield
  }
  if (additions.has(precompile)) return fault
  const [wrongGroup, ...others] = parts.flatMap((part) => subgroupMessage(part, curve) ?? [])
  // Nothing else can be wrong, and a check takes a millisecond.
  if (fault === undefined && others.length === 0) return wrongGroup
  for (let at = 0; at < end; at += period) {
    const outside = check((part, bytes) => subgroupFaultOf(part, bytes, curve), at)
    if (outside !== undefined) return outside
    yield
  }
  return fault
}

/** Returns geth's message for a point outside the subgroup; undefined for parts without one. */
function subgroupMessage(part: Part, { messages }: Curve): string | undefined {
  return part === 'g1' || part === 'g2' ? messages[part] : undefined
}

/** Returns what is wrong with a part whose point is on the curve, if anything. */
function subgroupFaultOf(part: Part, bytes: Uint8Array, { name, messages }: Curve): string | undefined {
  if (part !== 'g1' && part !== 'g2') return undefined
  const message = messages[part]
  return message === undefined || curves[name].isInSubgroup(part, bytes) ? undefined : message
}

function lengthOf(part: Part, { elementBytes }: Curve): number {
  if (part === 'scalar') return 32
  return elementBytes * (part === 'element' ? 1 : part === 'g1' ? 2 : 4)
}

/** Returns what is wrong with the encoding of a part, if anything. */
function faultOf(part: Part, bytes: Uint8Array, curve: Curve): string | undefined {
  if (part === 'scalar') return undefined
  const { elementBytes, zeroBytes, modulus } = curve
  const values: bigint[] = []
  for (let at = 0; at < bytes.length; at += elementBytes) {
    if (bytes.subarray(at, at + zeroBytes).some((byte) => byte !== 0))
      return 'invalid field element top bytes'
    const value = bytesToBigint(bytes.subarray(at + zeroBytes, at + elementBytes))
    if (value >= modulus) return 'invalid fp.Element encoding'
    values.push(value)
  }
  if (part === 'element' || values.every((value) => value === 0n)) return undefined
  const isOn = part === 'g1' ? isOnCurve(values, curve) : isOnTwist(values, curve)
  return isOn ? undefined : curve.messages.offCurve
}

function isOnCurve([x = 0n, y = 0n]: readonly bigint[], { b, modulus }: Curve): boolean {
  return (y * y - x * x * x - b) % modulus === 0n
}

function isOnTwist([x0 = 0n, x1 = 0n, y0 = 0n, y1 = 0n]: readonly bigint[], curve: Curve): boolean {
  const { modulus, realIndex, twist } = curve
  const [x, y]: [Element, Element] =
    realIndex === 0
      ? [
          [x0, x1],
          [y0, y1],
        ]
      : [
          [x1, x0],
          [y1, y0],
        ]
  const [square, cube] = [multiply(y, y), multiply(multiply(x, x), x)]
  const left = multiply([square[0] - cube[0], square[1] - cube[1]], twist.denominator)
  return (left[0] - twist.numerator[0]) % modulus === 0n && (left[1] - twist.numerator[1]) % modulus === 0n
}

function multiply([a, b]: Element, [c, d]: Element): Element {
  return [a * c - b * d, a * d + b * c]
}
