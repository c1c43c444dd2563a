import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { type EncodeOptions, Token, Type, encode as encodeCbor } from 'cborg'
import type { OptionalTypeEncoder } from 'cborg/interface'
import { CID } from 'multiformats/cid'
import { joinInSteps } from '../../encoding/hex.js'
import { keysOf } from '../../encoding/jsonKeys.js'
import { Portion, sortInSteps } from '../../encoding/sorting.js'
import { type Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { bytesOfText, hasLoneBytes, withReplacements } from '../../encoding/byteText.js'
import { UnsupportedNumberError, WholeFloat, withPlainNumbers } from './float.js'

/** How a codec encodes lists and maps, so that they can be assembled from parts. */
export interface ContainerForm {
  encode(value: unknown): Uint8Array
  /** Encodes what precedes the items of a list or the members of a map. */
  begin(kind: 'list' | 'map', count: number): Uint8Array
  end(kind: 'list' | 'map'): Uint8Array
  /** Between two items or members. */
  readonly separator: Uint8Array
  /** Between a name and its value. */
  readonly colon: Uint8Array
  /** What surrounds the Base64 of bytes; undefined if the codec encodes them directly. */
  readonly aroundBase64?: readonly [before: Uint8Array, after: Uint8Array]
  /** Returns what surrounds the characters of a string. */
  aroundText(text: string): readonly [before: Uint8Array, after: Uint8Array]
  /** Encodes characters as inside a string. */
  insideText(characters: string): Uint8Array
  /** Order of members; undefined keeps the given order. */
  readonly compareNames: ((a: string, b: string) => number) | undefined
}

/** Values the codec encodes at once; this many bytes or characters of a value count as another value. */
const MAX_AT_ONCE = 1024
const LENGTH_LIKE_A_VALUE = 64
/** Characters, or bytes in whole Base64 groups, encoded at once. */
const LENGTH_AT_ONCE = 3 * 2 ** 14
/** Members of a map encoded at once. */
const MEMBERS_AT_ONCE = 64

/**
 * Encodes a value incrementally, although codecs take only whole values: large values are split, and the encoded parts
 * are joined.
 */
export function* encodeInSteps(form: ContainerForm, value: unknown): Steps<Uint8Array> {
  const parts: Uint8Array[] = []
  yield* encodeParts(form, value, parts)
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : yield* joinInSteps(parts)
}

function* encodeParts(form: ContainerForm, value: unknown, parts: Uint8Array[]): Steps<void> {
  if (isContainer(value) && roomAfter(value, MAX_AT_ONCE) < 0) yield* takeApart(form, value, parts)
  else if (typeof value === 'string') yield* encodeText(form, value, parts)
  else if (value instanceof Uint8Array && form.aroundBase64 !== undefined) {
    const [before, after] = form.aroundBase64
    parts.push(before)
    yield* encodeBase64(value, parts)
    parts.push(after)
  } else parts.push(form.encode(value))
}

/** Encodes Base64 natively: the library's encoder goes character by character. */
function* encodeBase64(bytes: Uint8Array, parts: Uint8Array[]): Steps<void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let start = 0; start < buffer.length; start += LENGTH_AT_ONCE) {
    const text = buffer.toString('base64', start, Math.min(start + LENGTH_AT_ONCE, buffer.length))
    parts.push(Buffer.from(text.replace(/=+$/, ''), 'latin1'))
    yield
  }
}

function* encodeText(form: ContainerForm, text: string, parts: Uint8Array[]): Steps<void> {
  if (text.length <= LENGTH_AT_ONCE) {
    parts.push(form.encode(text))
    return
  }
  const [before, after] = form.aroundText(text)
  parts.push(before)
  for (let start = 0; start < text.length;) {
    let end = start + LENGTH_AT_ONCE
    // Do not split a surrogate pair.
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end++
    parts.push(form.insideText(text.slice(start, end)))
    start = end
    yield
  }
  parts.push(after)
}

function takeApart(form: ContainerForm, value: object, parts: Uint8Array[]): Steps<void> {
  return Array.isArray(value)
    ? encodeList(form, value, parts)
    : encodeMap(form, value as Readonly<Record<string, unknown>>, parts)
}

