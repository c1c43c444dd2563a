import { expect, it } from 'vitest'
import { parseGoDuration } from './command.js'

it('reads every unit of time.ParseDuration', () => {
  expect(parseGoDuration('1h2m3s')).toBe(3_723_000)
  expect(parseGoDuration('1.5s250ms')).toBe(1750)
  expect(parseGoDuration('-.5m')).toBe(-30_000)
  expect(parseGoDuration('2000ns')).toBeCloseTo(0.002)
  expect(parseGoDuration('0')).toBe(0)
})

it('takes the micro sign and the Greek letter alike', () => {
  for (const unit of ['us', '\u00b5s', '\u03bcs']) expect(parseGoDuration(`1500${unit}`)).toBeCloseTo(1.5)
})

it.each([
  ['', 'invalid duration ""'],
  ['5', 'missing unit in duration "5"'],
  ['s', 'invalid duration "s"'],
  ['1.2.3s', 'missing unit in duration "1.2.3s"'],
  ['1x', 'unknown unit "x" in duration "1x"'],
  ['é', String.raw`invalid duration "\xc3\xa9"`],
])('refuses %s as Go does', (text, problem) => {
  expect(() => parseGoDuration(text)).toThrow(`time: ${problem}`)
})
