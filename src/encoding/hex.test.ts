import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from './hex.js'

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

it('gives memory that nobody else has', () => {
  for (const digits of ['12'.repeat(20), '12'.repeat(100)]) {
    expect(hexToBytes(digits).buffer.byteLength).toBe(digits.length / 2)
  }
})
