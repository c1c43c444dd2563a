/** Functions of a WebAssembly instance of mcl (mcl/bn.h). Arguments are addresses in its memory and numbers. */
export interface MclInstance {
  /** The memory; a new view whenever it has grown. */
  readonly HEAP8: Int8Array
  _malloc(bytes: number): number
  _mclBn_init(curve: number, compiledTimeVar: number): number
  _mclBn_setMapToMode(mode: number): number
  _mclBn_verifyOrderG1(verify: number): void
  _mclBn_verifyOrderG2(verify: number): void
  _mclBnFp_deserialize(element: number, bytes: number, length: number): number
  _mclBnFp_serialize(bytes: number, maxLength: number, element: number): number
  _mclBnFp_setInt32(element: number, value: number): void
  _mclBnFp_mapToG1(point: number, element: number): number
  _mclBnFp2_mapToG2(point: number, element: number): number
  _mclBnFr_setBigEndianMod(scalar: number, bytes: number, length: number): number
  _mclBnG1_clear(point: number): void
  _mclBnG1_isZero(point: number): number
  _mclBnG1_isValid(point: number): number
  _mclBnG1_isValidOrder(point: number): number
  _mclBnG1_add(sum: number, point: number, other: number): void
  _mclBnG1_normalize(result: number, point: number): void
  _mclBnG1_mulVec(sum: number, points: number, scalars: number, count: number): void
  _mclBnG2_clear(point: number): void
  _mclBnG2_isZero(point: number): number
  _mclBnG2_isValid(point: number): number
  _mclBnG2_isValidOrder(point: number): number
  _mclBnG2_add(sum: number, point: number, other: number): void
  _mclBnG2_normalize(result: number, point: number): void
  _mclBnG2_mulVec(sum: number, points: number, scalars: number, count: number): void
  _mclBn_millerLoopVec(result: number, points: number, twistPoints: number, count: number): void
  _mclBn_finalExp(result: number, element: number): void
  _mclBnGT_setInt32(element: number, value: number): void
  _mclBnGT_mul(product: number, element: number, other: number): void
  _mclBnGT_isOne(element: number): number
}

/** What differs between the curves of the precompiles. */
interface CurveParameters {
  /** mcl's number of the curve (mcl/curve_type.h). */
  id: number
  /** Bytes of an encoded field element: zeros, and the value in big-endian order. */
  paddingBytes: number
  valueBytes: number
  /** Whether the imaginary part of an element of the twist's field comes first. */
  imaginaryFirst: boolean
  /** Whether the curve has points outside G1. */
  g1HasCofactor: boolean
}

/** BN254 (EIP-196, EIP-197) and BLS12-381 (EIP-2537). */
export const curveParameters = {
  bn254: { id: 4, paddingBytes: 0, valueBytes: 32, imaginaryFirst: true, g1HasCofactor: false },
  bls12381: { id: 5, paddingBytes: 16, valueBytes: 48, imaginaryFirst: false, g1HasCofactor: true },
} as const satisfies Record<string, CurveParameters>

/** The group of points of a curve, or of its twist. */
type GroupName = 'g1' | 'g2'

/** Functions of mcl for a group. */
interface GroupOperations {
  clear: MclInstance['_mclBnG1_clear']
  isZero: MclInstance['_mclBnG1_isZero']
  isOnCurve: MclInstance['_mclBnG1_isValid']
  isInSubgroup: MclInstance['_mclBnG1_isValidOrder']
  add: MclInstance['_mclBnG1_add']
  normalize: MclInstance['_mclBnG1_normalize']
  msm: MclInstance['_mclBnG1_mulVec']
  map: MclInstance['_mclBnFp_mapToG1']
}

/**
 * A curve with a pairing. Points, field elements and results are encoded as in the curve's EIP, scalars have 32 bytes.
 * Operations return no bytes if a field element, a point or, except for sums, its subgroup is invalid.
 */
export interface PairingCurve {
  /** Adds two points. */
  add(group: GroupName, input: Uint8Array): Uint8Array
  /** Adds the products of points and scalars, given in pairs: a multi-scalar multiplication. */
  msm(group: GroupName, input: Uint8Array): Uint8Array
  /** Whether the product of the pairings of given pairs is one, as a word of 32 bytes. */
  pairing(input: Uint8Array): Uint8Array
  /** Maps an element of the group's field to a point (EIP-2537). */
  map(group: GroupName, input: Uint8Array): Uint8Array
  /** Whether the encoding is that of a point in the subgroup. */
  isInSubgroup(group: GroupName, point: Uint8Array): boolean
}

