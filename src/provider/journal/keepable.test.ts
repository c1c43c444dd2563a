import { expect, test } from 'vitest'
import { keepableParams } from './entry.js'

test.each<[string, unknown]>([
  ['a long text', ['x'.repeat(20_000)]],
  ['a long name', [{ ['x'.repeat(20_000)]: 1 }]],
  ['many values', [Array.from({ length: 300 }, (_, i) => i)]],
])('parameters with %s are not kept', (_, params) => {
  expect(keepableParams(params)).toBe('(too large for the journal)')
})

test('other parameters are kept as they came', () => {
  const params = [{ to: '0x01', data: `0x${'ab'.repeat(4000)}` }, 'latest', null]
  expect(keepableParams(params)).toBe(params)
})
