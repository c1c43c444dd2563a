import { Account, Address } from '@ethereumjs/util'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 as bn254Curve } from '@noble/curves/bn254.js'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { testHeader } from '../../../test/support/callSite.js'
import { createMemoryState } from '../../../test/support/memoryState.js'
import { seededRandom } from '../../../test/support/programs.js'
import { bigintToBytes, hexToBytes } from '../../encoding/hex.js'
import { createBlockEnvironment, withEvm } from '../vm/blockEnvironment.js'
import { callChecks } from '../vm/preCheck.js'
import { type MessageResult, runMessage } from '../vm/runTransaction.js'
import { bls, bn254, curves } from './curves.js'
import { createRules } from './forkSchedule.js'

const BlsG1 = bls12_381.G1.Point
const BlsG2 = bls12_381.G2.Point
const BnG1 = bn254Curve.G1.Point
const BnG2 = bn254Curve.G2.Point
const BLS_MODULUS = bls12_381.fields.Fp.ORDER

const random = seededRandom(2537)

function randomScalar(): bigint {
  return BigInt(`0x1${Array.from({ length: 60 }, () => random(16).toString(16)).join('')}`)
}

/** Concatenates numbers of `length` bytes each. */
function words(length: number, ...values: bigint[]): Uint8Array {
  return join(...values.map((value) => bigintToBytes(value, length)))
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts))
}

function blsG1(point: InstanceType<typeof BlsG1>): Uint8Array {
  const { x, y } = point.toAffine()
  return words(64, x, y)
}

function blsG2(point: InstanceType<typeof BlsG2>): Uint8Array {
  const { x, y } = point.toAffine()
  return words(64, x.c0, x.c1, y.c0, y.c1)
}

function bnG1(point: InstanceType<typeof BnG1>): Uint8Array {
  const { x, y } = point.toAffine()
  return words(32, x, y)
}

/** EIP-197: the imaginary part comes first. */
function bnG2(point: InstanceType<typeof BnG2>): Uint8Array {
  const { x, y } = point.toAffine()
  return words(32, x.c1, x.c0, y.c1, y.c0)
}

