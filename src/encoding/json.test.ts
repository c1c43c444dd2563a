import { describe, expect, it, test } from 'vitest'
import {
  JsonLimitError,
  callLimits,
  parseElementsInSteps,
  parseJsonInSteps,
  parseStringInSteps,
  unlimited,
} from './json.js'
import { stringifyJsonInSteps } from './jsonWriter.js'
import { type Steps, runToCompletion } from './timeSlice.js'

type Random = (bound: number) => number

const randomOf = (seed: number): Random => {
  return (bound) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * bound)
  }
}

const texts = ['', 'a', '"', '\\', '\\"', '[{', '}],', 'é\u2028', '__proto__', 'constructor', '7', 'a\nb']

function randomValue(random: Random, depth: number): unknown {
  const kind = random(depth > 5 ? 5 : 9)
  if (kind === 0) return null
  if (kind === 1) return random(2) === 0
  if (kind === 2) return (random(2000) - 1000) / 8
  if (kind < 5) return texts[random(texts.length)]
  const members = Array.from({ length: random(7) }, () => randomValue(random, depth + 1))
  if (kind < 7) return members
  return Object.fromEntries(members.map((value) => [`${texts[random(texts.length)]}${random(9)}`, value]))
}

/** Removes, inserts or changes one character. */
function corrupt(text: string, random: Random): string {
  const at = random(text.length)
  const piece = '{}[],:"\\ 1etn'.charAt(random(13))
  return text.slice(0, at) + ['', piece, piece][random(3)] + text.slice(at + random(2))
}

/** Serializes what JSON.parse returns, so that the order of members is compared too, or reports that it fails. */
function outcome(parse: (text: string) => unknown, text: string): string {
  try {
    return JSON.stringify(parse(text))
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return 'refused'
  }
}

describe('like JSON.parse', () => {
  it.each([1, 5, 20, 100])('parses random texts, valid and corrupted, in pieces of %i', (pieceLength) => {
    const random = randomOf(pieceLength)
    const counts = { refused: 0, taken: 0 }
    for (let round = 0; round < 5000; round++) {
      let text = JSON.stringify(randomValue(random, 0), null, random(3))
      if (random(2) === 1) text = corrupt(text, random)
      const expected = outcome(JSON.parse, text)
      expect(
        outcome((given) => runToCompletion(parseJsonInSteps(given, { pieceLength })), text),
        text,
      ).toBe(expected)
      counts[expected === 'refused' ? 'refused' : 'taken']++
    }
    expect(Math.min(counts.refused, counts.taken)).toBeGreaterThan(1000)
  })

  it.each(['[[],{"a":{}}]', '{"a":[[]],"b":{}}'])(
    'refuses more than three arrays and objects: %s',
    (text) => {
      const parse = (containers: number) =>
        runToCompletion(parseJsonInSteps(text, { pieceLength: 1, limits: { ...callLimits, containers } }))
      expect(parse(4)).toEqual(JSON.parse(text))
      expect(() => parse(3)).toThrow(JsonLimitError)
    },
  )

  it.each([1, 5, 20, 100])('hands over the elements of random arrays in pieces of %i', (pieceLength) => {
    const random = randomOf(pieceLength + 1)
    for (let round = 0; round < 1000; round++) {
      const array = Array.from({ length: random(9) }, () => randomValue(random, 1))
      const text = JSON.stringify(array, null, random(3))
      const elements: unknown[] = []
      const sources: unknown[] = []
      function* take(values: readonly unknown[], starts: readonly number[], next: number): Steps<void> {
        elements.push(...values)
        expect(starts.length, text).toBe(values.length)
        for (const [index, start] of starts.entries()) {
          sources.push(JSON.parse(text.slice(start, (starts[index + 1] ?? next) - 1)))
        }
        yield
      }
      runToCompletion(parseElementsInSteps(text, take, { pieceLength }))
      expect(elements, text).toEqual(array)
      expect(sources, text).toEqual(array)
    }
  })

  it('keeps a member named like the prototype', () => {
    const text = '{"a":[1,2,3],"__proto__":{"b":[4,5,6]},"c":7}'
    const value = runToCompletion(parseJsonInSteps(text, { pieceLength: 4 })) as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value)).toEqual(['a', '__proto__', 'c'])
  })
})

it('yields many times for a long string, wherever it is', () => {
  const long = 'ab"\\'.repeat(200_000)
  for (const value of [[long], { a: long, b: 1 }, [0, { a: [long, 'c'] }]]) {
    const text = JSON.stringify(value)
    const pieces = [...parseJsonInSteps(text)]
    expect(text.length / pieces.length).toBeLessThan(70_000)
    expect(runToCompletion(parseJsonInSteps(text))).toEqual(value)
  }
})

it('yields many times for many members, wherever they are', () => {
  const members = Array.from({ length: 30_000 }, (_, index) => [`0x${index.toString(16)}`, `${index}`])
  for (const value of [members, { a: { b: Object.fromEntries(members) } }, [[members]]]) {
    const text = JSON.stringify(value)
    const pieces = parseJsonInSteps(text)
    let count = 1
    let step = pieces.next()
    for (; step.done !== true; step = pieces.next()) count++
    expect(step.value).toEqual(value)
    expect(text.length / count).toBeLessThan(70_000)
  }
})

it('yields many times for many members below thousands of brackets', () => {
  const brackets = (count: number) => '['.repeat(count) + '{},'.repeat(100_000) + ']'.repeat(count)
  const text = brackets(9000).replace(',]', ']')
  const pieces = parseJsonInSteps(text)
  let count = 1
  for (; pieces.next().done !== true; count++);
  expect(text.length / count).toBeLessThan(70_000)
  expect(runToCompletion(stringifyJsonInSteps(runToCompletion(parseJsonInSteps(text)))).join('')).toBe(text)
  const tooDeep = brackets(10_001).replace(',]', ']')
  expect(() => runToCompletion(parseJsonInSteps(tooDeep))).toThrow('nested too deeply')
})

