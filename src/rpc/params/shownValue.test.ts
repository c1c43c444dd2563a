import { expect, it } from 'vitest'
import { parseJsonInSteps } from '../../encoding/json.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { shownValue } from './shownValue.js'

it('shows short values as JSON', () => {
  for (const text of ['"a\\"b"', 'null', '1.5', '[1,{"a":[]}]', '{"b":"c","d":null}']) {
    expect(shownValue(JSON.parse(text))).toBe(text)
  }
  expect(shownValue(undefined)).toBe('undefined')
})

it('cuts long texts and only names large values', () => {
  expect(shownValue(['x'.repeat(5000)])).toBe(`["${'x'.repeat(1024)}…"]`)
  expect(shownValue(new Array(101).fill(0))).toBe('a long array')
  const members = Array.from({ length: 20_000 }, (_, index) => `"k${index}":[]`).join()
  expect(shownValue(runToCompletion(parseJsonInSteps(`{"a":{${members}}}`)))).toBe('a large object')
})
