import type * as dagPb from '@ipld/dag-pb'
import * as dagJose from 'dag-jose'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { TimeSlice, runInSlices, runToCompletion, type Steps } from '../../encoding/timeSlice.js'
import { codecCode } from '../cid/cidFormat.js'
import { codecTable } from '../cid/codecTable.js'
import { FileNetworkError } from '../errors.js'
import { LINKS_AT_ONCE, decodeDagPb, decodeDagPbInPieces, encodeDagPbInPieces } from './dagPbInPieces.js'
import { CborTokens } from './cborTokens.js'
import { decodeTokens } from './decodeInPieces.js'
import { cborForm, dagCborForm, dagJsonForm, encodeInPieces } from './encodeInPieces.js'
import { WholeFloat } from './float.js'
import { DagJsonTokens, JsonTokens } from './jsonTokens.js'
import { encodePrettyJson } from './prettyJson.js'

/** A codec of the IPLD data model. */
export interface Codec {
  name: string
  code: number
  decode(bytes: Uint8Array): unknown
  encode(value: unknown): Uint8Array
  /** The same in pieces, for data that may be large. */
  decodeInPieces?(bytes: Uint8Array): Steps<unknown>
  encodeInPieces?(value: unknown): Steps<Uint8Array>
}

/** The same memory as an array of bytes whose parts are arrays of bytes too: those of a Buffer are Buffers. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Codecs that are read and written in pieces, whole values too. */
function inPieces(codec: {
  name: string
  code: number
  decodeInPieces: (bytes: Uint8Array) => Steps<unknown>
  encodeInPieces: (value: unknown) => Steps<Uint8Array>
}): Codec {
  return {
    ...codec,
    decode: (bytes) => runToCompletion(codec.decodeInPieces(bytes)),
    encode: (value) => runToCompletion(codec.encodeInPieces(value)),
  }
}

const dagCborSteps = {
  decodeInPieces: (bytes: Uint8Array) => decodeTokens(new CborTokens(plain(bytes), { allowsLinks: true })),
  encodeInPieces: (value: unknown) => encodeInPieces(dagCborForm, value),
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
    decodeInPieces: decodeDagPbInPieces,
    encode: (value) => runToCompletion(encodeNode(value)),
    encodeInPieces: encodeNode,
  },
  inPieces({ ...dagCborSteps, name: 'dag-cbor', code: codecCode.dagCbor }),
  inPieces({
    name: 'dag-json',
    code: codecCode.dagJson,
    decodeInPieces: (bytes) => decodeTokens(new DagJsonTokens(bytes)),
    encodeInPieces: (value) => encodeInPieces(dagJsonForm, value),
  }),
  inPieces({
    name: 'cbor',
    code: codecCode.cbor,
    decodeInPieces: (bytes) => decodeTokens(new CborTokens(plain(bytes), { allowsLinks: false })),
    encodeInPieces: (value) => encodeInPieces(cborForm, value),
  }),
  inPieces({
    name: 'json',
    code: codecCode.json,
    decodeInPieces: (bytes) => decodeTokens(new JsonTokens(bytes)),
    encodeInPieces: encodePrettyJson,
  }),
  {
    name: 'dag-jose',
    code: codecCode.dagJose,
    decode: (bytes) => dagJose.decode(bytes),
    encode: encodeJose,
  },
]

/** Names of kinds of data, as go-ipld-prime says them. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (CID.asCID(value) !== null) return 'link'
  if (value instanceof Uint8Array) return 'bytes'
  if (Array.isArray(value)) return 'list'
  if (value instanceof WholeFloat) return 'float'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  if (typeof value === 'bigint') return 'int'
  return typeof value === 'string' ? 'string' : 'map'
}

function encodeJose(value: unknown): Uint8Array {
  try {
    return dagJose.encode(value as Parameters<typeof dagJose.encode>[0])
  } catch {
    throw new FileNetworkError('invalid JOSE object')
  }
}

function encodeRaw(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw notBytes(value)
}

function notBytes(value: unknown): FileNetworkError {
  const kind = kindOf(value)
  return new FileNetworkError(
    `func called on wrong kind: "AsBytes" called on a ${kind} node (kind: ${kind}), but only makes sense on bytes`,
  )
}

/** The codecs of blocks that can be read and written as data. */
export const codecs: readonly Codec[] = libraries.map(withinStack)

/** The same codec, with words for data that is nested so deeply that its library, which calls itself, runs out of stack. */
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

/** Data of more bytes is decoded in turns with other requests. */
export const LARGE_DATA = 64 * 1024

/** The data in bytes. Other requests have their turns while much is decoded. */
export async function decodeInTurns(codec: Codec, bytes: Uint8Array): Promise<unknown> {
  if (codec.decodeInPieces === undefined || bytes.length <= LARGE_DATA) return codec.decode(bytes)
  return inTurns(codec, codec.decodeInPieces(bytes))
}

