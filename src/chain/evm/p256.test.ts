import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/programs.js'
import { bigintToBytes, bytesToBigint } from '../../encoding/hex.js'
import { p256Precompile, verifyP256 } from './p256.js'

const { Point } = p256
const { n: order, p: field } = Point.CURVE()
const random = seededRandom(7951)
const scalar = () => BigInt(`0x1${Array.from({ length: 62 }, () => random(16).toString(16)).join('')}`)

function modulo(value: bigint): bigint {
  return ((value % order) + order) % order
}

function run(...words: bigint[]): string {
  const data = Uint8Array.from(Buffer.concat(words.map((value) => bigintToBytes(value, 32))))
  const { returnValue, executionGasUsed } = p256Precompile({ data, gasLimit: 10_000n } as never)
  expect(executionGasUsed).toBe(6_900n)
  return Buffer.from(returnValue).toString('hex')
}

const valid = '1'.padStart(64, '0')

test('signatures made by OpenSSL are valid, and no others', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
  const [x, y] = [jwk.x, jwk.y].map((text) => bytesToBigint(Buffer.from(text, 'base64url')))
  for (let message = 0; message < 20; message++) {
    const hash = bytesToBigint(createHash('sha256').update(`${message}`).digest())
    const signature = sign('sha256', Buffer.from(`${message}`), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    const [r, s] = [bytesToBigint(signature.subarray(0, 32)), bytesToBigint(signature.subarray(32))]
    expect(run(hash, r, s, x!, y!)).toBe(valid)
    expect(run(hash, r, order - s, x!, y!)).toBe(valid)
    expect(run(hash + 1n, r, s, x!, y!)).toBe('')
    expect(run(hash, r, s, x!, field - y!)).toBe('')
    expect(run(hash, r + 1n, s, x!, y!)).toBe('')
    expect(run(hash, r, s, y!, x!)).toBe('')
  }
})

/** Forges a signature of a hash for a point known only as a sum: Q = (sR - hash G) / r. */
function forge(hash: bigint, point: InstanceType<typeof Point>) {
  const { x } = point.toAffine()
  const [r, s] = [modulo(x), scalar()]
  const ofBase = modulo(-hash)
  const part = ofBase === 0n ? Point.ZERO : Point.BASE.multiply(ofBase)
  const key = point.multiply(s).add(part).multiply(p256.Point.Fn.inv(r))
  return { hash, r, s, ...key.toAffine() }
}

test('noble verifies the same signatures', () => {
  for (let count = 0; count < 20; count++) {
    const { hash, r, s, x, y } = forge(scalar(), Point.BASE.multiply(scalar()))
    for (const changed of [s, s + 1n]) {
      const expected = p256.verify(
        Buffer.concat([bigintToBytes(r, 32), bigintToBytes(changed, 32)]),
        bigintToBytes(hash, 32),
        Point.fromAffine({ x, y }).toBytes(false),
        { prehash: false, lowS: false },
      )
      expect(verifyP256(hash, r, changed, { x, y })).toBe(expected)
      expect(expected).toBe(changed === s)
    }
  }
})

test('an x coordinate above the order of the curve is reduced', () => {
  const { a, b } = Point.CURVE()
  let x = order
  let y: bigint | undefined
  while (y === undefined) {
    x += 1n
    try {
      y = Point.Fp.sqrt(Point.Fp.create(x * x * x + a * x + b))
    } catch {
      // No point has this x.
    }
  }
  const signature = forge(scalar(), Point.fromAffine({ x, y }))
  expect(signature.r).toBe(x - order)
  expect(run(signature.hash, signature.r, signature.s, signature.x, signature.y)).toBe(valid)
})

test('sums without two different points', () => {
  // The hash is zero: nothing is added to the key.
  const ofZero = forge(0n, Point.BASE.multiply(5n))
  expect(run(0n, ofZero.r, ofZero.s, ofZero.x, ofZero.y)).toBe(valid)
  expect(run(order, ofZero.r, ofZero.s, ofZero.x, ofZero.y)).toBe(valid)
  // The key is (hash/r)G, so it is doubled. With its negative there is no point left.
  const double = Point.BASE.multiply(7n)
  const { x: r } = double.toAffine()
  const hash = scalar() % order
  const key = Point.BASE.multiply(modulo(hash * p256.Point.Fn.inv(modulo(r))))
  const { x, y } = key.toAffine()
  const s = modulo(2n * hash * p256.Point.Fn.inv(7n))
  expect(run(hash, modulo(r), s, x, y)).toBe(valid)
  expect(run(hash, modulo(r), s, x, field - y)).toBe('')
})

test('values out of range are invalid (EIP-7951)', () => {
  const { hash, r, s, x, y } = forge(scalar(), Point.BASE.multiply(scalar()))
  expect(run(hash, r, s, x, y)).toBe(valid)
  expect(run(hash, 0n, s, x, y)).toBe('')
  expect(run(hash, r, 0n, x, y)).toBe('')
  expect(run(hash, order, s, x, y)).toBe('')
  expect(run(hash, r, order + s > 2n ** 256n - 1n ? order : order + s, x, y)).toBe('')
  expect(run(hash, r, s, field, y)).toBe('')
  expect(run(hash, r, s, 0n, 0n)).toBe('')
  expect(run(hash, r, s, x)).toBe('')
})

test('it costs 6,900 gas', () => {
  const { executionGasUsed, exceptionError } = p256Precompile({
    data: new Uint8Array(160),
    gasLimit: 6_899n,
  } as never)
  expect(executionGasUsed).toBe(6_899n)
  expect(exceptionError?.error).toBe('out of gas')
})
