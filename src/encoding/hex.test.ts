import { describe, expect, it } from 'vitest'
import {
  bigintToBytes,
  bytesToBigint,
  bytesToHex,
  hexToBytes,
  minimalBytes,
  readHexDigits,
  readHexDigitsInSteps,
} from './hex.js'
import { runToCompletion } from './timeSlice.js'

it('decodes the same bytes as Node, with and without a prefix, in either case', () => {
  for (let length = 0; length <= 80; length++) {
    const expected = Uint8Array.from({ length }, (_, i) => (i * 37 + length * 101) % 256)
    const digits = Buffer.from(expected).toString('hex')
    for (const text of [digits, `0x${digits}`, digits.toUpperCase(), `0x${digits.toUpperCase()}`]) {
      expect(hexToBytes(text)).toEqual(expected)
    }
    expect(bytesToHex(expected)).toBe(`0x${digits}`)
  }
})

it('decodes unchecked digits and refuses anything else', () => {
  for (const length of [1, 20, 36, 37, 80]) {
    const digits = 'aB'.repeat(length)
    expect(readHexDigits(`0x${digits}`, 2)).toEqual(hexToBytes(digits))
    for (const wrong of ['g', 'G', '/', ':', '@', '`', 'x', ' ', '\u00b0', '\u0130', '\uff11', '\n']) {
      for (const at of [0, 1, 2 * length - 1]) {
        expect(readHexDigits(`0x${digits.slice(0, at)}${wrong}${digits.slice(at + 1)}`, 2)).toBeUndefined()
      }
    }
  }
  expect(readHexDigits('0x', 2)).toEqual(new Uint8Array(0))
})

describe('in pieces', () => {
  const digits = '0123456789abcdefABCDEF'.repeat(40_000)

  it('decodes the same bytes', () => {
    for (const text of ['0x', '0xaB', `0x${digits}`, `0x${digits}7`, digits]) {
      for (const start of [0, 2]) {
        const [inPieces, atOnce] = [
          runToCompletion(readHexDigitsInSteps(text, start)),
          readHexDigits(text, start),
        ]
        expect(inPieces && Buffer.from(inPieces).toString('hex')).toBe(
          atOnce && Buffer.from(atOnce).toString('hex'),
        )
      }
    }
    for (const wrong of ['g', '\u0130', '\u00b0', '"']) {
      for (const at of [0, 131_071, 131_072, 500_000, digits.length - 1]) {
        const text = `0x${digits.slice(0, at)}${wrong}${digits.slice(at + 1)}`
        expect(runToCompletion(readHexDigitsInSteps(text, 2))).toBeUndefined()
      }
    }
  })

  it('yields many times', () => {
    expect([...readHexDigitsInSteps(digits, 0)].length).toBeGreaterThan(digits.length / 140_000)
    expect([...readHexDigitsInSteps('ab'.repeat(1000), 0)]).toHaveLength(0)
  })
})

it('returns memory that is not shared', () => {
  for (const digits of ['12'.repeat(20), '12'.repeat(100)]) {
    expect(hexToBytes(digits).buffer.byteLength).toBe(digits.length / 2)
  }
})

/** The same conversion through a string. */
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

  it('round-trip at every length', () => {
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