/** The bytes of data. Other requests have their turns while much is encoded. */
export async function encodeInTurns(codec: Codec, value: unknown): Promise<Uint8Array> {
  return codec.encodeInPieces === undefined
    ? codec.encode(value)
    : inTurns(codec, codec.encodeInPieces(value))
}

async function inTurns<T>(codec: Codec, pieces: Steps<T>): Promise<T> {
  try {
    return await runInSlices(pieces, new TimeSlice())
  } catch (error) {
    throw isOutOfStack(error) ? tooDeep(codec) : error
  }
}

/** Encodes data that has the form of a dag-pb node; the texts are those of go-codec-dagpb. */
function* encodeNode(value: unknown): Steps<Uint8Array> {
  if (kindOf(value) !== 'map') throw notAssignable('PBNode', value, 'map')
  const { Data, Links, ...others } = value as { Data?: unknown; Links?: unknown }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new FileNetworkError(`invalid key for map dagpb.PBNode: ${JSON.stringify(unknown)}: no such field`)
  }
  if (Data === null) throw notAssignable('Bytes', Data, 'bytes')
  if (Data !== undefined && !(Data instanceof Uint8Array)) throw notBytes(Data)
  if (Links === undefined) throw new FileNetworkError('missing required fields: Links')
  if (!Array.isArray(Links)) throw notAssignable('PBLinks', Links, 'list')
  for (const [index, link] of (Links as unknown[]).entries()) {
    if (index % LINKS_AT_ONCE === 0) yield
    if (kindOf(link) !== 'map') throw notAssignable('PBLink', link, 'map')
    checkFields(link as Readonly<Record<string, unknown>>)
    if (!Object.hasOwn(link as object, 'Hash')) throw new FileNetworkError('missing required fields: Hash')
  }
  return yield* encodeDagPbInPieces(value as dagPb.PBNode)
}

/** The fields of a link, each with the type that go-codec-dagpb has for it and with the kind of its values. */
const linkFields = [
  ['Hash', 'Link', 'link'],
  ['Name', 'String', 'string'],
  ['Tsize', 'Int', 'int'],
] as const

/** Refuses null in a field of a link. */
function checkFields(link: Readonly<Record<string, unknown>>): void {
  for (const [field, type, kind] of linkFields) {
    if (link[field] === null) throw notAssignable(type, null, kind)
  }
}

function notAssignable(type: string, value: unknown, kind: string): FileNetworkError {
  if (value === null) {
    return new FileNetworkError(
      `func called on wrong kind: "AssignNull" called on a dagpb.${type} node (kind: ${kind}), but only makes sense on null`,
    )
  }
  return new FileNetworkError(
    `func called on wrong kind: "AssignNode" called on a dagpb.${type} node (kind: ${kindOf(value)}), ` +
      `but only makes sense on ${kind}`,
  )
}

/** The code of a codec by its name in the multicodec table, or by a number. */
export function codecCodeByName(name: string): number {
  const code = codecTable.get(name)
  if (code !== undefined) return code
  if (/^(0x[0-9a-f]+|\d+)$/i.test(name)) return Number(name)
  throw new FileNetworkError(`unknown multicodec: ${JSON.stringify(name)}`)
}

/** The name of a codec; undefined for a code that is not known here. */
export function codecName(code: number): string | undefined {
  return [...codecTable].find(([, known]) => known === code)?.[0]
}

/**
 * The codec with a code.
 *
 * @param purpose - what it is for; the text of a refusal says so
 * @throws {@link FileNetworkError} when data of that codec cannot be read
 */
export function codecByCode(code: number, purpose: 'decoder' | 'encoder' = 'decoder'): Codec {
  const codec = codecs.find((candidate) => candidate.code === code)
  if (codec) return codec
  throw new FileNetworkError(`no ${purpose} registered for multicodec code ${code} (0x${code.toString(16)})`)
}

/**
 * The codec that a block is read with.
 *
 * @throws {@link FileNetworkError} with the text of go-ipld-prime's link system
 */
export function decoderOf({ code }: { code: number }): Codec {
  try {
    return codecByCode(code)
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    throw new FileNetworkError(`could not choose a decoder: ${error.message}`)
  }
}

/** A codec that Kubo reads with a plugin, and that is not read here: git-raw. */
const gitRaw = 0x78

/**
 * Refuses a block that is not what its codec says. Blocks of codecs that only Kubo reads are taken as they are.
 *
 * @throws what the codec says; {@link FileNetworkError} when nobody reads data of that codec
 */
export async function checkBlockData(code: number, bytes: Uint8Array): Promise<void> {
  if (code === codecCode.raw || code === gitRaw) return
  await decodeInTurns(decoderOf({ code }), bytes)
}
