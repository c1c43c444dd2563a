import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { encode as encodeCbor } from 'cborg'
import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { CID } from 'multiformats/cid'
import { describe, expect, it, vi } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { seededRandom } from '../../../test/support/programs.js'
import { countTurns, endEverySlice } from '../../../test/support/turns.js'
import { codecs, decodeInSlices, encodeInSlices } from './codecs.js'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

type Random = ReturnType<typeof seededRandom>

const texts = ['', 'a', '/', 'bytes', '"', 'é\u2028', '__proto__', 'constructor', 'b'.repeat(300)]

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

/** The published codecs; for plain JSON, go-ipld-prime's format: one value per line, indented by tabs. */
const libraries: Record<string, { encode(value: unknown): Uint8Array; decode(bytes: Uint8Array): unknown }> =
  {
    'dag-cbor': dagCbor,
    'dag-json': dagJson,
    cbor: {
      encode: (value) => encodeCbor(value, { ...dagCbor.encodeOptions, mapSorter: () => 0 }),
      decode: dagCbor.decode,
    },
    json: {
      encode: (value) => Buffer.from(`${JSON.stringify(value, null, '\t')}\n`),
      decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
    },
  }

const inSteps = codecs.filter(({ name }) => name in libraries)

describe.each(inSteps)('$name in pieces', (codec) => {
  const isPlain = codec.name === 'json' || codec.name === 'cbor'
  const library = libraries[codec.name] as (typeof libraries)[string]
  const decode = (bytes: Uint8Array): unknown => {
    const pieces = codec.decodeInSteps?.(bytes)
    return pieces && runToCompletion(pieces)
  }
  const encode = (value: unknown): unknown => {
    const pieces = codec.encodeInSteps?.(value)
    return pieces && runToCompletion(pieces)
  }

  it('encodes and decodes random data like its library', () => {
    const random = seededRandom(7)
    for (let round = 0; round < 60; round++) {
      const value = Array.from({ length: random(80) }, () => randomValue(random, 0, isPlain))
      const encoded = library.encode(value)
      expect(textOf(encode(value))).toBe(textOf(encoded))
      expect(inspect(decode(encoded), everything)).toBe(inspect(library.decode(encoded), everything))
    }
  })

  it('encodes large lists and maps like its library', () => {
    const members = Array.from({ length: 3000 }, (_, index) => [
      `${(index * 7919) % 3000}é`.slice(index % 2),
      index,
    ])
    const map = Object.fromEntries(members)
    const long = 'x'.repeat(100_000)
    const mixed = `x${'💥"é\n'.repeat(40_000)}`
    for (const value of [
      [mixed, { [mixed]: mixed }],
      members,
      map,
      [map, [members, map], long],
      { a: map, bb: { c: members }, d: long },
      [[[[members]]]],
      [],
    ]) {
      const encoded = library.encode(value)
      expect(textOf(encode(value))).toBe(textOf(encoded))
      expect(inspect(decode(encoded), everything)).toBe(inspect(library.decode(encoded), everything))
    }
  })

  it('yields to other requests', async () => {
    const value = Array.from({ length: 20_000 }, (_, index) => ({ index }))
    const bytes = codec.encode(value)
    endEverySlice()
    expect(await countTurns(() => decodeInSlices(codec, bytes))).toBeGreaterThan(3)
    expect(await countTurns(() => encodeInSlices(codec, value))).toBeGreaterThan(15)
    vi.restoreAllMocks()
  })
})

