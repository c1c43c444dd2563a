import { encode as encodeCbor } from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { codecCode, digestInTurns, hashFunctionByCode, identityCode } from '../cid/cidFormat.js'
import { EndOfDataError, FileNetworkError, errorText } from '../errors.js'
import { codecByCode, decodeInTurns } from './codecs.js'
import type { VisitedBlock } from './links.js'

/** The largest accepted header of a CAR, in bytes: a hundred thousand roots. go-car allows eight times as much. */
const headerLimit = 4 * 1024 * 1024
/** The largest accepted section of a CAR, in bytes (go-car). */
const sectionLimit = 8 * 1024 * 1024

/** A malformed or truncated CAR, or one with a block that does not match its CID. */
export class CarError extends FileNetworkError {}

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
    const fields = Buffer.from(await input.take(40))
    const dataOffset = Number(fields.readBigUInt64LE(16))
    input.limitTo(dataOffset + Number(fields.readBigUInt64LE(24)))
    await input.skip(dataOffset - input.position)
    header = await readHeader(input)
  }
  if (header.version !== 1) throw new CarError(`invalid car version: ${header.version}`)
  return { roots: header.roots, blocks: readBlocks(input) }
}

/** @throws {@link EndOfDataError} if the input ends before the header; Kubo then ends the whole import */
async function readHeader(input: ByteInput): Promise<{ version: number; roots: CID[] }> {
  const length = await input.takeVarint()
  if (length === undefined) throw new EndOfDataError()
  if (length === 0) throw new CarError('invalid header: EOF')
  if (length > headerLimit) throw new CarError('invalid header data, length of read beyond allowable maximum')
  if (await input.hasEnded()) throw new EndOfDataError()
  const encoded = await input.take(length)
  const header = await decodeInTurns(codecByCode(codecCode.dagCbor), encoded).catch((error: unknown) => {
    throw new CarError(`invalid header: ${errorText(error)}`)
  })
  if (typeof header !== 'object' || header === null) throw new CarError('invalid header')
  const { version, roots = [] } = header as { version?: unknown; roots?: unknown }
  if (typeof version !== 'number' || !Array.isArray(roots)) throw new CarError('invalid header')
  const slice = new TimeSlice()
  const cids: CID[] = []
  for (const root of roots as unknown[]) {
    const cid = CID.asCID(root)
    if (cid === null) throw new CarError('invalid header: a root is no CID')
    cids.push(cid)
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return { version, roots: cids }
}

/** The longest accepted CID in bytes: identity digests have at most 128. A longer one would only bloat the error. */
const longestCid = 1024

/** Yields to other requests between blocks: thousands of small ones may be buffered. */
async function* readBlocks(input: ByteInput): CarReader['blocks'] {
  const slice = new TimeSlice()
  for (;;) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const length = await input.takeVarint()
    if (length === undefined) return
    if (length === 0) throw new CarError('invalid cid: varints malformed, could not reach the end')
    if (length > sectionLimit) {
      throw new CarError('invalid section data, length of read beyond allowable maximum')
    }
    // Kubo takes a length at the very end of the input for the end.
    if (await input.hasEnded()) return
    const section = await input.take(length)
    const [cid, bytes] = attempt('invalid section', () => CID.decodeFirst(section))
    if (cid.byteLength > longestCid) throw new CarError(`invalid cid: longer than ${longestCid} bytes`)
    const found = await cidOf(bytes, cid)
    if (!found.equals(cid)) {
      throw new CarError(`mismatch in content integrity, expected: ${cid}, got: ${found}`)
    }
    yield { cid, bytes: Uint8Array.from(bytes) }
  }
}

/** Returns the CID of bytes, in the format of another CID. */
async function cidOf(bytes: Uint8Array, form: CID): Promise<CID> {
  const { code, digest } = form.multihash
  const hash = await hashFunctionByCode(code, digest.length)
  if (hash === undefined) throw new CarError(`cannot check ${form}: unknown multihash`)
  const whole = await digestInTurns(hash, bytes)
  // Only the bytes themselves are never cut.
  const found = code === identityCode ? whole : whole.subarray(0, digest.length)
  return CID.create(form.version, form.code, Digest.create(code, found))
}

function attempt<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const [, version] = /^Invalid CID version (\d+)$/.exec(errorText(error)) ?? []
    if (version !== undefined) {
      throw new CarError(`invalid cid: expected 1 as the cid version number, got: ${version}`)
    }
    throw new CarError(`${what}: ${errorText(error)}`)
  }
}

/** A byte stream, read in pieces of known length. */
class ByteInput {
  position = 0
  private buffer: Buffer = Buffer.alloc(0)
  private end = Infinity
  private readonly source: AsyncIterator<Uint8Array>

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]()
  }

  /** Ends the input at a position, whatever follows. */
  limitTo(end: number): void {
    this.end = end
  }

  /** Whether the input has ended. */
  async hasEnded(): Promise<boolean> {
    return !(await this.fill())
  }

  /** Reads exactly `length` bytes. */
  async take(length: number): Promise<Uint8Array> {
    const pieces: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (!(await this.fill())) throw new CarError('unexpected EOF')
      const piece = this.buffer.subarray(0, missing)
      this.advance(piece.length)
      pieces.push(piece)
      missing -= piece.length
    }
    return Uint8Array.from(Buffer.concat(pieces))
  }

  async skip(length: number): Promise<void> {
    for (let missing = length; missing > 0;) {
      if (!(await this.fill())) throw new CarError('unexpected EOF')
      const step = Math.min(missing, this.buffer.length)
      this.advance(step)
      missing -= step
    }
  }

  /** Reads an unsigned LEB128 number; undefined at the end of the input. */
  async takeVarint(): Promise<number | undefined> {
    let value = 0
    for (let index = 0; index < 8; index++) {
      if (!(await this.fill())) {
        if (index === 0) return undefined
        throw new CarError('unexpected EOF')
      }
      const byte = this.buffer[0] as number
      this.advance(1)
      value += (byte & 0x7f) * 2 ** (7 * index)
      if (byte < 0x80) return value
    }
    throw new CarError('varint is too long')
  }

  private advance(length: number): void {
    this.buffer = this.buffer.subarray(length)
    this.position += length
  }

  /** Buffers at least one byte; false at the end of the input. */
  private async fill(): Promise<boolean> {
    if (this.position >= this.end) return false
    while (this.buffer.length === 0) {
      const next = await this.source.next()
      if (next.done) return false
      this.buffer = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
    }
    return true
  }
}

/** Encodes the header of a CARv1 with one root. */
export function encodeCarHeader(root: CID): Uint8Array {
  const header = encodeCbor({ version: 1, roots: [root] })
  return Buffer.concat([encodeVarint(header.length), header])
}

/** Encodes a section of a CARv1: a block with its CID. */
export function encodeCarSection(cid: CID, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([encodeVarint(cid.bytes.length + bytes.length), cid.bytes, bytes])
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/** Encodes the blocks of a DAG as a CARv1. */
export async function* exportCar(root: CID, blocks: AsyncIterable<VisitedBlock>): AsyncGenerator<Uint8Array> {
  yield encodeCarHeader(root)
  for await (const { cid, bytes } of blocks) yield encodeCarSection(cid, bytes)
}
