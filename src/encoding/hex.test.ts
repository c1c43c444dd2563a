import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes, readHexDigits } from './hex.js'

it('reads as many bytes as Node does, with and without a prefix, in either case', () => {
  for (let length = 0; length <= 80; length++) {
    const expected = Uint8Array.from({ length }, (_, i) => (i * 37 + length * 101) % 256)
    const digits = Buffer.from(expected).toString('hex')
    for (const text of [digits, `0x${digits}`, digits.toUpperCase(), `0x${digits.toUpperCase()}`]) {
      expect(hexToBytes(text)).toEqual(expected)
    }
    expect(bytesToHex(expected)).toBe(`0x${digits}`)
  }
})

it('reads digits that nobody has checked, and nothing else', () => {
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

it('gives memory that nobody else has', () => {
  for (const digits of ['12'.repeat(20), '12'.repeat(100)]) {
    expect(hexToBytes(digits).buffer.byteLength).toBe(digits.length / 2)
  }
})
