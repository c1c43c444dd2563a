import { createECDH } from 'node:crypto'
import type { ExecResult, PrecompileInput } from '@ethereumjs/evm'
import { bigintToBytes, bytesToBigint } from '../../encoding/hex.js'
import { NO_BYTES } from '../state/account.js'
import { outOfGas } from './failure.js'

/** EIP-7951. */
const GAS = 6_900n
const INPUT_BYTES = 160

/** secp256r1, y² = x³ - 3x + b: the field, and the order of the group. */
const FIELD = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

const ONE = new Uint8Array(32)
ONE[31] = 1

interface Point {
  x: bigint
  y: bigint
}

function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}

/** Returns the inverse of a number coprime to the modulus (Euclid). */
function invert(value: bigint, modulus: bigint): bigint {
  let [rest, next] = [modulus, modulo(value, modulus)]
  let [coefficient, nextCoefficient] = [0n, 1n]
  while (next !== 0n) {
    const quotient = rest / next
    ;[rest, next] = [next, rest - quotient * next]
    ;[coefficient, nextCoefficient] = [nextCoefficient, coefficient - quotient * nextCoefficient]
  }
  return modulo(coefficient, modulus)
}

function encodePoint({ x, y }: Point): Uint8Array {
  const bytes = new Uint8Array(65)
  bytes[0] = 4
  bytes.set(bigintToBytes(x, 32), 1)
  bytes.set(bigintToBytes(y, 32), 33)
  return bytes
}

/**
 * Whether r and s sign a hash under the public key Q (FIPS 186-5, section 6.4.2).
 *
 * OpenSSL does the multiplication, through Node's key agreement for the curve, because Node cannot verify the signature
 * of a given hash. The wanted point (hash/s)G + (r/s)Q equals (r/s)(Q + (hash/r)G), and the secret of a key agreement
 * is the x coordinate of such a multiple.
 *
 * @throws Error if Q is not on the curve
 */
export function verifyP256(hash: bigint, r: bigint, s: bigint, key: Point): boolean {
  // A single inversion for both quotients.
  const inverse = invert(r * s, ORDER)
  const ofBase = modulo(hash * s * inverse, ORDER)
  let ofSum = modulo(r * r * inverse, ORDER)
  const agreement = createECDH('prime256v1')
  let sum = key
  if (ofBase !== 0n) {
    agreement.setPrivateKey(bigintToBytes(ofBase, 32))
    const base = agreement.getPublicKey()
    const x = bytesToBigint(base.subarray(1, 33))
    const y = bytesToBigint(base.subarray(33))
    if (x !== key.x) {
      const slope = modulo((y - key.y) * invert(x - key.x, FIELD), FIELD)
      const sumX = modulo(slope * slope - x - key.x, FIELD)
      sum = { x: sumX, y: modulo(slope * (x - sumX) - y, FIELD) }
    } else if (y === key.y) {
      ofSum = modulo(2n * ofSum, ORDER)
    } else return false
  }
  agreement.setPrivateKey(bigintToBytes(ofSum, 32))
  return modulo(bytesToBigint(agreement.computeSecret(encodePoint(sum))), ORDER) === r
}

/** P256VERIFY (EIP-7951): returns one if the signature is valid, otherwise nothing. */
export function p256Precompile({ data, gasLimit }: PrecompileInput): ExecResult {
  if (gasLimit < GAS) return outOfGas(gasLimit)
  return { executionGasUsed: GAS, returnValue: isValid(data) ? ONE.slice() : NO_BYTES }
}

function isValid(data: Uint8Array): boolean {
  if (data.length !== INPUT_BYTES) return false
  const [hash, r, s, x, y] = [0, 32, 64, 96, 128].map((start) =>
    bytesToBigint(data.subarray(start, start + 32)),
  ) as [bigint, bigint, bigint, bigint, bigint]
  if (r === 0n || r >= ORDER || s === 0n || s >= ORDER) return false
  if (x >= FIELD || y >= FIELD || !isOnCurve({ x, y })) return false
  return verifyP256(hash, r, s, { x, y })
}

/** The coefficient b. */
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

function isOnCurve({ x, y }: Point): boolean {
  return (y * y - x * x * x + 3n * x - B) % FIELD === 0n
}
