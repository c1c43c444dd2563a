import type { EVMBN254Interface } from '@ethereumjs/evm'

/** Functions of a WebAssembly instance of mcl (mcl/bn.h). Arguments are addresses in its memory and lengths. */
export interface MclInstance {
  /** The memory; a new view whenever it has grown. */
  readonly HEAP8: Int8Array
  _malloc(bytes: number): number
  _mclBn_init(curve: number, compiledTimeVar: number): number
  _mclBn_verifyOrderG2(verify: number): void
  _mclBnFp_deserialize(element: number, bytes: number, length: number): number
  _mclBnFp_serialize(bytes: number, maxLength: number, element: number): number
  _mclBnFp_setInt32(element: number, value: number): void
  _mclBnFr_setBigEndianMod(scalar: number, bytes: number, length: number): number
  _mclBnG1_isValid(point: number): number
  _mclBnG1_isZero(point: number): number
  _mclBnG1_add(sum: number, point: number, other: number): void
  _mclBnG1_mul(product: number, point: number, scalar: number): void
  _mclBnG1_normalize(result: number, point: number): void
  _mclBnG2_isValid(point: number): number
  _mclBnG2_isZero(point: number): number
  _mclBn_millerLoopVec(result: number, points: number, twistPoints: number, pairs: number): void
  _mclBn_finalExp(result: number, element: number): void
  _mclBnGT_setInt32(element: number, value: number): void
  _mclBnGT_mul(product: number, element: number, other: number): void
  _mclBnGT_isOne(element: number): number
}

/**
 * Computes on BN254 with an instance of mcl. The memory of an element is that of mcl-wasm: room for 384 bits, whatever
 * the curve; x, y and z of a point follow each other, and so do the real and imaginary part of an element of the
 * twist's field.
 *
 * The function is self-contained, because the worker gets it as source text.
 *
 * @returns the operations of EIP-196 and EIP-197; their result is empty if the input is invalid
 */
export function createBn254(mcl: MclInstance): EVMBN254Interface {
  const bnSnark1 = 4
  /** The library checks the sizes of a field element and a scalar, in words of 64 bits: 4 × 10 + 6. */
  const compiledTimeVar = 46
  const elementBytes = 48
  const wordBytes = 32
  /** Pairs of points whose Miller loops are computed together. */
  const maxPairs = 64
  const invalid = new Uint8Array(0)

  if (mcl._mclBn_init(bnSnark1, compiledTimeVar) !== 0) throw new Error('mcl does not know BN254')
  mcl._mclBn_verifyOrderG2(1)
  const word = mcl._malloc(wordBytes)
  const scalar = mcl._malloc(elementBytes)
  const points = mcl._malloc(maxPairs * 3 * elementBytes)
  const twistPoints = mcl._malloc(maxPairs * 6 * elementBytes)
  const product = mcl._malloc(12 * elementBytes)
  const factor = mcl._malloc(12 * elementBytes)

  /** Reads an element, 32 bytes in big-endian order. @returns whether it is below the modulus */
  function readElement(target: number, input: Uint8Array, at: number): boolean {
    const memory = mcl.HEAP8
    for (let i = 0; i < wordBytes; i++) memory[word + i] = input[at + wordBytes - 1 - i] ?? 0
    return mcl._mclBnFp_deserialize(target, word, wordBytes) === wordBytes
  }

  /** Whether all coordinates are zero, which encodes the point at infinity. */
  function isInfinity(input: Uint8Array, at: number, length: number): boolean {
    for (let i = at; i < at + length; i++) if (input[i] !== 0) return false
    return true
  }

  /** Reads a point of 64 bytes: x and y. @returns whether it is on the curve */
  function readPoint(target: number, input: Uint8Array, at: number): boolean {
    const infinity = isInfinity(input, at, 2 * wordBytes)
    mcl._mclBnFp_setInt32(target + 2 * elementBytes, infinity ? 0 : 1)
    return (
      readElement(target, input, at) &&
      readElement(target + elementBytes, input, at + wordBytes) &&
      (infinity || mcl._mclBnG1_isValid(target) === 1)
    )
  }

  /** Reads a point of 128 bytes: x and y, the imaginary part first. @returns whether it is in the subgroup */
  function readTwistPoint(target: number, input: Uint8Array, at: number): boolean {
    const infinity = isInfinity(input, at, 4 * wordBytes)
    mcl._mclBnFp_setInt32(target + 4 * elementBytes, infinity ? 0 : 1)
    mcl._mclBnFp_setInt32(target + 5 * elementBytes, 0)
    return (
      readElement(target + elementBytes, input, at) &&
      readElement(target, input, at + wordBytes) &&
      readElement(target + 3 * elementBytes, input, at + 2 * wordBytes) &&
      readElement(target + 2 * elementBytes, input, at + 3 * wordBytes) &&
      (infinity || mcl._mclBnG2_isValid(target) === 1)
    )
  }

  function writePoint(point: number): Uint8Array {
    const output = new Uint8Array(2 * wordBytes)
    if (mcl._mclBnG1_isZero(point) === 1) return output
    mcl._mclBnG1_normalize(point, point)
    for (const index of [0, 1]) {
      mcl._mclBnFp_serialize(word, wordBytes, point + index * elementBytes)
      const memory = mcl.HEAP8
      const last = (index + 1) * wordBytes - 1
      for (let i = 0; i < wordBytes; i++) output[last - i] = memory[word + i] ?? 0
    }
    return output
  }

  /** Multiplies the product of all pairings by those of the first `pairs` pairs in memory. */
  function multiplyPairings(pairs: number): void {
    if (pairs === 0) return
    mcl._mclBn_millerLoopVec(factor, points, twistPoints, pairs)
    mcl._mclBnGT_mul(product, product, factor)
  }

  return {
    add(input) {
      const other = points + 3 * elementBytes
      if (!readPoint(points, input, 0) || !readPoint(other, input, 2 * wordBytes)) return invalid
      mcl._mclBnG1_add(points, points, other)
      return writePoint(points)
    },

    mul(input) {
      if (!readPoint(points, input, 0)) return invalid
      mcl.HEAP8.set(input.subarray(2 * wordBytes, 3 * wordBytes), word)
      mcl._mclBnFr_setBigEndianMod(scalar, word, wordBytes)
      mcl._mclBnG1_mul(points, points, scalar)
      return writePoint(points)
    },

    pairing(input) {
      mcl._mclBnGT_setInt32(product, 1)
      let pairs = 0
      for (let at = 0; at < input.length; at += 6 * wordBytes) {
        const point = points + pairs * 3 * elementBytes
        const twistPoint = twistPoints + pairs * 6 * elementBytes
        if (!readPoint(point, input, at)) return invalid
        if (!readTwistPoint(twistPoint, input, at + 2 * wordBytes)) return invalid
        // The pairing of a point at infinity is one.
        if (mcl._mclBnG1_isZero(point) === 1 || mcl._mclBnG2_isZero(twistPoint) === 1) continue
        pairs++
        if (pairs < maxPairs) continue
        multiplyPairings(pairs)
        pairs = 0
      }
      multiplyPairings(pairs)
      mcl._mclBn_finalExp(product, product)
      const output = new Uint8Array(wordBytes)
      output[wordBytes - 1] = mcl._mclBnGT_isOne(product)
      return output
    },
  }
}