/**
 * Computes on a curve with an instance of mcl of its own. In its memory, an element has room for 384 bits, x, y and z of
 * a point follow each other, and so do the real and the imaginary part of an element of the twist's field.
 *
 * The function is self-contained, because the worker gets it as source text.
 */
export function createPairingCurve(
  mcl: MclInstance,
  { id, paddingBytes, valueBytes, imaginaryFirst, g1HasCofactor }: CurveParameters,
): PairingCurve {
  /** The sizes of a field element and a scalar in words of 64 bits, which mcl checks: 4 × 10 + 6. */
  const compiledTimeVar = 46
  /** The mapping of EIP-2537 (mcl/bn.h, MCL_MAP_TO_MODE_HASH_TO_CURVE_07). */
  const hashToCurve = 5
  const elementSize = 48
  const scalarSize = 32
  const encodedBytes = paddingBytes + valueBytes
  /** Points computed together. */
  const maxPoints = 256
  const invalid = new Uint8Array(0)

  if (mcl._mclBn_init(id, compiledTimeVar) !== 0) throw new Error(`mcl does not know curve ${id}`)
  // The order of a point is checked where it matters.
  mcl._mclBn_verifyOrderG1(0)
  mcl._mclBn_verifyOrderG2(0)
  mcl._mclBn_setMapToMode(hashToCurve)

  /** Where the field elements of `coordinates` coordinates are: in memory, and in their encoding. */
  function placesOf(degree: number, coordinates: number): { inMemory: number; encoded: number }[] {
    return Array.from({ length: coordinates * degree }, (_, index) => {
      const swapped = degree === 2 && imaginaryFirst ? index ^ 1 : index
      return { inMemory: index * elementSize, encoded: swapped * encodedBytes }
    })
  }

  /** @param degree - field elements of a coordinate */
  function createGroup(degree: number, operations: GroupOperations) {
    const pointSize = 3 * degree * elementSize
    return {
      ...operations,
      pointSize,
      pointBytes: 2 * degree * encodedBytes,
      x: placesOf(degree, 1),
      xAndY: placesOf(degree, 2),
      z: 2 * degree * elementSize,
      points: mcl._malloc(maxPoints * pointSize),
      sum: mcl._malloc(pointSize),
      part: mcl._malloc(pointSize),
    }
  }
  type Group = ReturnType<typeof createGroup>

  const g1 = createGroup(1, {
    clear: mcl._mclBnG1_clear,
    isZero: mcl._mclBnG1_isZero,
    isOnCurve: mcl._mclBnG1_isValid,
    isInSubgroup: g1HasCofactor ? mcl._mclBnG1_isValidOrder : () => 1,
    add: mcl._mclBnG1_add,
    normalize: mcl._mclBnG1_normalize,
    msm: mcl._mclBnG1_mulVec,
    map: mcl._mclBnFp_mapToG1,
  })
  const g2 = createGroup(2, {
    clear: mcl._mclBnG2_clear,
    isZero: mcl._mclBnG2_isZero,
    isOnCurve: mcl._mclBnG2_isValid,
    isInSubgroup: mcl._mclBnG2_isValidOrder,
    add: mcl._mclBnG2_add,
    normalize: mcl._mclBnG2_normalize,
    msm: mcl._mclBnG2_mulVec,
    map: mcl._mclBnFp2_mapToG2,
  })
  const groups: Record<GroupName, Group> = { g1, g2 }
  const encoded = mcl._malloc(Math.max(valueBytes, scalarSize))
  const scalars = mcl._malloc(maxPoints * scalarSize)
  const product = mcl._malloc(12 * elementSize)
  const factor = mcl._malloc(12 * elementSize)

  function isZeroAt(input: Uint8Array, start: number, length: number): boolean {
    for (let i = start; i < start + length; i++) if (input[i] !== 0) return false
    return true
  }

  /** @returns whether the padding is zero and the value below the modulus */
  function readElement(target: number, input: Uint8Array, at: number): boolean {
    if (!isZeroAt(input, at, paddingBytes)) return false
    const memory = mcl.HEAP8
    for (let i = 0; i < valueBytes; i++) memory[encoded + i] = input[at + encodedBytes - 1 - i] ?? 0
    return mcl._mclBnFp_deserialize(target, encoded, valueBytes) === valueBytes
  }

  function writeElement(output: Uint8Array, at: number, element: number): void {
    mcl._mclBnFp_serialize(encoded, valueBytes, element)
    const memory = mcl.HEAP8
    for (let i = 0; i < valueBytes; i++) output[at + encodedBytes - 1 - i] = memory[encoded + i] ?? 0
  }

  /** @returns whether a point is on the curve; only zeros encode the point at infinity */
  function readPoint(group: Group, target: number, input: Uint8Array, at: number): boolean {
    group.clear(target)
    if (isZeroAt(input, at, group.pointBytes)) return true
    for (const place of group.xAndY) {
      if (!readElement(target + place.inMemory, input, at + place.encoded)) return false
    }
    mcl._mclBnFp_setInt32(target + group.z, 1)
    return group.isOnCurve(target) === 1
  }

  function readSubgroupPoint(group: Group, target: number, input: Uint8Array, at: number): boolean {
    return readPoint(group, target, input, at) && group.isInSubgroup(target) === 1
  }

  function writePoint(group: Group, point: number): Uint8Array {
    const output = new Uint8Array(group.pointBytes)
    if (group.isZero(point) === 1) return output
    group.normalize(point, point)
    for (const place of group.xAndY) writeElement(output, place.encoded, point + place.inMemory)
    return output
  }

  /** Multiplies the product of all pairings by those of the first pairs in memory. */
  function multiplyPairings(pairs: number): void {
    if (pairs === 0) return
    mcl._mclBn_millerLoopVec(factor, g1.points, g2.points, pairs)
    mcl._mclBnGT_mul(product, product, factor)
  }

  return {
    add(name, input) {
      const group = groups[name]
      const other = group.points + group.pointSize
      if (!readPoint(group, group.points, input, 0)) return invalid
      if (!readPoint(group, other, input, group.pointBytes)) return invalid
      group.add(group.sum, group.points, other)
      return writePoint(group, group.sum)
    },

    msm(name, input) {
      const group = groups[name]
      const pairBytes = group.pointBytes + scalarSize
      const count = input.length / pairBytes
      group.clear(group.sum)
      for (let first = 0; first < count; first += maxPoints) {
        const points = Math.min(maxPoints, count - first)
        for (let index = 0; index < points; index++) {
          const start = (first + index) * pairBytes
          if (!readSubgroupPoint(group, group.points + index * group.pointSize, input, start)) return invalid
          mcl.HEAP8.set(input.subarray(start + group.pointBytes, start + pairBytes), encoded)
          mcl._mclBnFr_setBigEndianMod(scalars + index * scalarSize, encoded, scalarSize)
        }
        group.msm(group.part, group.points, scalars, points)
        group.add(group.sum, group.sum, group.part)
      }
      return writePoint(group, group.sum)
    },

    pairing(input) {
      mcl._mclBnGT_setInt32(product, 1)
      const pairBytes = g1.pointBytes + g2.pointBytes
      let pairs = 0
      for (let start = 0; start < input.length; start += pairBytes) {
        const point = g1.points + pairs * g1.pointSize
        const twistPoint = g2.points + pairs * g2.pointSize
        if (!readSubgroupPoint(g1, point, input, start)) return invalid
        if (!readSubgroupPoint(g2, twistPoint, input, start + g1.pointBytes)) return invalid
        // The pairing of a point at infinity is one.
        if (g1.isZero(point) === 1 || g2.isZero(twistPoint) === 1) continue
        pairs++
        if (pairs < maxPoints) continue
        multiplyPairings(pairs)
        pairs = 0
      }
      multiplyPairings(pairs)
      mcl._mclBn_finalExp(product, product)
      const output = new Uint8Array(scalarSize)
      output[scalarSize - 1] = mcl._mclBnGT_isOne(product)
      return output
    },

    map(name, input) {
      const group = groups[name]
      for (const place of group.x) {
        if (!readElement(group.points + place.inMemory, input, place.encoded)) return invalid
      }
      return group.map(group.sum, group.points) === 0 ? writePoint(group, group.sum) : invalid
    },

    isInSubgroup(name, point) {
      const group = groups[name]
      return readSubgroupPoint(group, group.points, point, 0)
    },
  }
}
