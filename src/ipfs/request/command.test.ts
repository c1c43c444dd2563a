import { expect, it } from 'vitest'
import { parseQuery } from './command.js'
import { parseGoNanoseconds, parseGoDuration } from './goDuration.js'

it('parses every unit of time.ParseDuration', () => {
  expect(parseGoDuration('1h2m3s')).toBe(3_723_000)
  expect(parseGoDuration('1.5s250ms')).toBe(1750)
  expect(parseGoDuration('-.5m')).toBe(-30_000)
  expect(parseGoDuration('2000ns')).toBeCloseTo(0.002)
  expect(parseGoDuration('0')).toBe(0)
})

it('keeps every nanosecond of the longest duration', () => {
  expect(parseGoNanoseconds('2562047h47m16.854775807s')).toBe(2n ** 63n - 1n)
  expect(parseGoNanoseconds('-2562047h47m16.854775808s')).toBe(-(2n ** 63n))
  expect(parseGoNanoseconds('1h0.000000001s')).toBe(3_600_000_000_001n)
})

it('accepts both the micro sign and the Greek letter', () => {
  for (const unit of ['us', '\u00b5s', '\u03bcs']) expect(parseGoDuration(`1500${unit}`)).toBeCloseTo(1.5)
})

it.each([
  ['', 'invalid duration ""'],
  ['2562047h47m16.854775808s', 'invalid duration "2562047h47m16.854775808s"'],
  ['99999999999999999999ns', 'invalid duration "99999999999999999999ns"'],
  ['5', 'missing unit in duration "5"'],
  ['s', 'invalid duration "s"'],
  ['1.2.3s', 'missing unit in duration "1.2.3s"'],
  ['1x', 'unknown unit "x" in duration "1x"'],
  ['é', String.raw`invalid duration "\xc3\xa9"`],
])('rejects %s like Go', (text, problem) => {
  expect(() => parseGoDuration(text)).toThrow(`time: ${problem}`)
})

it.each([
  ['int', '1_000', 1000],
  ['int', '0x_1f', 31],
  ['int64', '+5', 5n],
  ['uint64', '0o17', 15n],
  ['uint64', '18446744073709551615', 2n ** 64n - 1n],
] as const)('parses an option of type %s like Go: %s', (type, text, value) => {
  const options = { size: { type, description: 'A size.' } }
  expect(parseQuery(new URLSearchParams({ size: text }), { options }).options['size']).toBe(value)
})

it.each([
  ['int', '1__0'],
  ['int', '_1'],
  ['uint', '+5'],
  ['int64', '08'],
] as const)('rejects an option of type %s like Go: %s', (type, text) => {
  const options = { size: { type, description: 'A size.' } }
  expect(() => parseQuery(new URLSearchParams({ size: text }), { options })).toThrow(
    'could not convert value',
  )
})
