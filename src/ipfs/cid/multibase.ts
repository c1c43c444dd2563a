import type { MultibaseCodec } from 'multiformats'
import { bases } from 'multiformats/basics'
import { FileNetworkError } from '../errors.js'

/** Multibases that Kubo lacks (go-multibase, `multibase.go`). */
const unknownBases = new Set(['base8', 'base10', 'base32z'])

const knownBases: readonly MultibaseCodec<string>[] = Object.values(bases).filter(
  ({ name }) => !unknownBases.has(name),
)

/** The multibases that Kubo knows, with the code points of their prefixes. */
export const multibases: readonly { name: string; code: number }[] = knownBases.map(({ name, prefix }) => ({
  name,
  code: prefix.codePointAt(0) ?? 0,
}))

const basesByName = new Map(knownBases.map((base) => [base.name, base]))
const basesByPrefix = new Map(knownBases.map((base) => [base.prefix, base]))

/** Maximum number of bytes in base36 and base58, whose conversion takes quadratic time. */
const longestInRadix = 4096

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
  return {
    name: base.name,
    prefix: base.prefix,
    encode(bytes) {
      checkLength(base, bytes.length)
      return base.encoder.encode(bytes)
    },
  }
}

/** Returns the name of a text's multibase by its prefix; undefined if there is none. */
export function baseNameByPrefix(text: string): string | undefined {
  return basesByPrefix.get(String.fromCodePoint(text.codePointAt(0) ?? 0))?.name
}

/**
 * Decodes text in any multibase.
 *
 * @throws {@link FileNetworkError} with go-multibase's message
 */
export function decodeMultibase(text: string): Uint8Array {
  if (text === '') throw new FileNetworkError('cannot decode multibase for zero length string')
  const prefix = String.fromCodePoint(text.codePointAt(0) ?? 0)
  const base = basesByPrefix.get(prefix)
  if (base === undefined) throw new FileNetworkError('selected encoding not supported')
  checkLength(base, text.length)
  const digits = text.slice(prefix.length)
  if (digits === '' && base.name.startsWith('base36'))
    throw new FileNetworkError('can not decode zero-length string')
  if (digits === '' && base.name.startsWith('base58')) throw new FileNetworkError('zero length string')
  try {
    return base.decoder.decode(isCaseless.test(base.name) ? toCaseOf(base.name, text) : text)
  } catch (error) {
    const problem = problemOf(base.name, digits)
    if (problem === undefined && base.name.startsWith('base32')) return decodeLeniently(base, digits)
    throw new FileNetworkError(problem ?? (error as Error).message)
  }
}

/** Decodes base32 without checking leftover bits: Go ignores them, but the library requires zeros. */
function decodeLeniently(base: MultibaseCodec<string>, text: string): Uint8Array {
  const digits = text.replace(/=+$/, '').toLowerCase()
  const alphabet = base.name.includes('hex')
    ? '0123456789abcdefghijklmnopqrstuv'
    : 'abcdefghijklmnopqrstuvwxyz234567'
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8))
  let bits = 0
  let value = 0
  let position = 0
  for (const digit of digits) {
    value = ((value << 5) | alphabet.indexOf(digit)) & 0xffff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[position++] = (value >> bits) & 0xff
  }
  return bytes
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
function problemOf(baseName: string, text: string): string | undefined {
  const kind = /^base(?:16|32|36|58|64)/.exec(baseName)?.[0]
  if (kind === undefined) return undefined
  const digits = text.replace(/=+$/, '')
  const place = [...digits].findIndex((digit) => !alphabetOf(kind, baseName).test(digit))
  const wrong = [...digits][place]
  if (wrong === undefined) {
    return kind === 'base16' && text.length % 2 === 1 ? 'encoding/hex: odd length hex string' : undefined
  }
  switch (kind) {
    case 'base16':
      return `encoding/hex: invalid byte: ${invalidByte(wrong)}`
    case 'base36':
      return `invalid base36 character ('${wrong}')`
    case 'base58':
      return wrong > '\x7f' ? 'high-bit set on invalid digit' : `invalid base58 digit ('${wrong}')`
    default:
      return `illegal ${kind} data at input byte ${place}`
  }
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
function invalidByte(character: string): string {
  const [byte = 0] = Buffer.from(character)
  return `U+${byte.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCharCode(byte)}'`
}