it.each([
  [`[${'1,'.repeat(2 ** 21)}1]`, 'An array has more than 2097152 elements'],
  [
    `{${Array.from({ length: 170_001 }, (_, index) => `"${index}":1`).join(',')}}`,
    'An object has more than 170000 members',
  ],
])('refuses more members than can be collected in time', (text, message) => {
  expect(() => runToCompletion(parseJsonInSteps(text))).toThrow(message)
  expect(runToCompletion(parseJsonInSteps(text, { limits: unlimited }))).toEqual(JSON.parse(text))
})

const parts = ['a', '\\\\', '\\"', '\\u00e9', '\\ud83d\\ude00', '\\n', 'é', '\u{1f600}', '0123456789']

/** Returns the parsed literal, or that it is refused. */
function literalOutcome(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return 'refused'
  }
}

test.each(['0.1', '-12e3', '1'])('refuses numbers of a million digits that begin with %s', (beginning) => {
  const number = beginning + '1'.repeat(1e6)
  for (const text of [number, `[${number}]`, `{"a":[1,{"b" : ${number} }]}`, `[1, ${number},2]`]) {
    expect(() => runToCompletion(parseJsonInSteps(text))).toThrow('A number has more than 65536 characters')
  }
  const long = `{"${number}":"${number}"}`
  expect(runToCompletion(parseJsonInSteps(long))).toEqual(JSON.parse(long))
})

test('writes JSON like JSON.stringify, in pieces', () => {
  const item = (index: number) => ({
    index,
    text: `é"${index}`,
    list: [index, null, [], {}, { deep: [[[[[[[[index, 1]]]]]]]] }],
  })
  for (const count of [0, 1, 5000]) {
    const value = {
      many: Array.from({ length: count }, (_, index) => item(index)),
      long: 'x'.repeat(100_000),
      last: true,
    }
    const pieces = runToCompletion(stringifyJsonInSteps(value))
    expect(pieces.join('')).toBe(JSON.stringify(value))
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(140_000)
  }
  expect(runToCompletion(stringifyJsonInSteps({ a: 1 }))).toEqual(['{"a":1}'])
  // Surrogate pairs at the boundaries of pieces, or not, and halves of them.
  for (const text of [
    'x'.repeat(65_535) + '💥'.repeat(100_000),
    '💥'.repeat(100_000),
    '\ud83d"\n'.repeat(70_000),
  ]) {
    const pieces = runToCompletion(stringifyJsonInSteps([text, 'é', text]))
    expect(pieces.join('')).toBe(JSON.stringify([text, 'é', text]))
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(400_000)
  }
})

describe('parseStringInSteps', () => {
  it('accepts escapes across piece boundaries', () => {
    for (let seed = 0; seed < 3000; seed++) {
      const inner = Array.from(
        { length: seed % 40 },
        (_, index) => parts[(seed * 7 + index * (seed % 5)) % 9],
      )
      const literal = `"${inner.join('')}"`
      const text = `[1,${literal}]`
      const parsed = runToCompletion(parseStringInSteps(text, 3, 3 + literal.length, 12 + (seed % 5)))
      expect(parsed, literal).toBe(JSON.parse(literal))
    }
  })

  it.each(['"', '"a', 'a"', '"\\"', '"\\x"', '"\\u12"', '"a\nb"', '"\u0001"', '"0123456789ab\\"'])(
    'refuses %j',
    (literal) => {
      expect(literalOutcome(() => runToCompletion(parseStringInSteps(literal, 0, literal.length, 12)))).toBe(
        'refused',
      )
      expect(literalOutcome(() => JSON.parse(literal))).toBe('refused')
    },
  )
})

describe('long strings', () => {
  const escaped = String.raw`\"\\`.repeat(300_000)

  it.each([
    ['by itself', `"${escaped}"`],
    ['in a list', `["${escaped}",1]`],
    ['as a member', `{"a":"${escaped}"}`],
  ])('yield many times if their quotes are escaped: %s', (_, text) => {
    const steps = parseJsonInSteps(text)
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    expect(step.value).toEqual(JSON.parse(text))
    expect(count).toBeGreaterThan(30)
  })

  it('are refused as member names', () => {
    const read = (length: number) => runToCompletion(parseJsonInSteps(`{"${'a'.repeat(length)}":1}`))
    expect(read(1_000_000)).toEqual({ ['a'.repeat(1_000_000)]: 1 })
    expect(() => read(1_100_000)).toThrow("A member's name has more than 1048576 characters")
  })
})

it.each([
  ['a string', (length: number) => `"${'a'.repeat(length)}"`],
  ['an element', (length: number) => `[1,"${'a'.repeat(length)}"]`],
  ['a member', (length: number) => `{"a":{"b":"${'a'.repeat(length)}"}}`],
])('refuses %s of more characters than the limit', (_, make) => {
  const parse = (length: number) =>
    runToCompletion(parseJsonInSteps(make(length), { limits: { ...callLimits, characters: 100_000 } }))
  expect(parse(100_000)).toEqual(JSON.parse(make(100_000)))
  expect(() => parse(100_001)).toThrow('A string has more than 100000 characters')
})

it('refuses megabytes that are no value without parsing them in one step', () => {
  expect(() => runToCompletion(parseJsonInSteps(`[1,${'a'.repeat(2 ** 23 + 1)}]`))).toThrow(
    'A member is too long',
  )
})
