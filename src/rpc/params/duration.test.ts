import { describe, expect, it } from 'vitest'
import { DurationError, parseDuration } from './duration.js'

describe('parseDuration', () => {
  it.each([
    ['5s', 5_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['.5s', 500],
    ['10us', 0.01],
    ['10µs', 0.01],
    ['-2s', -2_000],
    ['+2s', 2_000],
    ['0', 0],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 9)
  })

  it.each([
    ['', 'time: invalid duration ""'],
    ['x', 'time: invalid duration "x"'],
    ['-', 'time: invalid duration "-"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1m5', 'time: missing unit in duration "1m5"'],
    ['1h'.repeat(1000), 'time: a duration of more than 1024 characters'],
    ['\u0663s', 'time: invalid duration "\\xd9\\xa3s"'],
    ['1\ns', 'time: unknown unit "\\x0as" in duration "1\\x0as"'],
    ['5parsecs', 'time: unknown unit "parsecs" in duration "5parsecs"'],
  ])("refuses %s with Go's message", (text, words) => {
    expect(() => parseDuration(text)).toThrow(new DurationError(words))
  })
})