function* encodeList(form: ContainerForm, list: readonly unknown[], parts: Uint8Array[]): Steps<void> {
  parts.push(form.begin('list', list.length))
  for (let start = 0; start < list.length;) {
    if (start > 0) parts.push(form.separator)
    const end = endOfRun(list, start)
    const item = list[start]
    if (end > start) parts.push(insideOf(form, list.slice(start, end)))
    else if (isContainer(item)) yield* takeApart(form, item, parts)
    else yield* encodeParts(form, item, parts)
    start = Math.max(end, start + 1)
    yield
  }
  parts.push(form.end('list'))
}

/** Returns the end of the items to encode together from `start`; `start` itself if that one is too large. */
function endOfRun(list: readonly unknown[], start: number): number {
  let room = MAX_AT_ONCE
  for (let end = start; end < list.length; end++) {
    room = roomAfter(list[end], room)
    if (room < 0) return end
  }
  return list.length
}

/** Encodes items without the marks around their list. */
function insideOf(form: ContainerForm, items: readonly unknown[]): Uint8Array {
  const encoded = form.encode(items)
  return encoded.subarray(form.begin('list', items.length).length, encoded.length - form.end('list').length)
}

function* encodeMap(
  form: ContainerForm,
  map: Readonly<Record<string, unknown>>,
  parts: Uint8Array[],
): Steps<void> {
  const given = keysOf(map)
  const compare = form.compareNames
  const names = compare === undefined ? given : yield* sortInSteps(given, compare, ({ length }) => length)
  const portion = new Portion(MEMBERS_AT_ONCE)
  parts.push(form.begin('map', names.length))
  for (const [index, name] of names.entries()) {
    if (index > 0) parts.push(form.separator)
    yield* encodeText(form, name, parts)
    parts.push(form.colon)
    yield* encodeParts(form, map[name], parts)
    if (portion.add(name.length)) yield
  }
  parts.push(form.end('map'))
}

/** Whether a value is a list or map, not bytes or a link. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
  if (value instanceof WholeFloat) return false
  return CID.asCID(value) === null
}

/**
 * Returns the room left after a value and its contents, out of `room` values; negative if it is exceeded, if a number
 * must be encoded separately, or if the codec's library would put names in another order.
 */
export function roomAfter(value: unknown, room: number): number {
  if (value instanceof WholeFloat && !value.isPlain) return -1
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return room - 1 - value.length / LENGTH_LIKE_A_VALUE
  }
  if (!isContainer(value)) return room - 1
  const names = Array.isArray(value) ? undefined : keysOf(value)
  if ((names ?? (value as unknown[])).length >= room || names?.some(hasSurrogates)) return -1
  let left = room - 1
  for (const name of names ?? []) left -= name.length / LENGTH_LIKE_A_VALUE
  for (const key of names ?? (value as unknown[]).keys()) {
    left = roomAfter((value as Readonly<Record<string | number, unknown>>)[key], left)
    if (left < 0) return left
  }
  return left
}

/** Whether the order of UTF-16 may not be that of bytes. */
function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text)
}

const NOTHING = new Uint8Array(0)

const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))

const brackets = {
  begin: { list: ascii('['), map: ascii('{') },
  end: { list: ascii(']'), map: ascii('}') },
} as const

const jsonMarks = {
  begin: (kind: 'list' | 'map') => brackets.begin[kind],
  end: (kind: 'list' | 'map') => brackets.end[kind],
  separator: ascii(','),
  colon: ascii(':'),
}

/** Replaces bytes of encoded JSON that are not UTF-8. */
function replaced(json: Uint8Array): Uint8Array {
  const buffer = Buffer.from(json.buffer, json.byteOffset, json.length)
  return buffer.includes('\\udc') ? Buffer.from(withReplacements(buffer.toString())) : json
}

