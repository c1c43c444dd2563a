import { inspect } from 'node:util'
import { CID } from 'multiformats/cid'
import { describe, expect, it, vi } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { seededRandom } from '../../../test/support/programs.js'
import { countTurns, endEverySlice } from '../../../test/support/turns.js'
import { codecs, decodeInTurns, encodeInTurns } from './codecs.js'

const inPieces = codecs.filter(({ decodeInPieces }) => decodeInPieces !== undefined)
const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

type Random = ReturnType<typeof seededRandom>

const texts = ['', 'a', '/', 'bytes', '"', 'é\u2028', '__proto__', 'constructor', '\ud800', 'b'.repeat(300)]

function randomValue(random: Random, depth: number, isPlain: boolean): unknown {
  const kind = random(depth > 4 ? 8 : 11)
  if (kind === 0) return null
  if (kind === 1) return random(2) === 0
  if (kind === 2) return random(2 ** 31) - 2 ** 30
  if (kind === 3) return random(1000) / 8
  if (kind === 4 && !isPlain) return cid
  if (kind === 5 && !isPlain) return Uint8Array.from({ length: random(70) }, () => random(256))
  if (kind === 6 && !isPlain) return 2n ** 60n + BigInt(random(9))
  if (kind < 8) return texts[random(texts.length)]
  const values = Array.from({ length: random(9) }, () => randomValue(random, depth + 1, isPlain))
  if (kind === 8) return values
  return Object.fromEntries(values.map((value) => [`${texts[random(texts.length)]}${random(40)}`, value]))
}

const everything = { depth: 99, maxArrayLength: 99_999, maxStringLength: 999_999 }

function textOf(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString('latin1')
}

/** What conversion gives, or what it says. */
function outcome(convert: () => unknown): unknown {
  try {
    return { value: convert() }
  } catch (error) {
    return { words: String(error) }
  }
}

describe.each(inPieces)('$name in pieces', (codec) => {
  const isPlain = codec.name === 'json'
  const decode = (bytes: Uint8Array): unknown => {
    const pieces = codec.decodeInPieces?.(bytes)
    return pieces && runToCompletion(pieces)
  }
  const encode = (value: unknown): unknown => {
    const pieces = codec.encodeInPieces?.(value)
    return pieces && runToCompletion(pieces)
  }

  it('encodes and decodes random data as at once', () => {
    const random = seededRandom(7)
    for (let round = 0; round < 60; round++) {
      const value = Array.from({ length: random(80) }, () => randomValue(random, 0, isPlain))
      const encoded = codec.encode(value)
      expect(textOf(encode(value))).toBe(textOf(encoded))
      expect(inspect(decode(encoded), everything)).toBe(inspect(codec.decode(encoded), everything))
    }
  })

  it('encodes large lists and maps as at once', () => {
    const members = Array.from({ length: 3000 }, (_, index) => [
      `${(index * 7919) % 3000}é`.slice(index % 2),
      index,
    ])
    const map = Object.fromEntries(members)
    const long = 'x'.repeat(100_000)
    for (const value of [
      members,
      map,
      [map, [members, map], long],
      { a: map, bb: { c: members }, d: long },
      [[[[members]]]],
      [],
    ]) {
      const encoded = codec.encode(value)
      expect(textOf(encode(value))).toBe(textOf(encoded))
      expect(inspect(decode(encoded), everything)).toBe(inspect(codec.decode(encoded), everything))
    }
  })

  it('refuses what it refuses at once, in the same words', () => {
    const random = seededRandom(3)
    let refused = 0
    for (let round = 0; round < 1500; round++) {
      const encoded = Uint8Array.from(codec.encode(randomValue(random, 0, isPlain)))
      for (let spoilt = random(3); spoilt >= 0; spoilt--) encoded[random(encoded.length)] = random(256)
      const bytes = encoded.subarray(0, encoded.length - random(2))
      const expected = outcome(() => codec.decode(bytes))
      expect(
        outcome(() => decode(bytes)),
        Buffer.from(bytes).toString('hex'),
      ).toEqual(expected)
      if (
        JSON.stringify(expected, (_, value: unknown) => (typeof value === 'bigint' ? 0 : value)).startsWith(
          '{"words"',
        )
      )
        refused++
    }
    expect(refused).toBeGreaterThan(200)
  })

  it('leaves turns', async () => {
    const value = Array.from({ length: 20_000 }, (_, index) => ({ index }))
    const bytes = codec.encode(value)
    endEverySlice()
    expect(await countTurns(() => decodeInTurns(codec, bytes))).toBeGreaterThan(3)
    expect(await countTurns(() => encodeInTurns(codec, value))).toBeGreaterThan(15)
    vi.restoreAllMocks()
  })
})
