import type { CID } from 'multiformats/cid'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { castCid } from '../cid/parseCid.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { goQuote } from '../text/goQuote.js'
import { CborTokens, type TaggedToken } from './cborTokens.js'

/** A malformed or truncated CAR, or one with a block that does not match its CID. */
export class CarError extends FileNetworkError {}

/** The header of a CAR. */
export interface CarHeader {
  /** 0 if the header has none. */
  version: number | bigint
  roots: CID[]
}

/**
 * Decodes the header of a CAR as go-car does: repeated keys replace earlier ones, links need no tag, and bytes after
 * the header are ignored.
 *
 * @throws {@link CarError} with the messages of go-car and refmt
 */
export async function decodeCarHeader(bytes: Uint8Array): Promise<CarHeader> {
  try {
    return await runInSlices(readHeader(new CborTokens(bytes, { allowsLinks: true })), new TimeSlice())
  } catch (error) {
    throw new CarError(`invalid header: ${errorText(error)}`)
  }
}

function* readHeader(tokens: CborTokens): Steps<CarHeader> {
  const header: CarHeader = { version: 0, roots: [] }
  const start = takeValue(tokens)
  if (start.token.kind === 'null') return header
  if (start.token.kind !== 'map open') throw misplaced(start, 'start of map')
  for (let index = 0; index < start.token.length; index++) {
    const key = takeEntry(tokens, start.token)
    if (key.token.kind === 'break') break
    if (key.token.kind !== 'string') throw misplaced(key, 'map key')
    if (key.token.value === 'version') header.version = readVersion(takeValue(tokens))
    else if (key.token.value === 'roots') header.roots = yield* readRoots(tokens)
    else {
      throw new CarError(
        `unmarshal error: stream contains key ${goQuote(String(key.token.value).slice(0, MAX_SHOWN_LENGTH))}, but there's no such field in structs of type carv1.CarHeader`,
      )
    }
  }
  return header
}

function readVersion(given: TaggedToken): number | bigint {
  if (given.token.kind !== 'uint') throw unassignable(given, 'uint64')
  return given.token.value as number | bigint
}

function* readRoots(tokens: CborTokens): Steps<CID[]> {
  const roots: CID[] = []
  const start = takeValue(tokens)
  if (start.token.kind === 'null') return roots
  if (start.token.kind !== 'array open') throw misplaced(start, 'start of array')
  for (let index = 0; index < start.token.length; index++) {
    const given = takeEntry(tokens, start.token)
    if (given.token.kind === 'break') break
    if (given.token.kind === 'null') throw new CarError('link value was empty')
    if (given.token.kind !== 'bytes') throw unassignable(given, 'slice')
    roots.push(linkOf(given.token.value as Uint8Array))
    yield
  }
  return roots
}

/** Takes an entry, or the end, of a map or list. */
function takeEntry(tokens: CborTokens, { length }: { length: number }): TaggedToken {
  return length === Infinity ? tokens.nextTagged() : takeValue(tokens)
}

function takeValue(tokens: CborTokens): TaggedToken {
  const given = tokens.nextTagged()
  if (given.token.kind === 'break') throw new CarError('Invalid majorByte: 0xff')
  return given
}

/** Decodes a link: a zero byte, then the CID (go-ipld-cbor, `node.go`). */
function linkOf(bytes: Uint8Array): CID {
  if (bytes.length === 0) throw new CarError('link value was empty')
  if (bytes[0] !== 0) throw new CarError('invalid multibase on IPLD link')
  try {
    return castCid(bytes.subarray(1))
  } catch {
    throw new CarError('link value should have been bytes')
  }
}

function misplaced({ token }: TaggedToken, expected: string): CarError {
  return new CarError(`malformed stream: invalid appearance of ${token.kind} token; expected ${expected}`)
}

function unassignable(given: TaggedToken, field: 'uint64' | 'slice'): CarError {
  return new CarError(`unmarshal error: cannot assign ${shown(given)} to ${field} field`)
}

/** Formats a token as refmt shows it. */
function shown({ tag, token }: TaggedToken): string {
  return `${tag === undefined ? '' : `_${tag}:`}<${textOf(token)}>`
}

/** Maximum length of a value in an error; go-car shows megabytes. */
const MAX_SHOWN_LENGTH = 1024

const openings = { 'map open': '{', 'array open': '[' } as const

function textOf(token: TaggedToken['token']): string {
  switch (token.kind) {
    case 'map open':
    case 'array open':
      return `${openings[token.kind]}:${token.length === Infinity ? -1 : token.length}`
    case 'string':
      return `s:${goQuote(String(token.value).slice(0, MAX_SHOWN_LENGTH))}`
    case 'bytes':
      return `x:[${(token.value as Uint8Array).subarray(0, MAX_SHOWN_LENGTH).join(' ')}]`
    case 'bool':
      return `b:${String(token.value)}`
    case 'int':
    case 'uint':
    case 'float':
      return `${token.kind.charAt(0)}:${String(token.value)}`
    default:
      return '0'
  }
}
