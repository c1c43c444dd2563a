import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { bytesOfText } from '../../encoding/byteText.js'
import { codecCode } from './cidFormat.js'
import { decodeMultibase } from './multibase.js'

/** Bytes that are not a CID, with go-cid's message. */
class CastError extends Error {}

/**
 * Decodes a CID of version 0 or 1, with nothing after it (go-cid, `cid.go`).
 *
 * @throws {@link CastError}
 */
export function castCid(bytes: Uint8Array): CID {
  if (bytes.length === 34 && bytes[0] === 0x12 && bytes[1] === 0x20) return CID.decode(bytes)
  const reader = new VarintReader(bytes)
  const version = reader.read()
  if (version !== 1n)
    throw new CastError(`invalid cid: expected 1 as the cid version number, got: ${version}`)
  const codec = reader.read()
  if (reader.left < 2) throw new CastError('invalid cid: multihash too short. must be >= 2 bytes')
  reader.read()
  const length = reader.read()
  if (length > BigInt(reader.left)) {
    throw new CastError('invalid cid: length greater than remaining number of bytes in buffer')
  }
  if (length < BigInt(reader.left)) throw new CastError('trailing bytes in data buffer passed to cid Cast')
  try {
    const cid = CID.decode(bytes)
    // The library would write a codec that a number cannot hold inexactly.
    return Number.isSafeInteger(Number(codec)) ? cid : new CID(1, cid.code, cid.multihash, bytes)
  } catch {
    throw new CastError('invalid cid: length greater than remaining number of bytes in buffer')
  }
}

/**
 * Returns the CID at the start of bytes, sharing their memory; undefined if a number in it takes more than a byte, the
 * bytes end early or are shared between threads. The library allocates five arrays for a CID, which is most of the time
 * and of the memory that a block with many links takes.
 */
export function viewCid(bytes: Uint8Array): CID | undefined {
  const version = bytes[0] === 0x12 && bytes[1] === 0x20 ? 0 : 1
  const start = version * 2
  const [first = 0, codec = 0] = bytes
  const code = bytes[start] ?? 0
  const size = bytes[start + 1] ?? 0
  const length = start + 2 + size
  const isPlain = version === 0 || (first === 1 && codec < 0x80)
  const { buffer } = bytes
  if (!(buffer instanceof ArrayBuffer)) return undefined
  if (!isPlain || code >= 0x80 || size >= 0x80 || length > bytes.length || bytes.length < start + 2) {
    return undefined
  }
  const whole = new Uint8Array(buffer, bytes.byteOffset, length)
  return new CID(
    version,
    version === 0 ? codecCode.dagPb : codec,
    new MultihashView(code, size, whole),
    whole,
  )
}

/** The multihash at the end of a CID, whose length takes one byte. Makes arrays only when it is asked for them. */
class MultihashView implements MultihashDigest {
  readonly code: number
  readonly size: number
  readonly #cid: Uint8Array<ArrayBuffer>

  constructor(code: number, size: number, cid: Uint8Array<ArrayBuffer>) {
    this.code = code
    this.size = size
    this.#cid = cid
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#cid.subarray(this.#cid.length - this.size - 2)
  }

  get digest(): Uint8Array<ArrayBuffer> {
    return this.#cid.subarray(this.#cid.length - this.size)
  }
}

/** Returns the multicodec of a CID from {@link castCid}, which may be larger than a number can hold. */
export function exactCodec(cid: CID): bigint {
  if (Number.isSafeInteger(cid.code)) return BigInt(cid.code)
  const reader = new VarintReader(cid.bytes)
  reader.read()
  return reader.read()
}

/** Reads unsigned varints of up to 63 bits in sequence. */
class VarintReader {
  #position = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Number of unread bytes. */
  get left(): number {
    return this.#bytes.length - this.#position
  }

  read(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 63n; shift += 7n) {
      const byte = this.#bytes[this.#position++]
      if (byte === undefined) throw new CastError('invalid cid: varints malformed, could not reach the end')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new CastError('invalid cid: varints larger than uint63 not supported')
  }
}

/**
 * Maximum length of a CID's text, in characters. The longest CID has an identity digest of 128 bytes; in base2 that is
 * fewer than 1,200 characters.
 */
const MAX_CID_LENGTH = 2048

/** Text that is not a CID. */
export class InvalidCidError extends FileNetworkError {
  constructor(reason: string) {
    super(`invalid cid: ${reason}`)
  }
}

/**
 * Parses a CID of version 0 or 1, in any multibase.
 *
 * @throws {@link InvalidCidError} with go-cid's message
 */
export function parseCid(text: string): CID {
  if (bytesOfText(text).length < 2) throw new InvalidCidError('cid too short')
  if (text.length > MAX_CID_LENGTH) throw new InvalidCidError(`cid longer than ${MAX_CID_LENGTH} characters`)
  if (text.length === 46 && text.startsWith('Qm')) return cast(decodeVersion0(text))
  let bytes: Uint8Array
  try {
    bytes = decodeMultibase(text)
  } catch (error) {
    throw new InvalidCidError(errorText(error))
  }
  return cast(bytes)
}

/** Like {@link parseCid}, but returns undefined for text that is not a CID. */
export function tryParseCid(text: string): CID | undefined {
  try {
    return parseCid(text)
  } catch {
    return undefined
  }
}

function decodeVersion0(text: string): Uint8Array {
  try {
    return base58btc.decode(`z${text}`)
  } catch {
    throw new InvalidCidError("input isn't valid multihash")
  }
}

function cast(bytes: Uint8Array): CID {
  try {
    return castCid(bytes)
  } catch (error) {
    if (error instanceof CastError) throw new InvalidCidError(error.message)
    throw error
  }
}
