import type { MultibaseCodec } from 'multiformats'
import { bases } from 'multiformats/basics'
import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { decodeFromRadix, encodeInRadix, radixOf } from './radix.js'

/** Multibases that Kubo lacks (go-multibase, `multibase.go`). */
const unknownBases = new Set(['base8', 'base10', 'base32z'])

type Codec = MultibaseCodec<string>

/** The base whose text is the bytes themselves, as UTF-8. */
const identity = 'identity'

const knownBases: readonly Codec[] = Object.values(bases).filter(({ name }) => !unknownBases.has(name))

/** The multibases that Kubo knows, with the code points of their prefixes. */
export const multibases: readonly { name: string; code: number }[] = knownBases.map(({ name, prefix }) => ({
  name,
  code: prefix.codePointAt(0) ?? 0,
}))

const basesByName = new Map(knownBases.map((base) => [base.name, base]))
const basesByPrefix = new Map(knownBases.map((base) => [base.prefix, base]))

/** Bases whose digits stand for no fixed number of bits. */
const radixes = new Map([
  ['base36', radixOf('0123456789abcdefghijklmnopqrstuvwxyz')],
  ['base36upper', radixOf('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ')],
  ['base58btc', radixOf('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz')],
  ['base58flickr', radixOf('123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ')],
])

/** Maximum number of bytes in these bases. */
const longestInRadix = 4096

/** Bytes encoded in one step. They fill groups of digits in every other base, so the digits of steps can be joined. */
const bytesPerStep = 15 * 256
/** UTF-8 bytes decoded in one step. */
const textPerStep = 8 * 1024
/** Digits whose bits fill bytes in every other base. */
const digitsPerGroup = 8

/** A multibase encoder. */
export interface Multibase {
  name: string
  prefix: string
  /**
   * Encodes bytes, including the prefix of the base.
   *
   * @throws {@link FileNetworkError} if there are too many bytes for base36 or base58
   */
  encode(bytes: Uint8Array): string
  /** Encodes bytes in parts that take less than a millisecond each. @throws as `encode` */
  encodeInParts(bytes: Uint8Array): Iterable<string>
}

/**
 * Returns the multibase with a name or a prefix.
 *
 * @throws {@link FileNetworkError}
 */
export function multibaseByName(name: string): Multibase {
  if (name === '') throw new FileNetworkError('empty multibase encoding')
  const base = basesByName.get(name) ?? basesByPrefix.get(name)
  if (base === undefined) throw new FileNetworkError(`unsupported multibase encoding: ${name}`)
  const radix = radixes.get(base.name)
  const encode = (bytes: Uint8Array): string => {
    if (radix === undefined) return base.encoder.encode(bytes)
    checkLength(base, bytes.length)
    return base.prefix + encodeInRadix(radix, bytes)
  }
  return {
    name: base.name,
    prefix: base.prefix,
    encode,
    encodeInParts: (bytes) => (radix === undefined ? encodedParts(base, bytes) : [encode(bytes)]),
  }
}

function* encodedParts({ name, prefix, encoder }: Codec, bytes: Uint8Array): Generator<string> {
  yield prefix
  const decoder = new TextDecoder('utf-8')
  for (let start = 0; start < bytes.length; start += bytesPerStep) {
    const part = bytes.subarray(start, start + bytesPerStep)
    if (name === identity) yield decoder.decode(part, { stream: true })
    else yield encoder.encode(part).slice(prefix.length)
  }
  yield decoder.decode()
}

