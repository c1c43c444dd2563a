import { expect, it } from 'vitest'
import { describeJsonFault, describeSyntaxErrorInSteps } from './syntaxError.js'
import { runToCompletion } from './timeSlice.js'

const describeSyntaxError = (text: string) => runToCompletion(describeSyntaxErrorInSteps(text))

// Messages of Go's encoding/json (scanner.go).
it.each([
  ['{bad', `invalid character 'b' looking for beginning of object key string`],
  ['{"a":1,}', `invalid character '}' looking for beginning of object key string`],
  ['{"a" 1}', `invalid character '1' after object key`],
  ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
  ['[1 2]', `invalid character '2' after array element`],
  ['[1,]', `invalid character ']' looking for beginning of value`],
  ['[}', `invalid character '}' looking for beginning of value`],
  ['{"a":[1,2}}', `invalid character '}' after array element`],
  ["{'a':1}", `invalid character '\\'' looking for beginning of object key string`],
  ['hello', `invalid character 'h' looking for beginning of value`],
  ['nul!', `invalid character '!' in literal null (expecting 'l')`],
  ['[tru]', `invalid character ']' in literal true (expecting 'e')`],
  ['"a\nb"', `invalid character '\\n' in string literal`],
  ['"\u0001"', `invalid character '\\x01' in string literal`],
  ['"\\x"', `invalid character 'x' in string escape code`],
  ['"\\u12g4"', `invalid character 'g' in \\u hexadecimal character escape`],
  ['-a', `invalid character 'a' in numeric literal`],
  ['1.x', `invalid character 'x' after decimal point in numeric literal`],
  ['[1e+x]', `invalid character 'x' in exponent of numeric literal`],
  ['\ufeff{}', `invalid character 'ï' looking for beginning of value`],
])('%j: %s', (text, words) => {
  expect(describeSyntaxError(text)).toBe(words)
})

it.each([
  '',
  ' ',
  '{',
  '{"a',
  '{"a"',
  '{"a":',
  '{"a":1',
  '[1,',
  '[tr',
  '"\\',
  '"\\u1',
  '-',
  '1.',
  '1e',
  '{} x',
])('finds no error in the prefix %j', (text) => {
  expect(describeSyntaxError(text)).toBeUndefined()
})

it('reports where the nesting is too deep', () => {
  expect(describeSyntaxError('['.repeat(10_000))).toBeUndefined()
  expect(describeSyntaxError('['.repeat(10_001))).toBe(`invalid character '[' exceeded max depth`)
})

// Messages of `json.Unmarshal` in Go 1.26.
it.each([
  ['', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['"é', 'unexpected end of JSON input'],
  ['tru', "invalid character ' ' in literal true (expecting 'e')"],
  ['1.', "invalid character ' ' after decimal point in numeric literal"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['{"a":1}}', "invalid character '}' after top-level value"],
  ['1 2', "invalid character '2' after top-level value"],
  ['truex', "invalid character 'x' after top-level value"],
  ['01', "invalid character '1' after top-level value"],
  [' {"a":[1,"b"]} ', undefined],
])('%j as a whole: %s', (text, words) => {
  expect(describeJsonFault(text)).toBe(words)
})