/** Results of Kubo 0.42.0 for the same data, by `dag/put`. */
describe('as in Kubo', () => {
  const codec = (name: string): (typeof codecs)[number] => {
    const found = codecs.find((candidate) => candidate.name === name)
    if (found === undefined) throw new Error(name)
    return found
  }
  const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

  it.each([
    ['1.0', 'fb3ff0000000000000'],
    ['1', '01'],
    ['1e3', 'fb408f400000000000'],
    ['-0.0', 'fb8000000000000000'],
    ['9223372036854775807', '1b7fffffffffffffff'],
  ])('decodes the number %s', (text, cbor) => {
    expect(hexOf(codec('dag-cbor').encode(codec('dag-json').decode(Buffer.from(text))))).toBe(cbor)
  })

  it.each([
    ['-0.0', '-0'],
    ['[1.0,{"a":-0.0}]', '[1,{"a":-0}]'],
    ['1e16', '10000000000000000'],
    ['12345678901234567890.0', '12345678901234567000'],
    ['-1e20', '-100000000000000000000'],
    ['1e21', '1e+21'],
    ['0.0000001', '1e-7'],
  ])('encodes the number %s in DAG-JSON as %s', (text, written) => {
    const { decode, encode } = codec('dag-json')
    expect(Buffer.from(encode(decode(Buffer.from(text)))).toString()).toBe(written)
  })

  it.each([
    ['9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ['{"a":1,"a":2}', 'cannot repeat map key "a"'],
    ['x', 'invalid char while expecting start of value: 0x78'],
    ['{"x":1}x', 'unexpected content after end of json object'],
    ['', 'unexpected EOF'],
    ['"a', 'unexpected EOF'],
    ['{"x":1', 'EOF'],
    ['{"/"', 'EOF'],
    ['[{', 'EOF'],
    ['-', 'strconv.ParseFloat: parsing "-": invalid syntax'],
    ['[1e+]', 'strconv.ParseFloat: parsing "1e+": invalid syntax'],
    ['[1.x]', 'expected comma or array close after array value; got 0x78'],
    ['{"a":1 "b":2}', 'expected comma or map close after map value; got quote'],
    ['{1:2}', 'unexpected int token while expecting map key'],
    ['{[]:1}', 'expected colon after map key; got array close'],
    ['{"a"}', 'expected colon after map key; got map close'],
    ['[}', 'invalid char while expecting start of value: map close'],
    ['"\\x"', 'invalid byte in string escape sequence: 0x78'],
    ['"\\u00zz"', 'invalid byte in \\u hexadecimal character escape: 0x7a'],
    ['"a\nb"', 'invalid unprintable byte in string literal: 0xa'],
    ['{"/":{"bytes":"a"}}', 'illegal base64 data at input byte 0'],
    ['{"/":{"bytes":"YW\\nJj*"}}', 'illegal base64 data at input byte 5'],
    [`${'['.repeat(1025)}${']'.repeat(1025)}`, 'message structure exceeded maximum nesting depth'],
  ])('rejects %s', (text, message) => {
    expect(() => codec('dag-json').decode(Buffer.from(text))).toThrow(
      expect.objectContaining({ message: message }) as Error,
    )
  })

  it.each([
    ['trux', true],
    ['nul', null],
    ['[f', 'EOF'],
    ['01', 0],
    ['[1,]', [1]],
    ['[]\0', []],
    ['{"/":{"bytes":"YQ=="}}', Uint8Array.of(0x61)],
    ['{"/":{"bytes":"YQ"}}', Uint8Array.of(0x61)],
  ])('decodes the JSON %s like refmt', (text, value) => {
    const read = (): unknown => codec('dag-json').decode(Buffer.from(text))
    if (value === 'EOF') expect(read).toThrow('EOF')
    else expect(read()).toEqual(value)
  })

  it.each([
    ['a1', 'EOF'],
    ['8201', 'EOF'],
    ['a16161', 'unexpected EOF'],
    ['61', 'unexpected EOF'],
    ['fb3f', 'unexpected EOF'],
    ['d82a', 'unexpected EOF'],
    ['7f6161', 'unexpected EOF'],
    ['817f6161', 'EOF'],
    ['ff', 'Invalid majorByte: 0xff'],
    [`5f${'40'.repeat(32_769)}ff`, 'a string of more than 32768 parts'],
    ['f820', 'Invalid majorByte: 0xf8'],
    ['bf6161ff', 'unexpected break; expected value in indefinite-length map'],
    ['a10101', 'unexpected uint token while expecting map key'],
    ['1c', 'decodeUint: Invalid descriptor: 28'],
    ['d82a4401550000', 'invalid multibase on IPLD link'],
    ['c24101', 'unhandled cbor tag 2'],
    ['c1c101', 'unsupported multiple tags on a single data item'],
    ['9affffffff', 'message structure demanded too many resources to process'],
    ['5affffffff', 'cbor: decoding rejected oversized byte field: 4294967295 is too large'],
    ['5b312c322c332c2261', 'cbor: decoding rejected oversized byte field: 3543262172252217953 is too large'],
    ['bbffffffffffffffff', 'cbor: positive integer is out of length'],
    ['0101', 'unexpected content after end of cbor object'],
    [`${'81'.repeat(1025)}01`, 'message structure exceeded maximum nesting depth'],
  ])('rejects the CBOR %s', (digits, message) => {
    expect(() => codec('dag-cbor').decode(Buffer.from(digits, 'hex'))).toThrow(
      expect.objectContaining({ message: message }) as Error,
    )
  })

  it.each([
    ['7f61616162ff', '626162'],
    ['d9d9f7a0', 'a0'],
    ['c101', '01'],
    ['f7', 'f6'],
    ['3bffffffffffffffff', '00'],
    ['3b7fffffffffffffff', '3b7fffffffffffffff'],
    ['1801', '01'],
  ])('decodes the CBOR %s to %s', (digits, written) => {
    expect(hexOf(codec('dag-cbor').encode(codec('dag-cbor').decode(Buffer.from(digits, 'hex'))))).toBe(
      written,
    )
  })

  it('decodes long strings with escapes or beyond ASCII', () => {
    const codec = codecs.find(({ name }) => name === 'dag-json')
    for (const length of [60_000, 200_000]) {
      for (const unit of ['\u0001', 'é"\\', '💥\n', 'x']) {
        const text = unit.repeat(length / unit.length)
        const list = [text, { [`${text}é`]: `${text}"` }, 1]
        expect(codec?.decode(Buffer.from(JSON.stringify(list)))).toEqual(list)
      }
    }
    expect(codec?.decode(Buffer.from(`"${'\\ud83d'.repeat(20_000)}"`))).toBe('\ufffd'.repeat(20_000))
  })

  it('rejects input that is slow to decode and does not occur in practice', () => {
    const codec = codecs.find(({ name }) => name === 'dag-json')
    const read = (text: string) => () => codec?.decode(Buffer.from(text))
    expect(read('9'.repeat(70_000))).toThrow('a number of more than 65536 characters')
    expect(read(`[1${' '.repeat(17 << 20)}]`)).toThrow('more than 16777216 bytes of space')
    expect(read(`"${'\\"'.repeat(3 << 20)}"`)).toThrow('a string of more than 2097152 bytes')
    expect(read(`"${'x'.repeat(5 << 20)}"`)).toThrow('a string of more than 2097152 bytes')
    expect(read(`"${'x'.repeat(100_000)}`)).toThrow('unexpected EOF')
    expect(read(`[${'{},'.repeat(2 ** 20)}{}]`)).toThrow('more than 1048576 lists and maps')
  })

  it('encodes JSON over several lines, and neither links nor bytes', () => {
    const pretty = '[\n\t1,\n\t{\n\t\t"a": [],\n\t\t"b": {}\n\t}\n]\n'
    expect(Buffer.from(codec('json').encode([1, { a: [], b: {} }])).toString()).toBe(pretty)
    expect(Buffer.from(codec('json').encode(codec('json').decode(Buffer.from('-0.0')))).toString()).toBe('-0')
    expect(() => codec('json').encode([cid])).toThrow('cannot marshal IPLD links to this codec')
    expect(() => codec('json').encode([new Uint8Array(1)])).toThrow('cannot marshal IPLD bytes to this codec')
  })

  it('encodes and decodes a signed dag-jose object', () => {
    const payload = 'AXESIIlVZVHDkmZ5zFLHLhgqVhkFakcnQJ7pOibQWtcnyhH0'
    const signature = '-_9J5OZcl5lVuRlgI1NJEzc0FqEb6_2yVskUaQPducRQ4oe-N5ynCl57wDm4SPtm1L1bltrphpQeBOeWjVW1BQ'
    const signed = { payload, signatures: [{ protected: 'eyJhbGciOiJFZERTQSJ9', signature }] }
    const bytes = codec('dag-jose').encode(signed)
    const digest = createHash('sha256').update(bytes).digest()
    const inKubo = CID.parse('bagcqceraxvt5izt4sz7kjfrm42dxrutp6ijywgsacllkznzekmfojypkvfea')
    expect(hexOf(digest)).toBe(hexOf(inKubo.multihash.digest))
    expect(codec('dag-jose').decode(bytes)).toMatchObject({ payload })
    expect(() => codec('dag-jose').encode({ a: 1 })).toThrow('invalid JOSE object')
  })
})

describe('text that is not UTF-8', () => {
  const [dagCborCodec, dagJsonCodec, jsonCodec] = [0x71, 0x0129, 0x0200].map((code) =>
    codecs.find((codec) => codec.code === code),
  )

  // Bytes, and what Kubo 0.42.0 writes for them.
  it.each([
    ['62c328', '"\\ufffd("'],
    ['64eda08041', '"\\ufffd\\ufffd\\ufffdA"'],
    ['7f61c361a9ff', '"é"'],
    ['675c75646338305c', '"\\\\udc80\\\\"'],
    ['64f09f9880', '"😀"'],
    ['63efbfbd', '"\ufffd"'],
    ['a262c3280161ff6161', '{"\\ufffd(":1,"\\ufffd":"a"}'],
  ])('in DAG-CBOR %s keeps its bytes, and is replaced in JSON', (hex, json) => {
    const value = dagCborCodec?.decode(Buffer.from(hex, 'hex'))
    expect(textOf(dagJsonCodec?.encode(value))).toBe(Buffer.from(json).toString('latin1'))
    if (!hex.startsWith('a2'))
      expect(textOf(jsonCodec?.encode(value))).toBe(Buffer.from(json).toString('latin1'))
    const whole = { '7f61c361a9ff': '62c3a9', a262c3280161ff6161: 'a261ff616162c32801' }[hex] ?? hex
    expect(Buffer.from(dagCborCodec?.encode(value) ?? []).toString('hex')).toBe(whole)
  })

  it('keeps its bytes in pieces too', () => {
    const bytes = Buffer.concat([Buffer.from('7a00030d40', 'hex'), Buffer.alloc(200_000, 'c3a9ff', 'hex')])
    const value = dagCborCodec?.decode(bytes)
    expect(Buffer.from(dagCborCodec?.encode(value) ?? []).equals(bytes)).toBe(true)
    expect(textOf(dagJsonCodec?.encode(value)).match(/\\ufffd/g)).toHaveLength(66_666)
  })
})