/** Returns the name of a text's multibase by its prefix; undefined if there is none. */
export function baseNameByPrefix(text: string): string | undefined {
  return basesByPrefix.get(String.fromCodePoint(text.codePointAt(0) ?? 0))?.name
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Decodes text in any multibase.
 *
 * @throws {@link FileNetworkError} with go-multibase's message
 */
export function decodeMultibase(text: string): Uint8Array {
  const base = baseOf(text)
  checkLength(base, text.length)
  const written = text.slice(base.prefix.length)
  const digits = ignoresBreaks(base) ? written.replace(/[\r\n]/g, '') : written
  if (digits === '' && base.name.startsWith('base36'))
    throw new FileNetworkError('can not decode zero-length string')
  if (digits === '' && base.name.startsWith('base58')) throw new FileNetworkError('zero length string')
  return decodeDigits(base, digits)
}

/**
 * Decodes UTF-8 text in any multibase in steps.
 *
 * @throws {@link FileNetworkError} with go-multibase's message
 */
export function* decodeMultibaseInSteps(given: Uint8Array): Steps<Uint8Array> {
  const base = baseOf(Buffer.from(given.subarray(0, textPerStep)).toString())
  if (given.length <= textPerStep || radixes.has(base.name)) {
    // Text of a radix that is cut here is too long anyway.
    return decodeMultibase(Buffer.from(given.subarray(0, 8 * textPerStep)).toString())
  }
  const text = ignoresBreaks(base) ? yield* withoutBreaks(given) : given
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let waiting = decoder.decode(text.subarray(0, textPerStep), { stream: true }).slice(base.prefix.length)
  const bytes = new Uint8Array(text.length)
  let length = 0
  const take = (part: Uint8Array): void => {
    bytes.set(part, length)
    length += part.length
  }
  const end = yield* lengthWithOneGroupOfPadding(text)
  let place = 0
  for (let start = textPerStep; start < end; start += textPerStep) {
    let whole = waiting.length - (waiting.length % digitsPerGroup)
    // The second half of an emoji stays with the first.
    if (waiting.charCodeAt(whole) >> 10 === 0xdc00 >> 10) whole--
    take(decodeDigits(base, waiting.slice(0, whole), { place, goesOn: true }))
    place += whole
    const next = text.subarray(start, Math.min(start + textPerStep, end))
    waiting = waiting.slice(whole) + decoder.decode(next, { stream: true })
    yield
  }
  take(decodeDigits(base, waiting + decoder.decode(), { place, goesOn: false }))
  return bytes.subarray(0, length)
}

/** Whether Go's decoder skips line breaks. */
function ignoresBreaks({ name }: Codec): boolean {
  return /^base(?:32|64)/.test(name)
}

function* withoutBreaks(text: Uint8Array): Steps<Uint8Array> {
  const kept = new Uint8Array(text.length)
  let length = 0
  for (let start = 0; start < text.length; start += textPerStep) {
    for (const byte of text.subarray(start, start + textPerStep)) {
      if (byte !== lineFeed && byte !== carriageReturn) kept[length++] = byte
    }
    yield
  }
  return kept.subarray(0, length)
}

function baseOf(text: string): Codec {
  if (text === '') throw new FileNetworkError('cannot decode multibase for zero length string')
  const base = basesByPrefix.get(String.fromCodePoint(text.codePointAt(0) ?? 0))
  if (base === undefined) throw new FileNetworkError('selected encoding not supported')
  return base
}

/** Returns the length of text up to the padding that makes no difference. */
function* lengthWithOneGroupOfPadding(text: Uint8Array): Steps<number> {
  const padding = '='.charCodeAt(0)
  let end = text.length
  for (; text[end - 1] === padding; end--) if (end % textPerStep === 0) yield
  return end + ((text.length - end) % digitsPerGroup)
}

/** A part of the digits of a text. */
interface Part {
  /** Number of digits before it. */
  place: number
  /** Whether there are digits after it. */
  goesOn: boolean
}

const allDigits: Part = { place: 0, goesOn: false }

function decodeDigits(base: Codec, digits: string, part = allDigits): Uint8Array {
  const radix = radixes.get(base.name)
  const written = isCaseless.test(base.name) ? toCaseOf(base.name, digits) : digits
  try {
    if (radix !== undefined) return decodeFromRadix(radix, written)
    // The library takes padding between digits for a digit, or drops it at the end of a part.
    const unpadded = part.goesOn ? digits : withoutPadding(digits)
    if (base.name !== identity && unpadded.includes('=')) throw new SyntaxError(`Non-${base.name} character`)
    return base.decoder.decode(base.prefix + written)
  } catch (error) {
    const problem = problemOf(base.name, digits, part)
    const lenient = problem === undefined ? decodeLeniently(base.name, digits, part) : undefined
    if (lenient !== undefined) return lenient
    throw new FileNetworkError(problem ?? (error as Error).message)
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Returns the digits of a base whose digits have a whole number of bits. */
function digitsOf(baseName: string): { bits: number; alphabet: string } | undefined {
  if (baseName === 'base2') return { bits: 1, alphabet: '01' }
  if (baseName === 'base32z') return { bits: 5, alphabet: 'ybndrfg8ejkmcpqxot1uwisza345h769' }
  if (baseName.startsWith('base32hex')) return { bits: 5, alphabet: `0123456789${letters.slice(0, 22)}` }
  if (baseName.startsWith('base32')) return { bits: 5, alphabet: `${letters}234567` }
  if (!baseName.startsWith('base64')) return undefined
  const last = baseName.includes('url') ? '-_' : '+/'
  return { bits: 6, alphabet: `${letters.toUpperCase()}${letters}0123456789${last}` }
}

/** Decodes without checking leftover bits: Go ignores them, but the library requires zeros. */
function decodeLeniently(baseName: string, text: string, part: Part): Uint8Array | undefined {
  const { bits, alphabet } = digitsOf(baseName) ?? {}
  if (bits === undefined || alphabet === undefined) return undefined
  const given = withoutPadding(text)
  // In base2 Go fills the first byte in front.
  if (bits === 1 && part !== allDigits) return undefined
  const digits = bits === 1 ? given.padStart(Math.ceil(given.length / 8) * 8, '0') : given
  const cased = bits === 5 ? digits.toLowerCase() : digits
  const bytes = new Uint8Array(Math.floor((cased.length * bits) / 8))
  let held = 0
  let value = 0
  let position = 0
  for (const digit of cased) {
    const index = alphabet.indexOf(digit)
    if (index < 0) return undefined
    value = ((value << bits) | index) & 0xffff
    held += bits
    if (held < 8) continue
    held -= 8
    bytes[position++] = (value >> held) & 0xff
  }
  return bytes
}

function withoutPadding(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '=') end--
  return digits.slice(0, end)
}

/** Bases that Go reads in either case, whatever the prefix. */
const isCaseless = /^base(?:16|36)/

function toCaseOf(name: string, text: string): string {
  return name.endsWith('upper') ? text.toUpperCase() : text.toLowerCase()
}

function checkLength({ name }: { name: string }, length: number): void {
  if (!/^base(?:36|58)/.test(name) || length <= longestInRadix * 2) return
  throw new FileNetworkError(`too long for ${name}: at most ${longestInRadix} bytes`)
}

/**
 * Describes what is wrong with text in a base, with the message of Go's decoder; undefined if all characters are valid.
 */
function problemOf(baseName: string, text: string, { place: before, goesOn }: Part): string | undefined {
  const kind = /^base(?:16|32|36|58|64)/.exec(baseName)?.[0]
  if (kind === undefined) return undefined
  const digits = goesOn ? text : withoutPadding(text)
  const alphabet = alphabetOf(kind, baseName)
  const place = [...digits].findIndex((digit) => !alphabet.test(digit))
  const wrong = [...digits][place]
  if (wrong === undefined && kind === 'base64' && !goesOn) {
    const at = placeOfWrongLength(baseName, text, digits)
    return at === undefined ? undefined : `illegal base64 data at input byte ${before + at}`
  }
  if (wrong === undefined) {
    return kind === 'base16' && text.length % 2 === 1 ? 'encoding/hex: odd length hex string' : undefined
  }
  switch (kind) {
    case 'base16':
      return `encoding/hex: invalid byte: ${invalidByte(wrong)}`
    case 'base36':
      return `invalid base36 character ('${quoted(wrong)}')`
    case 'base58':
      return wrong > '\x7f' ? 'high-bit set on invalid digit' : `invalid base58 digit ('${quoted(wrong)}')`
    default:
      return `illegal ${kind} data at input byte ${before + place}`
  }
}

/** Returns where padding begins where there is to be none, or digits that make no byte; undefined if neither does. */
function placeOfWrongLength(baseName: string, text: string, digits: string): number | undefined {
  const isPadded = baseName.endsWith('pad')
  const isWhole = isPadded ? text.length % 4 === 0 : digits === text && digits.length % 4 !== 1
  if (isWhole) return undefined
  return !isPadded && digits !== text ? digits.length : digits.length - (digits.length % 4)
}

function alphabetOf(kind: string, baseName: string): RegExp {
  switch (kind) {
    case 'base16':
      return /[0-9a-f]/i
    case 'base32':
      return baseName === 'base32z' ? /[ybndrfg8ejkmcpqxot1uwisza345h769]/ : extended(baseName)
    case 'base36':
      return /[0-9a-z]/i
    case 'base58':
      return /[1-9A-HJ-NP-Za-km-z]/
    default:
      return baseName.includes('url') ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9+/]/
  }
}

function extended(baseName: string): RegExp {
  return baseName.includes('hex') ? /[0-9a-v]/i : /[a-z2-7]/i
}

/** Formats the first byte of a character like Go's `%#U`, such as `U+006F 'o'`. */
function invalidByte(text: string): string {
  const [byte = 0] = Buffer.from(text)
  const character = String.fromCharCode(byte)
  const shown = quoted(character) === character ? ` '${character}'` : ''
  return `U+${byte.toString(16).toUpperCase().padStart(4, '0')}${shown}`
}

/** Escapes line breaks like Go's `%q`. */
function quoted(character: string): string {
  return character.replace('\n', '\\n').replace('\r', '\\r')
}
