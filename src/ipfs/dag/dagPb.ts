import { CID } from 'multiformats/cid'
import { joinInSteps, latin1 } from '../../encoding/hex.js'
import { Portion, sortInSteps } from '../../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { castCid, viewCid } from '../cid/parseCid.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { bytesOfText, textOfBytes } from '../../encoding/byteText.js'
import { FieldWriter } from '../unixfs/data.js'

/** A dag-pb node (https://ipld.io/specs/codecs/dag-pb/spec/). */
export interface PBNode {
  Data?: Uint8Array
  Links: PBLink[]
}

/** A link of a dag-pb node. */
export interface PBLink {
  Hash: CID
  /** Bytes that are not UTF-8 are kept (`byteText.ts`). */
  Name?: string
  /** A 64-bit integer; a bigint if a number cannot hold it. */
  Tsize?: number | bigint
}

/** Links decoded or encoded between two yields. */
export const LINKS_AT_ONCE = 1024

const wire = { varint: 0, bytes: 2 } as const
/** The highest field number of protobuf. */
const HIGHEST_FIELD = 2 ** 31 - 1

/** Bytes that are not a dag-pb node, with go-codec-dagpb's message. */
export class DagPbError extends FileNetworkError {}

/** Reads the fields of a protobuf message in sequence, with the errors of Go's `protowire`. */
class FieldReader {
  readonly #bytes: Uint8Array
  #index = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get hasEnded(): boolean {
    return this.#index >= this.#bytes.length
  }

  key(): { field: number; type: number } {
    const key = this.#varint()
    const field = Math.floor(key / 8)
    if (field < 1 || field > HIGHEST_FIELD) throw new DagPbError('proto: invalid field number')
    return { field, type: key % 8 }
  }

  bytes(): Uint8Array {
    const length = this.#varint()
    const start = this.#index
    if (length > this.#bytes.length - start) throw new DagPbError('unexpected EOF')
    this.#index += length
    return this.#bytes.subarray(start, this.#index)
  }

  int64(): number | bigint {
    const start = this.#index
    const value = this.#varint()
    if (Number.isSafeInteger(value)) return value
    const groups = this.#bytes.subarray(start, this.#index)
    const exact = groups.reduceRight((sum, byte) => (sum << 7n) | BigInt(byte & 0x7f), 0n)
    const signed = BigInt.asIntN(64, exact)
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed
  }

  /** Reads a varint of up to 64 bits; inexact from 2^53. */
  #varint(): number {
    let value = 0
    for (let place = 0; place < 10; place++) {
      const byte = this.#bytes[this.#index++]
      if (byte === undefined) throw new DagPbError('unexpected EOF')
      if (place === 9 && byte > 1) break
      value += (byte & 0x7f) * 2 ** (7 * place)
      if (byte < 0x80) return value
    }
    throw new DagPbError('proto: variable length integer overflow')
  }
}

/**
 * Decodes a dag-pb node.
 *
 * @throws {@link DagPbError}
 */
export function decodeDagPb(bytes: Uint8Array): PBNode {
  return runToCompletion(decodeDagPbInSteps(bytes))
}

/** Incremental version of {@link decodeDagPb}. */
export function* decodeDagPbInSteps(bytes: Uint8Array): Steps<PBNode> {
  const node: PBNode = { Links: [] }
  const portion = new Portion(LINKS_AT_ONCE)
  const reader = new FieldReader(bytes)
  let hasClosedLinks = false
  while (!reader.hasEnded) {
    const { field, type } = reader.key()
    if (type !== wire.bytes) {
      throw new DagPbError(`protobuf: (PBNode) invalid wireType, expected 2, got ${type}`)
    }
    if (field === 1) {
      if (node.Data !== undefined) throw new DagPbError('protobuf: (PBNode) duplicate Data section')
      node.Data = reader.bytes()
      hasClosedLinks = node.Links.length > 0
    } else if (field === 2) {
      const link = reader.bytes()
      if (hasClosedLinks) throw new DagPbError('protobuf: (PBNode) duplicate Links section')
      node.Links.push(decodeLink(link))
      if (portion.add(link.length)) yield
    } else {
      throw new DagPbError(`protobuf: (PBNode) invalid fieldNumber, expected 1 or 2, got ${field}`)
    }
  }
  return node
}

/** Fields of a link by their numbers, in the order in which they must come. */
const linkFields = [
  { name: 'Hash', type: wire.bytes },
  { name: 'Name', type: wire.bytes },
  { name: 'Tsize', type: wire.varint },
] as const
/** For each field, those that must come after it. */
const laterFields = linkFields.map((_, index) => linkFields.slice(index + 1))

function decodeLink(bytes: Uint8Array): PBLink {
  const reader = new FieldReader(bytes)
  const link: Partial<PBLink> = {}
  while (!reader.hasEnded) {
    const { field, type } = reader.key()
    const known = linkFields[field - 1]
    if (known === undefined) {
      throw new DagPbError(`protobuf: (PBLink) invalid fieldNumber, expected 1, 2 or 3, got ${field}`)
    }
    checkOrder(link, known.name, laterFields[field - 1] ?? [])
    if (type !== known.type) {
      throw new DagPbError(`protobuf: (PBLink) wrong wireType (${type}) for ${known.name}`)
    }
    if (known.name === 'Hash') link.Hash = cidOf(reader.bytes())
    else if (known.name === 'Name') link.Name = nameOf(reader.bytes())
    else link.Tsize = reader.int64()
  }
  if (link.Hash === undefined) throw new DagPbError('invalid Hash field found in link, expected CID')
  return link as PBLink
}

