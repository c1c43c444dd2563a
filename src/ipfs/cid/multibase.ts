import type { MultibaseCodec } from 'multiformats'
import { bases } from 'multiformats/basics'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { bytesOfText } from '../../encoding/byteText.js'
import {
  type DigitDecoder,
  base32Decoder,
  base36Decoder,
  base58Decoder,
  base64Decoder,
  decodeBinary,
  decodeEmojis,
  decodeHex,
} from './multibaseDecoders.js'
import { encodeInRadix, radixOf } from './radix.js'

/** Multibases that Kubo lacks (go-multibase, `multibase.go`). */
const unknownBases = new Set(['base8', 'base10', 'base32z'])

type Codec = MultibaseCodec<string>

/** The base whose text is the bytes themselves. */
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
const MAX_RADIX_BYTES = 4096

/** Bytes encoded in one step. They fill groups of digits in every other base, so the digits of steps can be joined. */
const BYTES_PER_STEP = 15 * 256

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
  /** Encodes bytes as UTF-8, in parts that take less than a millisecond each. @throws as `encode` */
  encodeInParts(bytes: Uint8Array): Iterable<Uint8Array>
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
    encodeInParts: (bytes) =>
      radix === undefined ? encodedParts(base, bytes) : [Buffer.from(encode(bytes))],
  }
}

function* encodedParts({ name, prefix, encoder }: Codec, bytes: Uint8Array): Generator<Uint8Array> {
  yield Buffer.from(prefix)
  for (let start = 0; start < bytes.length; start += BYTES_PER_STEP) {
    const part = bytes.subarray(start, start + BYTES_PER_STEP)
    yield name === identity ? part : Buffer.from(encoder.encode(part).slice(prefix.length))
  }
}

/** Returns the name of a text's multibase by its prefix; undefined if there is none. */
export function baseNameByPrefix(text: string): string | undefined {
  return basesByPrefix.get(String.fromCodePoint(text.codePointAt(0) ?? 0))?.name
}

/**
 * Decodes text in any multibase. Bytes in it that are not UTF-8 are as in byteText.ts.
 *
 * @throws {@link FileNetworkError} with go-multibase's message
 */
export function decodeMultibase(text: string): Uint8Array {
  return runToCompletion(decodeMultibaseInSteps(bytesOfText(text)))
}

/**
 * Incremental version of {@link decodeMultibase}, for text in UTF-8.
 *
 * @throws {@link FileNetworkError} with go-multibase's message
 */
export function* decodeMultibaseInSteps(text: Uint8Array): Steps<Uint8Array> {
  if (text.length === 0) throw new FileNetworkError('cannot decode multibase for zero length string')
  const start = Buffer.from(text.subarray(0, MAX_PREFIX_LENGTH)).toString()
  const base = basesByPrefix.get(String.fromCodePoint(start.codePointAt(0) ?? 0))
  if (base === undefined) throw new FileNetworkError('selected encoding not supported')
  checkLength(base, text.length)
  const digits = text.subarray(Buffer.byteLength(base.prefix))
  return yield* (decoders.get(base) as DigitDecoder)(digits)
}

/** Longest prefix, in bytes of UTF-8. */
const MAX_PREFIX_LENGTH = 4

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Returns the decoder of a base; Go reads most bases in either case, whatever the prefix. */
function decoderOf(name: string): DigitDecoder {
  const isPadded = name.includes('pad')
  const radix = radixes.get(name.replace('upper', ''))
  if (radix !== undefined) return name.startsWith('base36') ? base36Decoder(radix) : base58Decoder(radix)
  if (name === 'base2') return decodeBinary
  if (name === identity) return sameBytes
  if (name === 'base256emoji') return decodeEmojis
  if (name.startsWith('base16')) return decodeHex
  if (name.startsWith('base32hex')) return base32Decoder(`0123456789${letters.slice(0, 22)}`, { isPadded })
  if (name.startsWith('base32')) return base32Decoder(`${letters}234567`, { isPadded })
  const last = name.includes('url') ? '-_' : '+/'
  return base64Decoder(`${letters.toUpperCase()}${letters}0123456789${last}`, { isPadded })
}

// eslint-disable-next-line require-yield -- nothing is decoded
function* sameBytes(bytes: Uint8Array): Steps<Uint8Array> {
  return bytes
}

const decoders = new Map(knownBases.map((base) => [base, decoderOf(base.name)]))

function checkLength({ name }: { name: string }, length: number): void {
  if (!/^base(?:36|58)/.test(name) || length <= MAX_RADIX_BYTES * 2) return
  throw new FileNetworkError(`too long for ${name}: at most ${MAX_RADIX_BYTES} bytes`)
}
