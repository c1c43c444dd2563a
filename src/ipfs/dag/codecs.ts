import * as dagJose from 'dag-jose'
import * as raw from 'multiformats/codecs/raw'
import { plainBytes } from '../../encoding/hex.js'
import { Semaphore } from '../../encoding/semaphore.js'
import { TimeSlice, runInSlices, runToCompletion, type Steps } from '../../encoding/timeSlice.js'
import { codecCode } from '../cid/cidFormat.js'
import { multicodecNames, multicodecs } from '../cid/codecTable.js'
import { FileNetworkError } from '../errors.js'
import { checkForm } from './dagPbForm.js'
import { decodeDagPb, decodeDagPbInSteps, encodeDagPbInSteps } from './dagPb.js'
import { CborTokens } from './cborTokens.js'
import { decodeTokens } from './decodeInSteps.js'
import { cborForm, dagCborForm, dagJsonForm, encodeInSteps, roomAfter } from './encodeInSteps.js'
import { DagJsonTokens, JsonTokens } from './jsonTokens.js'
import { WrongKindError } from './kinds.js'
import { encodePrettyJson } from './prettyJson.js'
import { parseGoInteger } from '../text/goInteger.js'
import { goQuote } from '../text/goQuote.js'

/** A codec of the IPLD data model. */
export interface Codec {
  name: string
  code: number
  decode(bytes: Uint8Array): unknown
  encode(value: unknown): Uint8Array
  /** Incremental versions, for data that may be large. */
  decodeInSteps?: (bytes: Uint8Array) => Steps<unknown>
  encodeInSteps?(value: unknown): Steps<Uint8Array>
}

/** Completes a codec that works incrementally with functions for whole values. */
function inSteps(codec: {
  name: string
  code: number
  decodeInSteps: (bytes: Uint8Array) => Steps<unknown>
  encodeInSteps: (value: unknown) => Steps<Uint8Array>
}): Codec {
  return {
    ...codec,
    decode: (bytes) => runToCompletion(codec.decodeInSteps(bytes)),
    encode: (value) => runToCompletion(codec.encodeInSteps(value)),
  }
}

const dagCborSteps = {
  decodeInSteps: (bytes: Uint8Array) =>
    decodeTokens(new CborTokens(plainBytes(bytes), { allowsLinks: true })),
  encodeInSteps: (value: unknown) => encodeInSteps(dagCborForm, value),
}

const libraries: readonly Codec[] = [
  {
    name: 'raw',
    code: codecCode.raw,
    decode: raw.decode,
    encode: encodeRaw,
  },
  {
    name: 'dag-pb',
    code: codecCode.dagPb,
    decode: decodeDagPb,
    decodeInSteps: decodeDagPbInSteps,
    encode: (value) => runToCompletion(encodeNode(value)),
    encodeInSteps: encodeNode,
  },
  inSteps({ ...dagCborSteps, name: 'dag-cbor', code: codecCode.dagCbor }),
  inSteps({
    name: 'dag-json',
    code: codecCode.dagJson,
    decodeInSteps: (bytes) => decodeTokens(new DagJsonTokens(bytes)),
    encodeInSteps: (value) => encodeInSteps(dagJsonForm, value),
  }),
  inSteps({
    name: 'cbor',
    code: codecCode.cbor,
    decodeInSteps: (bytes) => decodeTokens(new CborTokens(plainBytes(bytes), { allowsLinks: false })),
    encodeInSteps: (value) => encodeInSteps(cborForm, value),
  }),
  inSteps({
    name: 'json',
    code: codecCode.json,
    decodeInSteps: (bytes) => decodeTokens(new JsonTokens(bytes)),
    encodeInSteps: encodePrettyJson,
  }),
  {
    name: 'dag-jose',
    code: codecCode.dagJose,
    decode: (bytes) => runToCompletion(decodeJose(bytes)),
    decodeInSteps: decodeJose,
    encode: encodeJose,
  },
]

/** Maximum number of values of a JOSE object; every 64 bytes of one count as another. The library takes one step. */
const MAX_JOSE_VALUES = 8192
/** The longest payload, in bytes: a CID, or data in which the library parses CIDs in quadratic time. */
const MAX_PAYLOAD_LENGTH = 4096

function* decodeJose(bytes: Uint8Array): Steps<unknown> {
  checkJose(yield* dagCborSteps.decodeInSteps(bytes))
  return dagJose.decode(bytes)
}

/** @throws {@link FileNetworkError} for an object that the library would take long for */
function checkJose(value: unknown): void {
  const { payload } = (value ?? {}) as { payload?: unknown }
  // In Base64 before it is encoded.
  const length =
    payload instanceof Uint8Array
      ? payload.length
      : typeof payload === 'string'
        ? (payload.length * 3) / 4
        : 0
  if (length > MAX_PAYLOAD_LENGTH) {
    throw new FileNetworkError(`a JOSE object with a payload of more than ${MAX_PAYLOAD_LENGTH} bytes`)
  }
  if (roomAfter(value, MAX_JOSE_VALUES) < 0) throw new FileNetworkError('a JOSE object with too much data')
}

