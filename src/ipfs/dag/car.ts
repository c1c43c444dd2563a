import { encode as encodeCbor } from '@ipld/dag-cbor'
import { varint } from 'multiformats'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { joinBytes } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import {
  UnregisteredHashError,
  digestInSlices,
  hashFunctionByCode,
  IDENTITY_CODE,
  isComputed,
  isWeak,
} from '../cid/cidFormat.js'
import { castCid } from '../cid/parseCid.js'
import { errorText } from '../../encoding/errorText.js'
import { EndOfDataError } from '../errors.js'
import { CarError, type CarHeader, decodeCarHeader } from './carHeader.js'
import type { VisitedBlock } from './links.js'

/** The largest accepted header of a CAR, in bytes: a hundred thousand roots. go-car allows eight times as much. */
const HEADER_LIMIT = 4 * 1024 * 1024
/** The largest accepted section of a CAR, in bytes (go-car). */
const SECTION_LIMIT = 8 * 1024 * 1024

/** An open CAR. */
export interface CarReader {
  roots: CID[]
  /** The blocks, each checked against its CID. */
  blocks: AsyncGenerator<{ cid: CID; bytes: Uint8Array }>
}

/**
 * Reads a CAR of version 1 or 2 from a stream (https://ipld.io/specs/transport/car/).
 *
 * @throws {@link CarError}, also from `blocks`
 */
export async function readCar(source: AsyncIterable<Uint8Array>): Promise<CarReader> {
  const input = new ByteInput(source)
  let header = await readHeader(input)
  if (header.version === 2) {
    if (await input.hasEnded()) throw new EndOfDataError()
    const { offset, size } = payloadOf(Buffer.from(await input.take(40)))
    input.limitTo(offset + size)
    await input.skip(offset - input.position)
    header = await readHeader(input)
    if (header.version !== 1) {
      throw new CarError(`invalid data payload header version; expected 1, got ${header.version}`)
    }
  }
  if (header.version !== 1) throw new CarError(`invalid car version: ${header.version}`)
  return { roots: header.roots, blocks: readBlocks(input) }
}

/** Bytes before the first possible payload of a CARv2: its pragma and header. */
const PAYLOAD_START = 51n

/** Returns where the CARv1 lies in a CARv2, from its header (go-car, `car.go`). */
function payloadOf(header: Buffer): { offset: number; size: number } {
  const [offset, size, index] = [16, 24, 32].map((at) => header.readBigUInt64LE(at)) as [
    bigint,
    bigint,
    bigint,
  ]
  const signed = (value: bigint): bigint => BigInt.asIntN(64, value)
  if (signed(offset) < PAYLOAD_START) throw new CarError(`invalid data payload offset: ${offset}`)
  if (signed(size) <= 0n) throw new CarError(`invalid data payload size: ${size}`)
  if (signed(index) < 0n) throw new CarError(`invalid index offset: ${index}`)
  return { offset: Number(offset), size: Number(size) }
}

/** @throws {@link EndOfDataError} if the input ends before the header; Kubo then ends the whole import */
async function readHeader(input: ByteInput): Promise<CarHeader> {
  const length = await input.takeVarint()
  if (length === undefined) throw new EndOfDataError()
  if (length === 0) throw new CarError('invalid header: EOF')
  if (length > HEADER_LIMIT)
    throw new CarError('invalid header data, length of read beyond allowable maximum')
  if (await input.hasEnded()) throw new EndOfDataError()
  const encoded = await input.take(length)
  return decodeCarHeader(encoded)
}

/** The longest accepted CID in bytes: identity digests have at most 128. A longer one would only bloat the error. */
const MAX_CID_LENGTH = 1024

/** Yields to other requests between blocks: thousands of small ones may be buffered. */
async function* readBlocks(input: ByteInput): CarReader['blocks'] {
  const slice = new TimeSlice()
  for (;;) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const length = await input.takeVarint()
    if (length === undefined) return
    if (length === 0) throw new CarError('invalid cid: varints malformed, could not reach the end')
    if (length > SECTION_LIMIT) {
      throw new CarError('invalid section data, length of read beyond allowable maximum')
    }
    // Kubo takes a length at the very end of the input for the end.
    if (await input.hasEnded()) return
    const section = await input.take(length)
    const [cid, bytes] = splitSection(section)
    if (cid.byteLength > MAX_CID_LENGTH)
      throw new CarError(`invalid cid: longer than ${MAX_CID_LENGTH} bytes`)
    const found = await cidOf(bytes, cid)
    if (!found.equals(cid)) {
      throw new CarError(`mismatch in content integrity, expected: ${cid}, got: ${found}`)
    }
    yield { cid, bytes }
  }
}

/**
 * Returns the CID of bytes, in the format of another CID. One with a weak hash function is trusted, because no block is
 * stored under it.
 *
 * @throws {@link CarError} with the message of go-multihash
 */