describe('BLS12-381 agrees with @noble/curves', () => {
  beforeAll(() => curves.bls12381.load())

  it('adds points', () => {
    for (let round = 0; round < 10; round++) {
      const [first, second] = [randomScalar(), randomScalar()]
      const [g1, otherG1] = [BlsG1.BASE.multiply(first), BlsG1.BASE.multiply(second)]
      expect(bls.addG1(join(blsG1(g1), blsG1(otherG1)))).toEqual(blsG1(g1.add(otherG1)))
      const [g2, otherG2] = [BlsG2.BASE.multiply(first), BlsG2.BASE.multiply(second)]
      expect(bls.addG2(join(blsG2(g2), blsG2(otherG2)))).toEqual(blsG2(g2.add(otherG2)))
    }
  })

  it('adds a point to itself, to its negative and to infinity', () => {
    const point = BlsG1.BASE.multiply(randomScalar())
    const infinity = new Uint8Array(128)
    expect(bls.addG1(join(blsG1(point), blsG1(point)))).toEqual(blsG1(point.double()))
    expect(bls.addG1(join(blsG1(point), blsG1(point.negate())))).toEqual(infinity)
    expect(bls.addG1(join(infinity, blsG1(point)))).toEqual(blsG1(point))
  })

  it('takes zeros for the point at infinity', () => {
    const [point, infinity] = [BlsG1.BASE.multiply(randomScalar()), new Uint8Array(128)]
    const [twistPoint, twistInfinity] = [BlsG2.BASE.multiply(randomScalar()), new Uint8Array(256)]
    expect(bls.addG2(join(blsG2(twistPoint), twistInfinity))).toEqual(blsG2(twistPoint))
    expect(bls.addG2(join(blsG2(twistPoint), blsG2(twistPoint.negate())))).toEqual(twistInfinity)
    expect(bls.msmG1(join(blsG1(point), words(32, bls12_381.fields.Fr.ORDER)))).toEqual(infinity)
    expect(bls.pairingCheck(join(infinity, blsG2(twistPoint), blsG1(point), twistInfinity))).toEqual(
      words(32, 1n),
    )
  })

  it('refuses coordinates that are not below the modulus', () => {
    const { x, y } = BlsG1.BASE.toAffine()
    for (const point of [words(64, x + BLS_MODULUS, y), words(64, x, y + BLS_MODULUS)]) {
      expect(() => bls.addG1(join(point, blsG1(BlsG1.BASE)))).toThrow()
      expect(() => bls.msmG1(join(point, words(32, 5n)))).toThrow()
      expect(() => bls.pairingCheck(join(point, blsG2(BlsG2.BASE)))).toThrow()
    }
    expect(() => bls.mapFPtoG1(words(64, BLS_MODULUS))).toThrow()
    expect(() => bls.mapFP2toG2(words(64, 1n, BLS_MODULUS))).toThrow()
  })

  it.each([1, 3, 17, 600])('sums %i products, in this thread or the worker', async (count) => {
    const scalars = Array.from({ length: count }, randomScalar)
    const total = scalars.reduce((sum, scalar, index) => sum + scalar * BigInt(index + 1), 0n)
    const factor = total % bls12_381.fields.Fr.ORDER
    let [g1, g2] = [BlsG1.ZERO, BlsG2.ZERO]
    const g1Pairs: Uint8Array[] = []
    const g2Pairs: Uint8Array[] = []
    for (const scalar of scalars) {
      g1 = g1.add(BlsG1.BASE)
      g2 = g2.add(BlsG2.BASE)
      g1Pairs.push(blsG1(g1), words(32, scalar))
      g2Pairs.push(blsG2(g2), words(32, scalar))
    }
    const sums = [
      await runTo(precompile(0x0c), join(...g1Pairs)),
      await runTo(precompile(0x0e), join(...g2Pairs)),
    ]
    expect(sums.map(({ returnData }) => returnData)).toEqual([
      blsG1(BlsG1.BASE.multiply(factor)),
      blsG2(BlsG2.BASE.multiply(factor)),
    ])
  })

  it('checks pairings', () => {
    const scalar = randomScalar()
    const equal = join(
      ...[blsG1(BlsG1.BASE), blsG2(BlsG2.BASE.multiply(scalar))],
      ...[blsG1(BlsG1.BASE.multiply(scalar).negate()), blsG2(BlsG2.BASE)],
    )
    expect(bls.pairingCheck(equal)).toEqual(words(32, 1n))
    expect(bls.pairingCheck(equal.subarray(0, 384))).toEqual(words(32, 0n))
  })

  it('checks many pairings in the worker', async () => {
    const pair = join(blsG1(BlsG1.BASE), blsG2(BlsG2.BASE))
    const opposite = join(blsG1(BlsG1.BASE.negate()), blsG2(BlsG2.BASE))
    const equal = join(...Array.from({ length: 6 }, (_, index) => (index < 3 ? pair : opposite)))
    expect((await runTo(precompile(0x0f), equal)).returnData).toEqual(words(32, 1n))
    expect((await runTo(precompile(0x0f), join(equal, pair))).returnData).toEqual(words(32, 0n))
  })
})

