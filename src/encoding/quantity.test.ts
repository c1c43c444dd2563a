import { describe, expect, it } from 'vitest'
import { bigintToBytes, bytesToBigint, minimalBytes } from './quantity.js'

/** The same through text. */
const viaText = (value: bigint, length: number): string =>
  BigInt.asUintN(length * 8, value)
    .toString(16)
    .padStart(length * 2, '0')
    .slice(0, length * 2)

const values = [0n, 1n, 0xffn, 0x100n, 2n ** 31n, 2n ** 53n + 1n, 0x0123456789abcdefn].concat(
  Array.from({ length: 34 }, (_, i) => 2n ** BigInt(8 * i) - 1n),
  Array.from({ length: 34 }, (_, i) => (0xa5n << BigInt(8 * i)) + 0x11n),
)

describe('numbers as bytes', () => {
  it.each([1, 2, 5, 6, 7, 8, 9, 13, 14, 15, 16, 20, 23, 31, 32, 33, 48])('of %i bytes', (length) => {
    for (const value of values) {
      expect(Buffer.from(bigintToBytes(value, length)).toString('hex')).toBe(viaText(value, length))
    }
  })

  it('of no bytes', () => {
    expect(bigintToBytes(5n, 0)).toHaveLength(0)
    expect(bytesToBigint(new Uint8Array(0))).toBe(0n)
  })

  it('and back, for every length', () => {
    for (let length = 1; length <= 40; length++) {
      for (const value of values) {
        const cut = BigInt.asUintN(length * 8, value)
        expect(bytesToBigint(bigintToBytes(value, length))).toBe(cut)
      }
    }
  })

  it('without leading zeros', () => {
    expect(minimalBytes(0n)).toHaveLength(0)
    for (const value of values) {
      const digits = value.toString(16)
      const expected = value === 0n ? '' : digits.padStart(digits.length + (digits.length % 2), '0')
      expect(Buffer.from(minimalBytes(value)).toString('hex')).toBe(expected)
    }
  })
})
