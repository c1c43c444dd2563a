import type { Steps } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { type Chunk, allocate } from './chunker.js'

/**
 * Types of the UnixFS `Data` message (https://specs.ipfs.tech/unixfs/). Fields are written in the order of their
 * numbers, as in Kubo, and an explicit mode is kept even if it is the default.
 */
export const unixfsType = {
  raw: 0,
  directory: 1,
  file: 2,
  metadata: 3,
  symlink: 4,
  hamtShard: 5,
} as const

/** The `Type` field of a `Data` message. */
export type UnixfsType = (typeof unixfsType)[keyof typeof unixfsType]

/** A point in time: seconds since 1970 (may be negative), and nanoseconds within the second. */
export interface UnixfsTime {
  seconds: bigint
  nanoseconds: number
}

/** Returns the current time, with millisecond resolution. */
export function unixfsTimeNow(): UnixfsTime {
  const now = Date.now()
  return { seconds: BigInt(Math.floor(now / 1000)), nanoseconds: (now % 1000) * 1_000_000 }
}

/** Optional metadata of a file, directory or symlink. */
export interface UnixfsMetadata {
  /** The lower 12 bits of a POSIX mode. */
  mode?: number | undefined
  modified?: UnixfsTime | undefined
}

/** A decoded `Data` message. */
export interface UnixfsData extends UnixfsMetadata {
  type: UnixfsType
  /** Absent and empty data encode to different blocks. */
  data?: Uint8Array | undefined
  fileSize?: number | undefined
  blockSizes: number[]
  hashType?: number | undefined
  fanout?: number | undefined
}

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/** Encodes a `Data` message. */
export function encodeUnixfs(message: UnixfsData): Uint8Array {
  const { head, data, tail } = encodeParts(message)
  return concatenate([head, data, tail])
}

/** Encodes a `Data` message as a dag-pb node without links. */
export function encodeLinklessNode(message: UnixfsData): Uint8Array {
  return concatenate(linklessNodeParts(message))
}

/** Returns the parts of {@link encodeLinklessNode}, which need not be copied in one step. */
export function linklessNodeParts(message: UnixfsData): Uint8Array[] {
  const { head, data, tail } = encodeParts(message)
  return [encodeNodePrefix(head.length + data.length + tail.length), head, data, tail]
}

/** Encodes a leaf (a dag-pb node without links) around a chunk's content, in the chunk's memory. */
export function encodeLeaf(chunk: Chunk, type: UnixfsType, { mode, modified }: UnixfsMetadata): Uint8Array {
  const { content } = chunk
  const fileSize = content.length
  const message = { type, data: fileSize > 0 ? content : undefined, fileSize, blockSizes: [], mode, modified }
  const { head, data, tail } = encodeParts(message)
  const prefix = encodeNodePrefix(head.length + data.length + tail.length)
  return chunk.wrap(concatenate([prefix, head]), tail)
}

/** Encodes the dag-pb prefix of a node without links whose `Data` has the given length. */
function encodeNodePrefix(messageLength: number): Uint8Array {
  const prefix = new FieldWriter(12)
  prefix.bytesHeader(1, messageLength)
  return prefix.take()
}

/** Encodes a message in three parts: the fields before the content, the content, and the fields after it. */
function encodeParts(message: UnixfsData): { head: Uint8Array; data: Uint8Array; tail: Uint8Array } {
  const data = message.data ?? new Uint8Array()
  const head = new FieldWriter(16)
  head.varintField(1, message.type)
  if (message.data) head.bytesHeader(2, data.length)

  const tail = new FieldWriter(message.blockSizes.length * 11 + 96)
  tail.varintField(3, message.fileSize)
  for (const size of message.blockSizes) tail.varintField(4, size)
  tail.varintField(5, message.hashType)
  tail.varintField(6, message.fanout)
  if (message.mode) tail.varintField(7, message.mode & 0xfff)
  if (message.modified && !isGoZeroTime(message.modified)) {
    const time = encodeTime(message.modified)
    tail.bytesHeader(8, time.length)
    tail.append(time)
  }
  return { head: head.take(), data, tail: tail.take() }
}

/** Whether a time is the beginning of the year 1: Go's zero time, which stands for none. */
export function isGoZeroTime({ seconds, nanoseconds }: UnixfsTime): boolean {
  return seconds === -62_135_596_800n && nanoseconds === 0
}

function encodeTime({ seconds, nanoseconds }: UnixfsTime): Uint8Array {
  const time = new FieldWriter(20)
  time.varintField(1, seconds)
  if (nanoseconds > 0) time.fixed32Field(2, nanoseconds)
  return time.take()
}

function concatenate(parts: Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = allocate(length)
  let position = 0
  for (const part of parts) {
    bytes.set(part, position)
    position += part.length
  }
  return bytes
}

/** Writes the fields of a protobuf message in sequence. */
export class FieldWriter {
  readonly #bytes: Buffer
  #position = 0

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity)
  }

  varintField(number: number, value: number | bigint | undefined): void {
    if (value === undefined) return
    this.#bytes[this.#position++] = (number << 3) | wire.varint
    this.#varint(value)
  }

  fixed32Field(number: number, value: number): void {
    this.#bytes[this.#position++] = (number << 3) | wire.fixed32
    this.#position = this.#bytes.writeUInt32LE(value, this.#position)
  }

  /** Writes the tag and length of a bytes field. */
  bytesHeader(number: number, length: number): void {
    this.#bytes[this.#position++] = (number << 3) | wire.bytes
    this.#varint(length)
  }

  append(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#position)
    this.#position += bytes.length
  }

  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#position)
  }

  #varint(value: number | bigint): void {
    if (typeof value === 'bigint') {
      let rest = BigInt.asUintN(64, value)
      for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#position++] = Number(rest & 0x7fn) | 0x80
      this.#bytes[this.#position++] = Number(rest)
      return
    }
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#position++] = (rest % 0x80) | 0x80
    this.#bytes[this.#position++] = rest
  }
}

