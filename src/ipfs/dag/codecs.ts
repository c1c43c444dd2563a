import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { type DecodeOptions, Tokenizer } from 'cborg'
import { CID } from 'multiformats/cid'
import * as json from 'multiformats/codecs/json'
import * as raw from 'multiformats/codecs/raw'
import { parseJsonInSlices } from '../../encoding/slicedJson.js'
import { TimeSlice, runInSlices, type Steps } from '../../encoding/timeSlice.js'
import { codecCode } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import { DagJsonTokenizer, decodeTokens } from './decodeInPieces.js'
import { dagCborForm, dagJsonForm, encodeInPieces, jsonForm } from './encodeInPieces.js'

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

/** What the library leaves to its caller is as it is for `decode`. */
const cborOptions: DecodeOptions = { ...dagCbor.decodeOptions, allowUndefined: true }

/** The link behind the tag of links, whose bytes have a zero before them. */
function linkOfBytes(content: unknown): CID {
  const bytes = content as Uint8Array
  if (bytes[0] !== 0) throw new Error('Invalid CID for CBOR tag 42; expected leading 0x00')
  return CID.decode(bytes.subarray(1))
}

/** The same memory as an array of bytes whose parts are arrays of bytes too: those of a Buffer are Buffers. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

const dagCborCodec = {
  decode: dagCbor.decode,
  encode: dagCbor.encode,
  decodeInPieces: (bytes: Uint8Array) =>
    decodeTokens(new Tokenizer(plain(bytes), cborOptions), bytes.length, linkOfBytes),
  encodeInPieces: (value: unknown) => encodeInPieces(dagCborForm, value),
}

const libraries: readonly Codec[] = [
  {
    name: 'raw',
    code: codecCode.raw,
    decode: raw.decode,
    encode: (value) => raw.encode(value as Uint8Array),
  },
  { name: 'dag-pb', code: codecCode.dagPb, decode: dagPb.decode, encode: encodeDagPb },
  { ...dagCborCodec, name: 'dag-cbor', code: codecCode.dagCbor },
  {
    name: 'dag-json',
    code: codecCode.dagJson,
    decode: dagJson.decode,
    encode: dagJson.encode,
    decodeInPieces: (bytes) =>
      decodeTokens(new DagJsonTokenizer(bytes), bytes.length, (text) => CID.parse(text as string)),
    encodeInPieces: (value) => encodeInPieces(dagJsonForm, value),
  },
  { ...dagCborCodec, name: 'cbor', code: codecCode.cbor },
  {
    name: 'json',
    code: codecCode.json,
    decode: json.decode,
    encode: json.encode,
    decodeInPieces: (bytes) => parseJsonInSlices(new TextDecoder().decode(bytes)),
    encodeInPieces: (value) => encodeInPieces(jsonForm, value),
  },
]

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
function encodeDagPb(value: unknown): Uint8Array {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array) {
    throw new FileNetworkError('func called on wrong kind: dag-pb data is a map')
  }
  const unknown = Object.keys(value).find((key) => key !== 'Data' && key !== 'Links')
  if (unknown !== undefined) {
    throw new FileNetworkError(`invalid key for map dagpb.PBNode: ${JSON.stringify(unknown)}: no such field`)
  }
  if (!Array.isArray((value as { Links?: unknown }).Links)) {
    throw new FileNetworkError('missing required fields: Links')
  }
  return dagPb.encode(dagPb.prepare(value as Parameters<typeof dagPb.prepare>[0]))
}

/** Names of the multicodec table for codecs that blocks may be labelled with but not read as data. */
const labels = new Map<string, number>([
  ['libp2p-key', codecCode.libp2pKey],
  ['git-raw', 0x78],
  ['eth-block', 0x90],
  ['eth-tx', 0x93],
  ['bitcoin-block', 0xb0],
  ['zcash-block', 0xc0],
  ['dag-jose', 0x85],
  ['dag-cose', 0x86],
])

/** The code of a codec by its name in the multicodec table, or by a number. */
export function codecCodeByName(name: string): number {
  const code = codecs.find((codec) => codec.name === name)?.code ?? labels.get(name)
  if (code !== undefined) return code
  if (/^(0x[0-9a-f]+|\d+)$/i.test(name)) return Number(name)
  throw new FileNetworkError(`unknown multicodec: ${JSON.stringify(name)}`)
}

/** The name of a codec; undefined for a code that is not known here. */
export function codecName(code: number): string | undefined {
  return (
    codecs.find((codec) => codec.code === code)?.name ?? [...labels].find(([, label]) => label === code)?.[0]
  )
}

/**
 * The codec with a code.
 *
 * @throws {@link FileNetworkError} when data of that codec cannot be read
 */
export function codecByCode(code: number): Codec {
  const codec = codecs.find((candidate) => candidate.code === code)
  if (codec) return codec
  throw new FileNetworkError(`no decoder registered for multicodec code ${code} (0x${code.toString(16)})`)
}

/** Codecs that Kubo reads with plugins of its own, and that are not read here: git-raw and dag-jose. */
const readByPlugins: ReadonlySet<number> = new Set([0x78, 0x85])

/**
 * Refuses a block that is not what its codec says. Blocks of codecs that only Kubo reads are taken as they are.
 *
 * @throws what the codec says; {@link FileNetworkError} when nobody reads data of that codec
 */
export async function checkBlockData(code: number, bytes: Uint8Array): Promise<void> {
  if (code === codecCode.raw || readByPlugins.has(code)) return
  await decodeInTurns(codecByCode(code), bytes)
}