/** The form of lists and maps in DAG-JSON. */
export const dagJsonForm: ContainerForm = {
  ...jsonMarks,
  aroundBase64: [ascii('{"/":{"bytes":"'), ascii('"}}')],
  aroundText: () => [ascii('"'), ascii('"')],
  insideText: (characters) => replaced(dagJson.encode(characters)).subarray(1, -1),
  encode(value) {
    if (value instanceof WholeFloat) return ascii(value.toString())
    try {
      return replaced(dagJson.encode(withPlainNumbers(value)))
    } catch (error) {
      const odd = nonFiniteNumberIn(value)
      throw odd === undefined ? error : new UnsupportedNumberError(odd)
    }
  },
  compareNames(a, b) {
    if (hasSurrogates(a) || hasSurrogates(b)) return Buffer.compare(bytesOfText(a), bytesOfText(b))
    return a < b ? -1 : 1
  },
}

/** Major types of CBOR. */
const majorTypes = { text: 3, list: 4, map: 5 } as const

const cborMarks = {
  begin: (kind: 'list' | 'map', count: number) => headOf(majorTypes[kind], count),
  end: () => NOTHING,
  separator: NOTHING,
  colon: NOTHING,
  aroundText: (text: string) => [headOf(majorTypes.text, bytesOfText(text).length), NOTHING] as const,
  insideText: (characters: string) => bytesOfText(characters),
}

/** Encodes DAG-CBOR with the library, plus floats without a fraction. */
function encodeDagCbor(value: unknown): Uint8Array {
  return encodeCbor(value, cborOptions)
}

const { typeEncoders = {} }: Pick<EncodeOptions, 'typeEncoders'> = dagCbor.encodeOptions
const cborOptions = {
  ...dagCbor.encodeOptions,
  typeEncoders: {
    ...typeEncoders,
    // Kubo also encodes NaN and the infinities, which the data model lacks.
    number: (...given: Parameters<OptionalTypeEncoder>) => {
      const value: unknown = given[0]
      if (typeof value === 'number' && !Number.isFinite(value)) return [new Token(Type.float, value)]
      return typeEncoders['number']?.(...given) ?? null
    },
    string(...given: Parameters<OptionalTypeEncoder>) {
      const text = given[0] as string
      if (!hasLoneBytes(text)) return null
      const written = new Token(Type.string, text)
      written.encodedBytes = bytesOfText(text)
      return [written]
    },
    Object: (...given: Parameters<OptionalTypeEncoder>) => {
      const value: unknown = given[0]
      if (value instanceof WholeFloat) return [new Token(Type.float, value.value)]
      return typeEncoders['Object']?.(...given) ?? null
    },
  },
}

/** The form of lists and maps in DAG-CBOR: shorter names come first. */
export const dagCborForm: ContainerForm = {
  encode: encodeDagCbor,
  ...cborMarks,
  compareNames(a, b) {
    const isAscii = Buffer.byteLength(a) === a.length && Buffer.byteLength(b) === b.length
    if (isAscii) return a.length - b.length || (a < b ? -1 : 1)
    const [ofA, ofB] = [bytesOfText(a), bytesOfText(b)]
    return ofA.length - ofB.length || Buffer.compare(ofA, ofB)
  },
}

function headOf(majorType: number, count: number): Uint8Array {
  const first = majorType << 5
  if (count < 24) return Uint8Array.of(first | count)
  if (count < 2 ** 8) return Uint8Array.of(first | 24, count)
  if (count < 2 ** 16) return Uint8Array.of(first | 25, count >> 8, count & 0xff)
  const head = Buffer.alloc(5)
  head[0] = first | 26
  head.writeUInt32BE(count, 1)
  return Uint8Array.from(head)
}

/** The form of lists and maps in plain CBOR: like DAG-CBOR, but with members in given order and without links. */
export const cborForm: ContainerForm = {
  ...cborMarks,
  encode(value) {
    refuseLinks(value)
    return encodeCbor(value, { ...cborOptions, mapSorter: keepOrder })
  },
  compareNames: undefined,
}

function keepOrder(): number {
  return 0
}

/** @throws {@link FileNetworkError} with go-ipld-prime's message */
function refuseLinks(value: unknown): void {
  if (CID.asCID(value) !== null) throw new FileNetworkError('cannot Marshal ipld links to CBOR')
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  for (const below of Object.values(value)) refuseLinks(below)
}

function nonFiniteNumberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : value
  if (!isContainer(value)) return undefined
  for (const below of Object.values(value)) {
    const found = nonFiniteNumberIn(below)
    if (found !== undefined) return found
  }
  return undefined
}
