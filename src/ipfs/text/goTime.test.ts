import { expect, it } from 'vitest'
import { DistantTime, httpTime, jsonTime, longTime, shortTime } from './goTime.js'

// Times of Kubo 0.42.0.
it('formats times far beyond those of Date', () => {
  expect(httpTime(9_223_372_036_854_775_807n)).toBe('Sun, 04 Dec 292277026596 15:30:07 GMT')
  expect(longTime(9_223_372_036_854_775_807n)).toBe('4 Dec 292277026596, 15:30:07 UTC')
  expect(httpTime(500n)).toBe('Thu, 01 Jan 1970 00:08:20 GMT')
  expect(shortTime(253_402_300_800n)).toBe('Jan 01  10000')
})

it('expresses years of four digits in JSON', () => {
  expect(jsonTime({ seconds: 253_402_300_799n, nanoseconds: 5_000_000 })).toBe('9999-12-31T23:59:59.005Z')
  expect(jsonTime({ seconds: -62_167_219_200n, nanoseconds: 0 })).toBe('0000-01-01T00:00:00Z')
  for (const seconds of [253_402_300_800n, -62_167_219_201n]) {
    expect(jsonTime({ seconds, nanoseconds: 0 })).toBeInstanceOf(DistantTime)
  }
  expect(() => JSON.stringify([jsonTime({ seconds: 253_402_300_800n, nanoseconds: 0 })])).toThrow(
    'year outside of range [0,9999]',
  )
})