/** The longest name of a link, in bytes: no block that others exchange has a longer one. */
const MAX_NAME_LENGTH = 2 * 1024 * 1024

function nameOf(bytes: Uint8Array): string {
  if (bytes.length <= MAX_NAME_LENGTH) return textOfBytes(bytes)
  throw new DagPbError(`a link name of more than ${MAX_NAME_LENGTH} bytes`)
}

/** @throws {@link DagPbError} if a link has the field already, or one that must come after it */
function checkOrder(
  link: Partial<PBLink>,
  name: keyof PBLink,
  later: readonly { name: keyof PBLink }[],
): void {
  if (link[name] !== undefined) throw new DagPbError(`protobuf: (PBLink) duplicate ${name} section`)
  const early = later.find((other) => link[other.name] !== undefined)
  if (early === undefined) return
  throw new DagPbError(`protobuf: (PBLink) invalid order, found ${early.name} before ${name}`)
}

/** Decodes the CID at the start of a hash; like go-codec-dagpb, ignores what follows. */
function cidOf(hash: Uint8Array): CID {
  try {
    // A version is never written as 0.
    return hash[0] === 0 ? castCid(hash) : (viewCid(hash) ?? CID.decodeFirst(hash)[0])
  } catch {
    throw new DagPbError(`invalid Hash field found in link, expected CID (${problemOf(hash)})`)
  }
}

function problemOf(hash: Uint8Array): string {
  if (hash[0] === 0x12 && hash[1] === 0x20 && hash.length > 2) {
    return 'invalid cid: not enough bytes for cid v0'
  }
  try {
    castCid(hash)
    return 'invalid cid'
  } catch (error) {
    return errorText(error)
  }
}

/** Longer data and names of a node, in bytes and characters, are encoded in steps. */
const LARGE_DATA = 64 * 1024
const LONG_NAME = 256

/** Encodes a node with its links sorted by name; yields meanwhile if there are many, a long name, or much data. */
export async function encodeDagPb(node: PBNode): Promise<Uint8Array> {
  const pieces = encodeDagPbInSteps(node)
  const isShort = areFew(node.Links, ({ Name }) => Name) && (node.Data?.length ?? 0) <= LARGE_DATA
  return isShort ? runToCompletion(pieces) : runInSlices(pieces, new TimeSlice())
}

/** Whether links are so few, and their names so short, that they can be encoded in one step. */
export function areFew<T>(links: readonly T[], nameOf: (link: T) => string | undefined): boolean {
  return links.length <= LINKS_AT_ONCE && !links.some((link) => (nameOf(link)?.length ?? 0) > LONG_NAME)
}

interface NamedLink {
  link: PBLink
  /** The name's bytes as characters, which compare faster. */
  key: string
}

/** Encodes a node with its links in any order, incrementally. */
export function* encodeDagPbInSteps({
  Data,
  Links,
}: Pick<PBNode, 'Data'> & { Links: Iterable<PBLink> }): Steps<Uint8Array> {
  const portion = new Portion(LINKS_AT_ONCE)
  const named: NamedLink[] = []
  for (const link of Links) {
    const key = latin1(bytesOfText(link.Name ?? ''))
    named.push({ link, key })
    if (portion.add(key.length)) yield
  }
  const compare = (a: NamedLink, b: NamedLink): number => (a.key < b.key ? -1 : Number(a.key > b.key))
  const sorted = yield* sortInSteps(named, compare, ({ key }) => key.length)
  const parts: Uint8Array[] = []
  let encoded: Uint8Array[] = []
  for (const item of sorted) {
    encoded.push(encodeLink(item))
    if (!portion.add(item.key.length)) continue
    // Joined early: an array for each of 200,000 links takes long to collect.
    parts.push(Buffer.concat(encoded))
    encoded = []
    yield
  }
  parts.push(Buffer.concat(encoded))
  if (Data !== undefined) {
    const head = new FieldWriter(MAX_HEAD_LENGTH)
    head.bytesHeader(1, Data.length)
    parts.push(head.take(), Data)
  }
  return yield* joinInSteps(parts)
}

/** Sizes of links in new nodes are below this. */
const SIZE_LIMIT = 2 ** 63

/** The longest tag and length of a field, in bytes. */
const MAX_HEAD_LENGTH = 11

function encodeLink({ link, key }: NamedLink): Uint8Array {
  const name = Buffer.from(key, 'latin1')
  const hash = link.Hash.bytes
  const fields = new FieldWriter(hash.length + name.length + 3 * MAX_HEAD_LENGTH)
  fields.bytesHeader(1, hash.length)
  fields.append(hash)
  if (link.Name !== undefined) {
    fields.bytesHeader(2, name.length)
    fields.append(name)
  }
  if (link.Tsize !== undefined && link.Tsize >= SIZE_LIMIT) {
    throw new FileNetworkError(`value of Tsize is too large: ${link.Tsize}`)
  }
  fields.varintField(3, link.Tsize)
  const encoded = fields.take()
  const whole = new FieldWriter(encoded.length + MAX_HEAD_LENGTH)
  whole.bytesHeader(2, encoded.length)
  whole.append(encoded)
  return whole.take()
}