describe('BN254 agrees with @noble/curves', () => {
  beforeAll(() => curves.bn254.load())

  it('adds and multiplies', () => {
    for (let round = 0; round < 10; round++) {
      const scalar = randomScalar()
      const [point, other] = [BnG1.BASE.multiply(randomScalar()), BnG1.BASE.multiply(randomScalar())]
      expect(bn254.add(join(bnG1(point), bnG1(other)))).toEqual(bnG1(point.add(other)))
      const product = bnG1(point.multiply(scalar % bn254Curve.fields.Fr.ORDER))
      expect(bn254.mul(join(bnG1(point), words(32, scalar), new Uint8Array(32)))).toEqual(product)
    }
  })

  it('takes zeros for the point at infinity', () => {
    const [point, infinity] = [BnG1.BASE.multiply(randomScalar()), new Uint8Array(64)]
    expect(bn254.add(join(infinity, bnG1(point)))).toEqual(bnG1(point))
    expect(bn254.add(join(bnG1(point), bnG1(point)))).toEqual(bnG1(point.double()))
    expect(bn254.add(join(bnG1(point), bnG1(point.negate())))).toEqual(infinity)
    expect(bn254.mul(join(bnG1(point), words(32, bn254Curve.fields.Fr.ORDER)))).toEqual(infinity)
    expect(bn254.mul(join(infinity, words(32, 5n)))).toEqual(infinity)
    const ones = join(infinity, bnG2(BnG2.BASE), bnG1(point), new Uint8Array(128))
    expect(bn254.pairing(ones)).toEqual(words(32, 1n))
  })

  it('refuses coordinates that are not below the modulus', () => {
    const modulus = bn254Curve.fields.Fp.ORDER
    const { x, y } = BnG1.BASE.toAffine()
    for (const point of [words(32, x + modulus, y), words(32, x, y + modulus), words(32, modulus, modulus)]) {
      expect(() => bn254.add(join(point, bnG1(BnG1.BASE)))).toThrow()
      expect(() => bn254.mul(join(point, words(32, 5n)))).toThrow()
      expect(() => bn254.pairing(join(point, bnG2(BnG2.BASE)))).toThrow()
    }
  })

  it('checks pairings', () => {
    const scalar = randomScalar()
    const equal = join(
      ...[bnG1(BnG1.BASE), bnG2(BnG2.BASE.multiply(scalar))],
      ...[bnG1(BnG1.BASE.multiply(scalar).negate()), bnG2(BnG2.BASE)],
    )
    expect(bn254.pairing(equal)).toEqual(words(32, 1n))
    expect(bn254.pairing(equal.subarray(0, 192))).toEqual(words(32, 0n))
    expect(bn254.pairing(new Uint8Array())).toEqual(words(32, 1n))
  })

  it('checks many pairings in the worker', async () => {
    const pair = join(bnG1(BnG1.BASE), bnG2(BnG2.BASE))
    const opposite = join(bnG1(BnG1.BASE.negate()), bnG2(BnG2.BASE))
    const equal = join(...Array.from({ length: 6 }, (_, index) => (index < 3 ? pair : opposite)))
    expect((await runTo(precompile(0x08), equal)).returnData).toEqual(words(32, 1n))
    expect((await runTo(precompile(0x08), join(equal, pair))).returnData).toEqual(words(32, 0n))
  })
})

const rules = createRules({ chainId: 31337n, hardfork: 'prague' })
const block = createBlockEnvironment(testHeader, rules)
const GAS_LIMIT = 30_000_000n
const caller = new Uint8Array(20).fill(0xa1)

function precompile(lastByte: number): Uint8Array {
  return bigintToBytes(BigInt(lastByte), 20)
}