async function cidOf(bytes: Uint8Array, form: CID): Promise<CID> {
  const { code, digest } = form.multihash
  if (isWeak(code)) return form
  const hash = await hashFunctionByCode(code, digest.length)
  if (hash === undefined || !isComputed(hash)) throw new CarError(new UnregisteredHashError(code).message)
  const whole = await digestInSlices(hash, bytes)
  // Only identity digests are never truncated.
  if (code === IDENTITY_CODE) return CID.create(form.version, form.code, Digest.create(code, whole))
  if (whole.length < digest.length) {
    throw new CarError('invalid cid: requested length was too large for digest')
  }
  return CID.create(form.version, form.code, Digest.create(code, whole.subarray(0, digest.length)))
}

/** Splits a section into its CID and its data. @throws {@link CarError} with go-cid's message */
function splitSection(section: Uint8Array): [cid: CID, data: Uint8Array] {
  try {
    // A version is never written as 0, and CIDs of version 0 have digests of 32 bytes alone.
    const isVersion = section[0] === 0x12 ? section[1] === 0x20 : section[0] !== 0
    if (isVersion) return CID.decodeFirst(section)
  } catch {
    // go-cid says what is wrong.
  }
  if (section[0] === 0x12 && section[1] === 0x20 && section.length > 2) {
    throw new CarError('invalid cid: not enough bytes for cid v0')
  }
  try {
    castCid(section)
  } catch (error) {
    throw new CarError(errorText(error))
  }
  throw new CarError('invalid cid')
}

/** The longest varint in bytes: one of 63 bits. */
const MAX_VARINT_LENGTH = 9

/** A byte stream, read in pieces of known length. */
class ByteInput {
  position = 0
  #buffer: Buffer = Buffer.alloc(0)
  #end = Infinity
  readonly #source: AsyncIterator<Uint8Array>

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Ends the input at a position, whatever follows. */
  limitTo(end: number): void {
    this.#end = end
  }

  /** Whether the input has ended. */
  async hasEnded(): Promise<boolean> {
    return !(await this.#fill())
  }

  /** Reads exactly `length` bytes. */
  async take(length: number): Promise<Uint8Array> {
    const pieces: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (!(await this.#fill())) throw new CarError('unexpected EOF')
      const piece = this.#buffer.subarray(0, Math.min(missing, this.#end - this.position))
      this.#advance(piece.length)
      pieces.push(piece)
      missing -= piece.length
    }
    return joinBytes(pieces)
  }

  /** Skips bytes, or all that is left. */
  async skip(length: number): Promise<void> {
    for (let missing = length; missing > 0 && (await this.#fill());) {
      const step = Math.min(missing, this.#buffer.length)
      this.#advance(step)
      missing -= step
    }
  }

  /** Reads an unsigned LEB128 number, inexact from 2^53; undefined at the end of the input. */
  async takeVarint(): Promise<number | undefined> {
    let value = 0
    for (let index = 0; index < MAX_VARINT_LENGTH; index++) {
      if (!(await this.#fill())) {
        if (index === 0) return undefined
        throw new CarError('unexpected EOF')
      }
      const byte = this.#buffer[0] as number
      this.#advance(1)
      if (byte === 0 && index > 0) throw new CarError('varint not minimally encoded')
      value += (byte & 0x7f) * 2 ** (7 * index)
      if (byte < 0x80) return value
    }
    throw new CarError('varints larger than uint63 not supported')
  }

  #advance(length: number): void {
    this.#buffer = this.#buffer.subarray(length)
    this.position += length
  }

  /** Buffers at least one byte; false at the end of the input. */
  async #fill(): Promise<boolean> {
    if (this.position >= this.#end) return false
    while (this.#buffer.length === 0) {
      const next = await this.#source.next()
      if (next.done) return false
      this.#buffer = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
    }
    return true
  }
}

/** Encodes the header of a CARv1 with one root. */
export function encodeCarHeader(root: CID): Uint8Array {
  const header = encodeCbor({ version: 1, roots: [root] })
  return Buffer.concat([encodeVarint(header.length), header])
}

/** Longer blocks, in bytes, are not copied: one may have tens of megabytes. */
const MAX_COPIED_LENGTH = 1024 * 1024

/** Encodes a section of a CARv1, a block with its CID, in one piece or two. */
export function carSection(cid: CID, bytes: Uint8Array): Uint8Array[] {
  const head = [encodeVarint(cid.bytes.length + bytes.length), cid.bytes]
  return bytes.length > MAX_COPIED_LENGTH ? [Buffer.concat(head), bytes] : [Buffer.concat([...head, bytes])]
}

function encodeVarint(value: number): Uint8Array {
  return varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)))
}

/** Encodes the blocks of a DAG as a CARv1. */
export async function* exportCar(root: CID, blocks: AsyncIterable<VisitedBlock>): AsyncGenerator<Uint8Array> {
  yield encodeCarHeader(root)
  for await (const { cid, bytes } of blocks) yield* carSection(cid, bytes)
}
