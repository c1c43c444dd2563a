import { describe, expect, it } from 'vitest'
import { integerWord, lowestByte, readWord, toWord, wordToBytes } from './words.js'

function valueOf(bytes: readonly number[]): bigint {
  return bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)
}

const counted = Array.from({ length: 40 }, (_, index) => index + 1)

describe('toWord', () => {
  it.each([0, 1, 6, 7, 8, 9, 20, 31, 32])('reads %d bytes', (length) => {
    const bytes = counted.slice(0, length)
    expect(toWord(Uint8Array.from(bytes))).toBe(valueOf(bytes))
  })

  it('is not affected by the previous word', () => {
    expect(toWord(new Uint8Array(32).fill(255))).toBe(2n ** 256n - 1n)
    expect(toWord(Uint8Array.of(5))).toBe(5n)
  })
})

it('converts integers to words, and finds their lowest bytes', () => {
  for (const value of [0, 1, 255, 256, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]) {
    expect(integerWord(value)).toBe(BigInt(value))
    expect(lowestByte(BigInt(value) + 2n ** 200n)).toBe(value % 256)
  }
})

describe('readWord', () => {
  it.each([0, 3, 8])('reads 32 bytes at %d', (offset) => {
    expect(readWord(Uint8Array.from(counted), offset)).toBe(valueOf(counted.slice(offset, offset + 32)))
  })

  it('treats bytes beyond the end as zero', () => {
    expect(readWord(new Uint8Array(32).fill(255), 0)).toBe(2n ** 256n - 1n)
    expect(readWord(Uint8Array.from(counted), 30)).toBe(valueOf(counted.slice(30)) << 176n)
    expect(readWord(Uint8Array.of(1), 1)).toBe(0n)
  })
})

it('writes numbers of any length as 32 bytes', () => {
  for (const word of [0n, 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 200n + 7n, 2n ** 256n - 1n]) {
    expect(Buffer.from(wordToBytes(word)).toString('hex')).toBe(word.toString(16).padStart(64, '0'))
  }
})
