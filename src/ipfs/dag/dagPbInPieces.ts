import * as dagPb from '@ipld/dag-pb'
import { type Steps, TimeSlice, runInSlices, sortInSlices } from '../../encoding/timeSlice.js'
import { latin1 } from '../../encoding/hex.js'
import { castCid } from '../cid/parseCid.js'
import { FileNetworkError, errorText } from '../errors.js'

/** Links decoded or encoded between two yields. */
export const LINKS_AT_ONCE = 1024
/** Field keys of a node (dag-pb specification): field number and wire type. */
const DATA_KEY = 0x0a
const LINK_KEY = 0x12
/** Field key of the CID in a link. */
const HASH_KEY = 0x0a

/** Bytes that are not a dag-pb node, with go-codec-dagpb's message. */
export class DagPbError extends FileNetworkError {}

/** Messages of the library, with Go's for the same error. */
const goWords: readonly (readonly [RegExp, string])[] = [
  [/unexpected end of data$/, 'unexpected EOF'],
  [/varint overflow$/, 'proto: variable length integer overflow'],
  [/ got 0$/, 'proto: invalid field number'],
]

/**
 * Decodes a dag-pb node.
 *
 * @throws {@link DagPbError}
 */
export function decodeDagPb(bytes: Uint8Array): dagPb.PBNode {
  try {
    return dagPb.decode(bytes)
  } catch (error) {
    throw asInGo(bytes, errorText(error))
  }
}

/** Translates an error to Go's, which checks a field's number before its type. */
function asInGo(bytes: Uint8Array, message: string): DagPbError {
  if (message.startsWith('Invalid Hash field')) {
    return new DagPbError(`invalid Hash field found in link, expected CID${problemOfHash(bytes)}`)
  }
  if (/invalid wireType/.test(message) && isNumberless(bytes[placeOfUnknownField(bytes)])) {
    return new DagPbError('proto: invalid field number')
  }
  const words = /invalid fieldNumber|^(?!.* got )/.test(message)
    ? goWords.find(([pattern]) => pattern.test(message))?.[1]
    : undefined
  return new DagPbError(words ?? message)
}

/** Returns what is wrong with the first hash of a link that is no CID, in parentheses; nothing if there is none. */
function problemOfHash(bytes: Uint8Array): string {
  for (let start = 0, end; start < bytes.length; start = end) {
    end = endOfField(bytes, start) ?? bytes.length
    if (bytes[start] !== LINK_KEY) continue
    const link = contentOfField(bytes.subarray(start, end))
    if (link[0] !== HASH_KEY) return ''
    try {
      castCid(contentOfField(link))
    } catch (error) {
      return ` (${errorText(error)})`
    }
  }
  return ''
}

/** Returns the content of the field at the start of a message, after its key and length. */
function contentOfField(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte, index) => index > 0 && byte < 0x80) + 1
  return bytes.subarray(start, endOfField(bytes, 0))
}

/** Whether a key has field number 0. */
function isNumberless(key: number | undefined): boolean {
  return key !== undefined && key < 8
}

/** Returns the position of the first unknown field. */
function placeOfUnknownField(bytes: Uint8Array): number {
  let index = 0
  while (bytes[index] === DATA_KEY || bytes[index] === LINK_KEY) {
    const end = endOfField(bytes, index)
    if (end === undefined) break
    index = end
  }
  return index
}

/**
 * Incremental version of {@link decodeDagPb}: a protobuf message cut between two fields gives two messages.
 *
 * @throws {@link DagPbError}
 */
export function* decodeDagPbInPieces(bytes: Uint8Array): Steps<dagPb.PBNode> {
  const node: dagPb.PBNode = { Links: [] }
  for (let start = 0; start < bytes.length;) {
    const end = endOfFields(bytes, start)
    const part = decodeDagPb(bytes.subarray(start, end))
    if (part.Data !== undefined) {
      // Links must all come before the data or all after it. The codec reports any other order.
      const isOrdered = end === bytes.length || (start === 0 && bytes[0] === DATA_KEY)
      if (node.Data !== undefined || !isOrdered) return decodeDagPb(bytes)
      node.Data = part.Data
    }
    for (const link of part.Links) node.Links.push(link)
    start = end
    yield
  }
  return node
}

/** Returns the end of the next {@link LINKS_AT_ONCE} fields; the end of the input if one of them is unknown. */
function endOfFields(bytes: Uint8Array, start: number): number {
  let index = start
  for (let count = 0; count < LINKS_AT_ONCE && index < bytes.length; count++) {
    const end = endOfField(bytes, index)
    if (end === undefined) return bytes.length
    index = end
  }
  return index
}

/** Returns the end of the field at an index; undefined if it is unknown or incomplete. */
function endOfField(bytes: Uint8Array, start: number): number | undefined {
  let index = start
  const key = bytes[index++]
  if (key !== DATA_KEY && key !== LINK_KEY) return undefined
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[index++]
    if (byte === undefined || shift > 28) return undefined
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  return index + length > bytes.length ? undefined : index + length
}

/** Encodes a node with its links sorted by name; yields meanwhile if there are many. */
export async function encodeDagPb(node: dagPb.PBNode): Promise<Uint8Array> {
  if (node.Links.length <= LINKS_AT_ONCE) return dagPb.encode(dagPb.prepare(node))
  return runInSlices(encodeDagPbInPieces(node), new TimeSlice())
}

/** Encodes a node with its links in any order, incrementally: concatenated protobuf messages form one message. */
export function* encodeDagPbInPieces({ Data, Links }: dagPb.PBNode): Steps<Uint8Array> {
  const named: { link: dagPb.PBLink; key: string }[] = []
  for (let start = 0; start < Links.length; start += LINKS_AT_ONCE) {
    for (const link of dagPb.prepare({ Links: Links.slice(start, start + LINKS_AT_ONCE) }).Links) {
      // The name's bytes as characters, which compare faster.
      named.push({ link, key: latin1(Buffer.from(link.Name ?? '')) })
    }
    yield
  }
  const sorted = yield* sortInSlices(named, (a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
  const parts: Uint8Array[] = []
  for (let start = 0; start < sorted.length; start += LINKS_AT_ONCE) {
    const links = sorted.slice(start, start + LINKS_AT_ONCE).map(({ link }) => link)
    parts.push(dagPb.encode({ Links: links }))
    yield
  }
  parts.push(dagPb.encode(dagPb.prepare({ Links: [], ...(Data !== undefined && { Data }) })))
  return new Uint8Array(Buffer.concat(parts))
}