/** Fields decoded between two yields. */
const FIELDS_AT_ONCE = 1024

/**
 * Decodes a `Data` message, incrementally: a block holds up to a million sizes. `data` shares the input's memory.
 * Throws if the message is malformed.
 */
export function* decodeUnixfsInSteps(bytes: Uint8Array): Steps<UnixfsData> {
  const message: UnixfsData = { type: unixfsType.raw, blockSizes: [] }
  let hasType = false
  let fields = 0
  for (const field of wellFormed(readFields(bytes))) {
    if (++fields % FIELDS_AT_ONCE === 0) yield
    if (field.number === 1) {
      message.type = toType(field.value)
      hasType = true
    } else if (field.number === 2) message.data = field.bytes
    else if (field.number === 3) message.fileSize = toSize(field.value)
    else if (field.number === 4) message.blockSizes.push(toSize(field.value))
    else if (field.number === 5) message.hashType = Number(field.value)
    else if (field.number === 6) message.fanout = toSize(field.value)
    else if (field.number === 7) message.mode = Number(field.value & 0xfffn)
    else if (field.number === 8) message.modified = yield* decodeTime(field.bytes)
  }
  if (!hasType) throw new FileNetworkError('proto: required field ipfs.boxo.ipld.unixfs.pb.Data.Type not set')
  return message
}

function* decodeTime(bytes: Uint8Array): Steps<UnixfsTime> {
  const time: UnixfsTime = { seconds: 0n, nanoseconds: 0 }
  let fields = 0
  for (const field of wellFormed(readFields(bytes))) {
    if (fields++ % FIELDS_AT_ONCE === 0) yield
    if (field.number === 1) time.seconds = BigInt.asIntN(64, field.value)
    else if (field.number === 2) time.nanoseconds = Number(field.value)
  }
  return time
}

function toType(value: bigint): UnixfsType {
  const type = Object.values(unixfsType).find((known) => BigInt(known) === value)
  if (type === undefined) throw new FileNetworkError('unrecognized node type')
  return type
}

function toSize(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new FileNetworkError('a UnixFS size is out of range')
  return Number(value)
}

/** @throws {@link FileNetworkError} with the message of Go's protobuf for malformed fields */
function* wellFormed(fields: Iterable<Field>): Generator<Field> {
  const iterator = fields[Symbol.iterator]()
  for (;;) {
    let result: IteratorResult<Field>
    try {
      result = iterator.next()
    } catch (error) {
      throw new FileNetworkError('proto: cannot parse invalid wire-format data', { cause: error })
    }
    if (result.done) return
    yield result.value
  }
}

interface Field {
  number: number
  value: bigint
  bytes: Uint8Array
}

function* readFields(bytes: Uint8Array): Generator<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let position = 0

  function varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = view.getUint8(position++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new Error('proto: varint too long')
  }
  function take(length: number): Uint8Array {
    if (position + length > bytes.length) throw new Error('unexpected EOF')
    position += length
    return bytes.subarray(position - length, position)
  }

  while (position < bytes.length) {
    const tag = Number(varint())
    const field: Field = { number: tag >>> 3, value: 0n, bytes: new Uint8Array() }
    if (field.number === 0) throw new Error('proto: invalid field number')
    const type = tag & 7
    if (type === wire.varint) field.value = varint()
    else if (type === wire.bytes) field.bytes = take(Number(varint()))
    else if (type === wire.fixed32) {
      field.value = BigInt(view.getUint32(position, true))
      take(4)
    } else if (type === wire.fixed64) take(8)
    else throw new Error(`proto: wire type ${type} is not supported`)
    yield field
  }
}

/** Formats a mode in octal with a leading zero, at least four digits, such as `0644`. */
export function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

/** Bits for setuid, setgid and sticky in Go's file mode, with their UnixFS equivalents. */
const specialBits = [
  [0x800000, 0o4000],
  [0x400000, 0o2000],
  [0x100000, 0o1000],
] as const

/**
 * Converts Go's file mode to the stored permissions (boxo, `files.ModePermsToUnixPerms`); undefined for 0. Drops Unix's
 * own setuid, setgid and sticky bits, which are not permissions in Go.
 */
export function permissionsOf(mode: number): number | undefined {
  if (mode === 0) return undefined
  return specialBits.reduce((bits, [go, unix]) => ((mode & go) === 0 ? bits : bits | unix), mode & 0o777)
}

/** Go's mode bits for the type of a file. */
const typeBits = { file: 0, directory: 2 ** 31, symlink: 2 ** 27 } as const

/** Converts a stored mode to Go's file mode: the inverse of {@link permissionsOf}. */
export function goMode(mode: number, type: keyof typeof typeBits): number {
  const special = specialBits.reduce((bits, [go, unix]) => ((mode & unix) === 0 ? bits : bits + go), 0)
  return typeBits[type] + special + (mode & 0o777)
}

/** Letters for the mode bits above the permissions, highest bit first (Go, `fs.FileMode.String`). */
const modeLetters = 'dalTLDpSugct?'

/** Formats Go's file mode, such as `drwxr-xr-x`. */
export function modeString(mode: number): string {
  const bits = mode.toString(2).padStart(32, '0')
  const types = [...modeLetters].filter((_, index) => bits[index] === '1').join('')
  const permissions = [...'rwxrwxrwx'].map((letter, index) => (bits[23 + index] === '1' ? letter : '-'))
  return (types === '' ? '-' : types) + permissions.join('')
}
