import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { type Chunk, allocate } from './chunker.js'

/**
 * The UnixFS `Data` message (https://specs.ipfs.tech/unixfs/), read and written field by field in the
 * order of its field numbers, as Kubo writes it: a mode that was given is kept, also the usual one.
 */
export const unixfsType = {
  raw: 0,
  directory: 1,
  file: 2,
  metadata: 3,
  symlink: 4,
  hamtShard: 5,
} as const

/** The type field of a `Data` message. */
export type UnixfsType = (typeof unixfsType)[keyof typeof unixfsType]

/** A point in time: seconds since 1970, possibly negative, and the nanoseconds within the second. */
export interface UnixfsTime {
  seconds: bigint
  nanoseconds: number
}

/** The time of the clock, to the millisecond. */
export function unixfsTimeNow(): UnixfsTime {
  const now = Date.now()
  return { seconds: BigInt(Math.floor(now / 1000)), nanoseconds: (now % 1000) * 1_000_000 }
}

/** What may be said of a file beside its content. */
export interface UnixfsMetadata {
  /** The lower 12 bits of a POSIX mode. */
  mode?: number | undefined
  modified?: UnixfsTime | undefined
}

/** A decoded `Data` message. */
export interface UnixfsData extends UnixfsMetadata {
  type: UnixfsType
  /** Absent and empty are not the same block. */
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
  const { head, data, tail } = encodeParts(message)
  return concatenate([encodeNodePrefix(head.length + data.length + tail.length), head, data, tail])
}

/** Encodes a leaf, a dag-pb node without links, around the content of a chunk; the block is the chunk's memory. */
export function encodeLeaf(chunk: Chunk, type: UnixfsType, { mode, modified }: UnixfsMetadata): Uint8Array {
  const { content } = chunk
  const fileSize = content.length
  const message = { type, data: fileSize > 0 ? content : undefined, fileSize, blockSizes: [], mode, modified }
  const { head, data, tail } = encodeParts(message)
  const prefix = encodeNodePrefix(head.length + data.length + tail.length)
  return chunk.wrap(concatenate([prefix, head]), tail)
}

/** What stands before a `Data` message of a length in a dag-pb node without links. */
function encodeNodePrefix(messageLength: number): Uint8Array {
  const prefix = new FieldWriter(12)
  prefix.bytesHeader(1, messageLength)
  return prefix.take()
}

/** The message in three: the fields before the content, the content itself, and the fields behind it. */
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
  if (message.modified) {
    const time = encodeTime(message.modified)
    tail.bytesHeader(8, time.length)
    tail.append(time)
  }
  return { head: head.take(), data, tail: tail.take() }
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

/** Fields of a protobuf message, written one behind the other. */
class FieldWriter {
  private readonly bytes: Buffer
  private position = 0

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity)
  }

  varintField(number: number, value: number | bigint | undefined): void {
    if (value === undefined) return
    this.bytes[this.position++] = (number << 3) | wire.varint
    this.varint(value)
  }

  fixed32Field(number: number, value: number): void {
    this.bytes[this.position++] = (number << 3) | wire.fixed32
    this.position = this.bytes.writeUInt32LE(value, this.position)
  }

  /** What stands before a field of bytes of a length. */
  bytesHeader(number: number, length: number): void {
    this.bytes[this.position++] = (number << 3) | wire.bytes
    this.varint(length)
  }

  append(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.position)
    this.position += bytes.length
  }

  take(): Uint8Array {
    return this.bytes.subarray(0, this.position)
  }

  private varint(value: number | bigint): void {
    if (typeof value === 'bigint') {
      let rest = BigInt.asUintN(64, value)
      for (; rest >= 0x80n; rest >>= 7n) this.bytes[this.position++] = Number(rest & 0x7fn) | 0x80
      this.bytes[this.position++] = Number(rest)
      return
    }
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.position++] = (rest % 0x80) | 0x80
    this.bytes[this.position++] = rest
  }
}

/** Decodes a `Data` message; `data` shares the memory of the input. Throws on anything malformed. */
export function decodeUnixfs(bytes: Uint8Array): UnixfsData {
  return runToCompletion(decodeUnixfsInPieces(bytes))
}

/** Fields that are decoded at once. */
const FIELDS_AT_ONCE = 1024

/** The same in pieces: a block holds up to a million sizes. */
export function* decodeUnixfsInPieces(bytes: Uint8Array): Steps<UnixfsData> {
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
    else if (field.number === 8) message.modified = decodeTime(field.bytes)
  }
  if (!hasType) throw new FileNetworkError('proto: required field ipfs.boxo.ipld.unixfs.pb.Data.Type not set')
  return message
}

function decodeTime(bytes: Uint8Array): UnixfsTime {
  const time: UnixfsTime = { seconds: 0n, nanoseconds: 0 }
  for (const field of wellFormed(readFields(bytes))) {
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

/** @throws {@link FileNetworkError} with the text of Go's protocol buffers for what are no fields */
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

/** A mode in octal with a leading zero, at least four digits, such as `0644`. */
export function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

/** Go's bits of a file mode for setuid, setgid and the sticky bit, and what UnixFS stores for them. */
const specialBits = [
  [0x800000, 0o4000],
  [0x400000, 0o2000],
  [0x100000, 0o1000],
] as const

/**
 * The permissions that are stored for a mode as Go has it (boxo, `files.ModePermsToUnixPerms`); undefined where there is
 * none. The bits that Unix has for setuid, setgid and sticky are no part of Go's permissions, and get lost.
 */
export function permissionsOf(mode: number): number | undefined {
  if (mode === 0) return undefined
  return specialBits.reduce((bits, [go, unix]) => ((mode & go) === 0 ? bits : bits | unix), mode & 0o777)
}

/** Go's bits for what is no regular file. */
const typeBits = { file: 0, directory: 2 ** 31, symlink: 2 ** 27 } as const

/** A stored mode as Go writes the mode of a file, a directory or a symlink: the inverse of {@link permissionsOf}. */
export function goMode(mode: number, type: keyof typeof typeBits): number {
  const special = specialBits.reduce((bits, [go, unix]) => ((mode & unix) === 0 ? bits : bits + go), 0)
  return typeBits[type] + special + (mode & 0o777)
}

/** Letters for what Go's mode has above the permissions, in its order (Go, `fs.FileMode.String`). */
const modeLetters = 'dalTLDpSugct?'

/** A mode of Go in letters, such as `drwxr-xr-x`. */
export function modeString(mode: number): string {
  const bits = mode.toString(2).padStart(32, '0')
  const types = [...modeLetters].filter((_, index) => bits[index] === '1').join('')
  const permissions = [...'rwxrwxrwx'].map((letter, index) => (bits[23 + index] === '1' ? letter : '-'))
  return (types === '' ? '-' : types) + permissions.join('')
}