function encodeJose(value: unknown): Uint8Array {
  checkJose(value)
  try {
    return dagJose.encode(value as Parameters<typeof dagJose.encode>[0])
  } catch {
    throw new FileNetworkError('invalid JOSE object')
  }
}

function encodeRaw(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new WrongKindError(value, 'bytes')
}

/** Codecs whose blocks can be decoded and encoded. */
export const codecs: readonly Codec[] = libraries.map(withinStack)

/** Turns a stack overflow of a recursive library into an error about nesting. */
function withinStack(codec: Codec): Codec {
  const run = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw isOutOfStack(error) ? tooDeep(codec) : error
    }
  }
  return {
    ...codec,
    decode: (bytes) => run(() => codec.decode(bytes)),
    encode: (value) => run(() => codec.encode(value)),
  }
}

function isOutOfStack(error: unknown): boolean {
  return error instanceof RangeError && /call stack/.test(error.message)
}

function tooDeep({ name }: Codec): FileNetworkError {
  return new FileNetworkError(`${name}: data is nested too deeply`)
}

/** Data longer than this, in bytes, is decoded in steps. */
export const LARGE_DATA = 16 * 1024

/** Few pieces of data longer than this, in bytes, are decoded at once: values may take fifty times their memory. */
const HUGE_DATA = 1024 * 1024
/** Decodes in progress. Those of clients that have left end only with their value. */
const hugeDecodes = new Semaphore(4)

/** Decodes data; yields meanwhile if it is large. @throws the signal's reason if it is aborted meanwhile */
export async function decodeInSlices(
  codec: Codec,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<unknown> {
  const { decodeInSteps } = codec
  if (decodeInSteps === undefined || bytes.length <= LARGE_DATA) return codec.decode(bytes)
  const decode = (): Promise<unknown> => inSlices(codec, decodeInSteps(bytes), signal)
  return bytes.length > HUGE_DATA ? hugeDecodes.run(decode) : decode()
}

/** Encodes data; yields meanwhile if it is large. @throws the signal's reason if it is aborted meanwhile */
export async function encodeInSlices(
  codec: Codec,
  value: unknown,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return codec.encodeInSteps === undefined
    ? codec.encode(value)
    : inSlices(codec, codec.encodeInSteps(value), signal)
}

async function inSlices<T>(codec: Codec, pieces: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await runInSlices(pieces, new TimeSlice(signal))
  } catch (error) {
    throw isOutOfStack(error) ? tooDeep(codec) : error
  }
}

/** Encodes data in the form of a dag-pb node, with go-codec-dagpb's messages. */
function* encodeNode(value: unknown): Steps<Uint8Array> {
  return yield* encodeDagPbInSteps(yield* checkForm(value))
}

/** Codes for private use, which need no name. */
const reserved = { from: 0x300000, to: 0x3fffff } as const

/** Returns the multicodec for a name or number (go-multicodec, `code.go`). */
export function codecCodeByName(name: string): number {
  const number = /^\d/.test(name) ? Number(parseGoInteger(name)) : Number.NaN
  const isCode = multicodecNames.has(number) || (number >= reserved.from && number <= reserved.to)
  const code = isCode ? number : multicodecs.get(name)
  if (code !== undefined) return code
  throw new FileNetworkError(`unknown multicodec: ${goQuote(name)}`)
}

/** Returns the name of a multicodec; undefined for an unknown code. */
export function codecName(code: number): string | undefined {
  return multicodecNames.get(code)
}

/** Returns the name of a multicodec, or its number as Go prints it. */
export function codecText(code: number | bigint): string {
  return multicodecNames.get(Number(code)) ?? `Code(${code})`
}

/**
 * Returns the codec for a multicodec.
 *
 * @param purpose - what it is needed for, as named in the error
 * @throws {@link FileNetworkError} if the codec is not supported
 */
export function codecByCode(code: number, purpose: 'decoder' | 'encoder' = 'decoder'): Codec {
  const codec = codecs.find((candidate) => candidate.code === code)
  if (codec) return codec
  throw new FileNetworkError(`no ${purpose} registered for multicodec code ${code} (0x${code.toString(16)})`)
}

/**
 * Returns the codec that decodes a block.
 *
 * @throws {@link FileNetworkError} with the message of go-ipld-prime's link system
 */
export function decoderOf({ code }: { code: number }): Codec {
  try {
    return codecByCode(code)
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    throw new FileNetworkError(`could not choose a decoder: ${error.message}`)
  }
}

/** git-raw, a codec that Kubo decodes with a plugin and this node does not. */
export const GIT_RAW = 0x78

/**
 * Rejects a block that does not match its codec. Blocks of codecs that only Kubo decodes are accepted unchecked.
 *
 * @throws the codec's error; {@link FileNetworkError} if not even Kubo decodes the codec
 */
export async function checkBlockData(code: number, bytes: Uint8Array): Promise<void> {
  if (code === codecCode.raw || code === GIT_RAW) return
  await decodeInSlices(decoderOf({ code }), bytes)
}