/** Runs a message to an account, optionally with code. */
async function runTo(
  to: Uint8Array,
  data: Uint8Array,
  code?: Uint8Array,
  gasLimit = GAS_LIMIT,
): Promise<MessageResult> {
  const state = createMemoryState()
  await state.putAccount(new Address(caller), new Account(0n, 10n ** 18n))
  if (code !== undefined) {
    await state.putAccount(new Address(to), new Account(1n))
    await state.putCode(new Address(to), code)
  }
  return withEvm({ rules, state, block, blockHash: () => undefined }, (evm) => {
    const fees = { gasPrice: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const place = { from: caller, to, nonce: 0n, value: 0n }
    return runMessage(evm, { ...place, ...fees, data, gasLimit, accessList: [] }, callChecks)
  })
}

interface CurveClass<T, P> {
  CURVE(): { a: T; b: T }
  fromAffine(point: { x: T; y: T }): P
}

/** Finds a point outside the prime-order subgroup, as most points of a curve with a cofactor are. */
function outsideSubgroup<T, P extends { isTorsionFree(): boolean }>(
  curve: CurveClass<T, P>,
  field: { create(value: T): T; sqr(x: T): T; mul(x: T, y: T): T; add(x: T, y: T): T; sqrt(x: T): T; ONE: T },
): P {
  for (let x = field.ONE; ; x = field.add(x, field.ONE)) {
    try {
      const y = field.sqrt(field.add(field.mul(field.sqr(x), x), curve.CURVE().b))
      const point = curve.fromAffine({ x, y })
      if (!point.isTorsionFree()) return point
    } catch {
      // There is no point with this x.
    }
  }
}

describe('an invalid point', () => {
  const offBn = words(32, 1n, 1n)
  const offBls = words(64, 1n, 1n)
  const { x, y } = BlsG1.BASE.toAffine()
  const wrongBnPair = [bnG1(BnG1.BASE), bnG2(outsideSubgroup(BnG2, bn254Curve.fields.Fp2))]
  const wrongG1 = blsG1(outsideSubgroup(BlsG1, bls12_381.fields.Fp))
  const wrongG2 = blsG2(outsideSubgroup(BlsG2, bls12_381.fields.Fp2))

  // Messages of geth 1.17.
  it.each([
    ['BN254 addition', 0x06, join(offBn, new Uint8Array(64)), 'point is not on curve'],
    ['BN254 multiplication', 0x07, join(offBn, words(32, 5n)), 'point is not on curve'],
    ['BN254 pairing', 0x08, join(offBn, new Uint8Array(128)), 'point is not on curve'],
    ['BN254 pairing outside the subgroup', 0x08, join(...wrongBnPair), 'point is not in correct subgroup'],
    ['BLS12-381 addition', 0x0b, join(offBls, blsG1(BlsG1.BASE)), 'invalid point: not on curve'],
    ['BLS12-381 multiplication', 0x0c, join(offBls, words(32, 5n)), 'invalid point: not on curve'],
    [
      'BLS12-381 multiplication with bad bytes in a later pair',
      0x0c,
      join(offBls, words(32, 5n), new Uint8Array(160).fill(1)),
      'invalid point: not on curve',
    ],
    [
      'BLS12-381 multiplication with bad bytes in the first pair',
      0x0c,
      join(new Uint8Array(160).fill(1), offBls, words(32, 5n)),
      'invalid field element top bytes',
    ],
    ['BLS12-381 pairing', 0x0f, join(offBls, new Uint8Array(256)), 'invalid point: not on curve'],
    [
      'BLS12-381 pairing with a second point off the curve',
      0x0f,
      join(blsG1(BlsG1.BASE), words(64, 1n, 1n, 1n, 1n)),
      'invalid point: not on curve',
    ],
    [
      'BLS12-381 multiplication outside the subgroup',
      0x0c,
      join(wrongG1, words(32, 5n)),
      'g1 point is not on correct subgroup',
    ],
    [
      'BLS12-381 multiplication outside the second subgroup',
      0x0e,
      join(wrongG2, words(32, 5n)),
      'g2 point is not on correct subgroup',
    ],
    [
      'BLS12-381 pairing with a first point outside the subgroup',
      0x0f,
      join(wrongG1, blsG2(BlsG2.BASE)),
      'g1 point is not on correct subgroup',
    ],
    [
      'BLS12-381 pairing with a second point outside the subgroup',
      0x0f,
      join(blsG1(BlsG1.BASE), wrongG2),
      'g2 point is not on correct subgroup',
    ],
    // geth checks one pair after the other.
    [
      'BN254 pairing outside the subgroup, before a point off the curve',
      0x08,
      join(new Uint8Array(192), ...wrongBnPair, offBn, new Uint8Array(128)),
      'point is not in correct subgroup',
    ],
    [
      'BN254 pairing off the curve, before a point outside the subgroup',
      0x08,
      join(offBn, new Uint8Array(128), ...wrongBnPair),
      'point is not on curve',
    ],
    [
      'BLS12-381 multiplication outside the subgroup, before a point off the curve',
      0x0c,
      join(new Uint8Array(160), wrongG1, words(32, 5n), offBls, words(32, 5n)),
      'g1 point is not on correct subgroup',
    ],
    [
      'BLS12-381 multiplication outside the second subgroup, before bad bytes',
      0x0e,
      join(blsG2(BlsG2.BASE), words(32, 5n), wrongG2, words(32, 5n), new Uint8Array(288).fill(1)),
      'g2 point is not on correct subgroup',
    ],
    [
      'BLS12-381 pairing outside the second subgroup, before one outside the first',
      0x0f,
      join(blsG1(BlsG1.BASE), wrongG2, wrongG1, blsG2(BlsG2.BASE)),
      'g2 point is not on correct subgroup',
    ],
    [
      'BLS12-381 pairing outside both subgroups',
      0x0f,
      join(new Uint8Array(384), wrongG1, wrongG2),
      'g1 point is not on correct subgroup',
    ],
    [
      'BLS12-381 pairing outside the first subgroup and off the twist',
      0x0f,
      join(wrongG1, words(64, 1n, 1n, 1n, 1n)),
      'invalid point: not on curve',
    ],
    [
      'BLS12-381 addition outside the subgroup and off the curve',
      0x0b,
      join(wrongG1, offBls),
      'invalid point: not on curve',
    ],
    ['BLS12-381 map beyond the field', 0x10, words(64, BLS_MODULUS), 'invalid fp.Element encoding'],
    ['BLS12-381 map with bad bytes', 0x10, new Uint8Array(64).fill(1), 'invalid field element top bytes'],
    [
      'BN254 pairing in the worker',
      0x08,
      join(new Uint8Array(5 * 192), offBn, new Uint8Array(128)),
      'point is not on curve',
    ],
    [
      'BLS12-381 multiplication in the worker',
      0x0c,
      join(new Uint8Array(20 * 160), offBls, words(32, 5n)),
      'invalid point: not on curve',
    ],
    [
      'BLS12-381 addition beyond the field',
      0x0b,
      join(words(64, x, y + BLS_MODULUS), blsG1(BlsG1.BASE)),
      'invalid fp.Element encoding',
    ],
  ])('%s: uses up all gas and is not a revert', async (_, lastByte, data, reason) => {
    const { gasUsed, returnData, failure } = await runTo(precompile(lastByte), data)
    expect(gasUsed).toBe(GAS_LIMIT)
    expect(returnData).toHaveLength(0)
    expect(failure?.kind).toBe('other')
    expect(failure?.message).toBe(reason)
  })
})

it.each([
  [0x08, 100, 70_000n, 'bad elliptic curve pairing size'],
  [0x08, 100, 50_000n, 'out of gas'],
  [0x0f, 0, 60_000n, 'invalid input length'],
  [0x0f, 0, 50_000n, 'out of gas'],
  [0x0f, 400, 95_000n, 'invalid input length'],
  [0x0f, 400, 75_000n, 'out of gas'],
])(
  'charges for a pairing (%i) of %i bytes before it checks the length',
  async (lastByte, length, gas, reason) => {
    const { failure } = await runTo(precompile(lastByte), new Uint8Array(length), undefined, gas)
    expect(failure?.message).toBe(reason)
  },
)

it('yields between the additions of a loop', async () => {
  await curves.bls12381.load()
  const additions = 50
  // Adds the points in the call data as many times as the counter says, and returns the last sum. That takes fewer
  // opcodes than normally run between two readings of the clock.
  const code = hexToBytes(
    '0x' +
      '6101005f5f37' + // CALLDATACOPY(0, 0, 256)
      `60${additions.toString(16)}` + // the counter
      '5b' + // 8: JUMPDEST
      '60806101006101005f600b5afa50' + // STATICCALL(gas, 0x0b, 0, 256, 256, 128)
      '60019003' + // the counter less one
      '80600857' + // JUMPI to 8 until it is zero
      '6080610100f3', // RETURN(256, 128)
  )
  const point = BlsG1.BASE.multiply(randomScalar())
  let turns = 0
  let ended = false
  const count = (): void => {
    turns++
    if (!ended) setImmediate(count)
  }
  // Every reading of the clock ends the slice.
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000))
  setImmediate(count)
  try {
    const contract = new Uint8Array(20).fill(0xc0)
    const { returnData, failure } = await runTo(contract, join(blsG1(point), blsG1(BlsG1.BASE)), code)
    expect(failure).toBeUndefined()
    expect(returnData).toEqual(blsG1(point.add(BlsG1.BASE)))
  } finally {
    ended = true
    clock.mockRestore()
  }
  expect(turns).toBeGreaterThanOrEqual(additions - 1)
})
