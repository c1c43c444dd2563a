import { bases } from 'multiformats/basics'
import { expect, it } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { decodeMultibase, decodeMultibaseInSteps, multibaseByName, multibases } from './multibase.js'

/** Bytes of which the first are zero. */
function bytesOf(length: number, zeros: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index < zeros ? 0 : (index * 167 + 13) % 251))
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const codecs = Object.values(bases).filter(({ name }) => name !== 'identity')
const known = codecs.filter((codec) => multibases.some(({ name }) => name === codec.name))

it.each(known.map((codec) => [codec.name, codec] as const))('encodes and decodes %s', (name, codec) => {
  const base = multibaseByName(name)
  const longest = /36|58/.test(name) ? 4000 : 30_001
  for (const length of [1, 2, 3, 4, 5, 7, 8, 33, 36, 500, longest]) {
    for (const zeros of [0, 1, 4]) {
      const bytes = bytesOf(length, zeros)
      const text = codec.encoder.encode(bytes)
      expect(base.encode(bytes)).toBe(text)
      expect(Buffer.concat([...base.encodeInParts(bytes)]).toString()).toBe(text)
      expect(hexOf(decodeMultibase(text))).toBe(hexOf(bytes))
      expect(hexOf(runToCompletion(decodeMultibaseInSteps(Buffer.from(text))))).toBe(hexOf(bytes))
    }
  }
})

// The messages are those of Go's decoders (encoding/base64, encoding/base32, encoding/hex).
it.each([
  ['base64', 20_000, '!', 'illegal base64 data at input byte 20000'],
  ['base64pad', 20_000, '=', 'illegal base64 data at input byte 20000'],
  ['base32', 8_191, '=', 'illegal base32 data at input byte 8191'],
  ['base16', 16_384, 'g', "encoding/hex: invalid byte: U+0067 'g'"],
])('reports where long text in %s is invalid', (name, place, character, message) => {
  const text = multibaseByName(name).encode(bytesOf(20_001, 0))
  const wrong = `${text.slice(0, place + 1)}${character}${text.slice(place + 2)}`
  expect(() => runToCompletion(decodeMultibaseInSteps(Buffer.from(wrong)))).toThrow(message)
})

it.each(['m', 'M', 'b'])('decodes text of line breaks in steps (prefix %s)', (prefix) => {
  const steps = decodeMultibaseInSteps(Buffer.from(prefix + '\n'.repeat(1_000_000)))
  let count = 0
  for (; !steps.next().done; count++);
  expect(count).toBeGreaterThan(100)
})
