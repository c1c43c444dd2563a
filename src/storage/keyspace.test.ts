import { describe, expect, it } from 'vitest'
import {
  type KeyRange,
  RECORD_END_KEY,
  decodeNumber,
  decodeOrdinal,
  encodeNumber,
  encodeOrdinal,
  keyspaceOf,
  numberOfKey,
  ordinalOfKey,
} from './keyspace.js'

const hash = (byte: number) => new Uint8Array(32).fill(byte)
const contains = ({ gte, lt }: KeyRange, key: Uint8Array) =>
  Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0

describe('numbers in keys', () => {
  const ordinals = [0, 1, 255, 256, 2 ** 32, 2 ** 48 - 1]
  const numbers = [0n, 1n, 255n, 256n, 2n ** 32n, 2n ** 64n - 1n]

  it('round-trip and sort like numbers', () => {
    expect(ordinals.map((ordinal) => decodeOrdinal(encodeOrdinal(ordinal)))).toEqual(ordinals)
    expect(numbers.map((number) => decodeNumber(encodeNumber(number)))).toEqual(numbers)
    expect(ordinals.map(encodeOrdinal).toSorted(Buffer.compare).map(decodeOrdinal)).toEqual(ordinals)
    expect(numbers.map(encodeNumber).toSorted(Buffer.compare).map(decodeNumber)).toEqual(numbers)
  })

  it('are big-endian, and never truncated', () => {
    expect(encodeOrdinal(0xfedcba987654)).toEqual(Uint8Array.of(0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54))
    expect(encodeNumber(0xfedcba9876543210n)).toEqual(
      Uint8Array.of(0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10),
    )
    for (const ordinal of [2 ** 48, -1, NaN]) expect(() => encodeOrdinal(ordinal)).toThrow(RangeError)
    for (const number of [2n ** 64n, -1n]) expect(() => encodeNumber(number)).toThrow(RangeError)
  })

  it('are found at the end of keys', () => {
    const keys = keyspaceOf(3)
    expect(ordinalOfKey(keys.block(77))).toBe(77)
    expect(ordinalOfKey(keys.log(2, hash(9), 5))).toBe(5)
    expect(numberOfKey(keys.ordinalByNumber(12n))).toBe(12n)
  })
})

describe('ranges', () => {
  const keys = keyspaceOf(0)

  it('hold their own rows and no others', () => {
    const range = keys.logs(1, hash(5), 10, 20)
    expect([9, 10, 20, 21].map((ordinal) => contains(range, keys.log(1, hash(5), ordinal)))).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect(contains(range, keys.log(0, hash(5), 15))).toBe(false)
    expect(contains(range, keys.log(1, hash(6), 15))).toBe(false)
    expect(contains(range, keyspaceOf(1).log(1, hash(5), 15))).toBe(false)
    expect(
      [1n, 2n, 3n, 4n].map((n) => contains(keys.ordinalsByNumber(2n, 3n), keys.ordinalByNumber(n))),
    ).toEqual([false, true, true, false])
  })

  it('hold the largest possible ordinal', () => {
    expect(contains(keys.blocks(), keys.block(2 ** 48 - 1))).toBe(true)
    expect(contains(keys.snapshots(), keys.snapshot(2 ** 48 - 1))).toBe(true)
  })
})

it("keeps networks, and the database's own record, apart", () => {
  expect(keyspaceOf(254).head()).not.toEqual(keyspaceOf(0).head())
  expect(RECORD_END_KEY[0]).toBe(255)
  expect(() => keyspaceOf(255)).toThrow(RangeError)
  expect(() => keyspaceOf(-1)).toThrow(RangeError)
})
