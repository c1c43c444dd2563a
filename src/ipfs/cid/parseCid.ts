import { bases } from 'multiformats/basics'
import { CID } from 'multiformats/cid'
import { FileNetworkError } from '../errors.js'

/** What is wrong with text in a base, as the decoders of Go say it; undefined when each character is of the base. */
export function multibaseProblem(baseName: string, text: string): string | undefined {
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
      return `encoding/hex: invalid byte: ${codePoint(wrong)} '${wrong}'`
    case 'base36':
      return `invalid base36 character ('${wrong}')`
    case 'base58':
      return `Invalid base58 digit ('${wrong}')`
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

/** A character as Go's `%U` writes it, such as `U+006F`. */
function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Bytes that are no CID; the message is go-cid's. */
export class CastError extends Error {}

/**
 * The CID that bytes are, version 0 or 1, without anything behind it (go-cid, `cid.go`).
 *
 * @throws {@link CastError}
 */
export function castCid(bytes: Uint8Array): CID {
  if (bytes.length === 34 && bytes[0] === 0x12 && bytes[1] === 0x20) return CID.decode(bytes)
  const reader = new VarintReader(bytes)
  const version = reader.read()
  if (version !== 1n)
    throw new CastError(`invalid cid: expected 1 as the cid version number, got: ${version}`)
  reader.read()
  if (reader.left < 2) throw new CastError('invalid cid: multihash too short. must be >= 2 bytes')
  reader.read()
  const length = reader.read()
  if (length > BigInt(reader.left)) {
    throw new CastError('invalid cid: length greater than remaining number of bytes in buffer')
  }
  if (length < BigInt(reader.left)) throw new CastError('trailing bytes in data buffer passed to cid Cast')
  return CID.decode(bytes)
}

/** Unsigned varints of up to 63 bits, one behind the other. */
class VarintReader {
  private position = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Bytes that have not been read. */
  get left(): number {
    return this.bytes.length - this.position
  }

  read(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 63n; shift += 7n) {
      const byte = this.bytes[this.position++]
      if (byte === undefined) throw new CastError('invalid cid: varints malformed, could not reach the end')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new CastError('invalid cid: varints larger than uint63 not supported')
  }
}

const basesByPrefix = new Map(Object.values(bases).map((base) => [base.prefix as string, base]))

/** Text that should have been a CID and is not. */
export class InvalidCidError extends FileNetworkError {
  constructor(reason: string) {
    super(`invalid cid: ${reason}`)
  }
}

/**
 * Reads a CID from its text, version 0 or 1, in any base of the multibase table.
 *
 * @throws {@link InvalidCidError} with the text of go-cid
 */
export function parseCid(text: string): CID {
  if (text.length < 2) throw new InvalidCidError('cid too short')
  if (text.length === 46 && text.startsWith('Qm')) return cast(decodeVersion0(text))
  const base = basesByPrefix.get(text[0] ?? '')
  if (base === undefined) throw new InvalidCidError('selected encoding not supported')
  try {
    return cast(base.decoder.decode(text))
  } catch (error) {
    if (error instanceof InvalidCidError) throw error
    throw new InvalidCidError(multibaseProblem(base.name, text.slice(1)) ?? (error as Error).message)
  }
}

function decodeVersion0(text: string): Uint8Array {
  try {
    return bases.base58btc.decode(`z${text}`)
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
