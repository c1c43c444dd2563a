import { unixfsType } from '../unixfs/data.js'
import { CID } from 'multiformats/cid'
import { codecCode, reasonNotRegistered } from '../cid/cidFormat.js'
import { InvalidCidError, parseCid } from '../cid/parseCid.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError, LinkNotFoundError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { type BlockSource, type UnixfsEntry, recallEntry } from '../unixfs/entry.js'
import { findLink } from '../unixfs/readDirectory.js'
import { decoderOf, GIT_RAW } from './codecs.js'
import { kindOf } from './kinds.js'
import { decodeNode, nodeName } from './dagPbSchema.js'
import { linksOf } from './links.js'
import { goQuote } from '../text/goQuote.js'

/** A path below a CID. */
export interface ContentPath {
  namespace: 'ipfs' | 'ipld'
  root: CID
  segments: string[]
}

/** A malformed path, with Kubo's message (boxo, `path`). */
export class InvalidPathError extends FileNetworkError {
  constructor(path: string, reason: string) {
    super(`invalid path ${goQuote(path)}: ${reason}`)
  }
}

const tooShort = 'path does not have enough components'

/**
 * Parses a path: a CID, `<cid>/path` or `/ipfs/<cid>/path`. A slash before the CID is ignored.
 *
 * @throws {@link InvalidPathError}; {@link FileNetworkError} for `/ipns/…`, which this does not resolve
 */
export function parsePath(text: string): ContentPath {
  if (!text.startsWith('/')) {
    try {
      return parseAbsolute(`/ipfs/${text}`)
    } catch {
      throw new InvalidPathError(text, tooShort)
    }
  }
  try {
    return parseAbsolute(text)
  } catch (error) {
    if (!(error instanceof InvalidPathError)) throw error
    try {
      return parseAbsolute(`/ipfs/${text}`)
    } catch {
      throw error
    }
  }
}

function parseAbsolute(path: string): ContentPath {
  const all = cleanSegments(path)
  const [namespace, root] = all
  if (!namespace || root === undefined) {
    throw new InvalidPathError(path, tooShort)
  }
  if (namespace === 'ipns') {
    throw new FileNetworkError('cannot resolve an /ipns/ path: this file network has no name system')
  }
  if (namespace !== 'ipfs' && namespace !== 'ipld') {
    throw new InvalidPathError(path, `unknown namespace: ${goQuote(namespace)}`)
  }
  try {
    return { namespace, root: parseCid(root), segments: all.slice(2) }
  } catch (error) {
    if (error instanceof InvalidCidError) throw new InvalidPathError(path, error.message)
    throw error
  }
}

/** The block that a path leads to, and the rest of the path inside it. */
export interface ResolvedPath {
  cid: CID
  /**
   * The root, then the block in which each segment ends: repeated for keys inside one block, without the inner blocks
   * of directories.
   */
  cids: CID[]
  /** Remaining keys inside the block's data; empty for a UnixFS path. */
  remainder: string[]
}

/**
 * Resolves a path block by block: names in UnixFS directories, keys in other data.
 *
 * @throws {@link LinkNotFoundError} if a segment does not exist
 */
export async function resolvePath(source: BlockSource, path: ContentPath): Promise<ResolvedPath> {
  const { namespace, root, segments } = path
  const cids = [root]
  let cid = root
  // A place, not the rest: a path may have half a million segments.
  let place = 0
  while (place < segments.length) {
    const block = await load(source, cid, { segments, place })
    if (cid.code === codecCode.dagPb && namespace === 'ipfs') {
      const name = segments[place++] ?? ''
      cid = await findName(source, { cid, block, name, isLast: place === segments.length })
      cids.push(cid)
      continue
    }
    const rest = segments.slice(place)
    const found = followKeys(cid, await decodeNode(cid, block), rest)
    const inside = found.next === undefined ? rest.length : found.used - 1
    for (let step = 0; step < inside; step++) cids.push(cid)
    if (found.next === undefined) return { cid, cids, remainder: rest }
    cid = found.next
    cids.push(cid)
    place += found.used
  }
  return { cid, cids, remainder: [] }
}

/**
 * Reads a block on the path, for which there must be a decoder. Below the root, the block must also decode, and an
 * error names the path to it (go-ipld-prime, `traversal/walk.go`).
 */
async function load(
  source: BlockSource,
  cid: CID,
  { segments, place }: { segments: readonly string[]; place: number },
): Promise<Uint8Array> {
  if (place === 0) {
    const problem = decoderError(cid)
    if (problem !== undefined) throw problem
    return source.get(cid)
  }
  try {
    const block = await source.get(cid)
    await linksOf(cid, block)
    return block
  } catch (error) {
    throw linkFailure(segments.slice(0, place), cid, error)
  }
}

/** Creates the error for a link to a missing or unreadable block (go-ipld-prime, `traversal/walk.go`). */
export function linkFailure(keys: readonly string[], cid: CID, error: unknown): FileNetworkError {
  const place = goQuote(keys.join('/'))
  const cause = decoderError(cid) ?? hasherError(cid) ?? error
  return new FileNetworkError(
    `error traversing node at ${place}: could not load link "${cid}": ${errorText(cause)}`,
    { cause },
  )
}

/** Returns the error for a CID whose codec Kubo lacks; it looks for the codec first. */
function decoderError(cid: CID): FileNetworkError | undefined {
  if (cid.code === GIT_RAW) return undefined
  try {
    decoderOf(cid)
    return undefined
  } catch (error) {
    return error as FileNetworkError
  }
}

/** Returns the error for a link whose hash function Kubo lacks, which it looks for before the block. */
function hasherError({ multihash: { code } }: CID): FileNetworkError | undefined {
  const reason = reasonNotRegistered(code)
  if (reason === undefined) return undefined
  const indicator = `0x${code.toString(16)}`
  return new FileNetworkError(
    `could not choose a hasher: no hasher registered for multihash indicator ${indicator}: ${reason}`,
  )
}

/**
 * Resolves a name in a dag-pb node: an entry of a UnixFS directory, or a link of that name if the node's data is not
 * UnixFS (go-unixfsnode, `reification.go`).
 */
async function findName(
  source: BlockSource,
  { cid, block, name, isLast }: { cid: CID; block: Uint8Array; name: string; isLast: boolean },
): Promise<CID> {
  const entry = await readUnixfs(cid, block)
  if (isLast && entry !== undefined && isInPieces(entry)) throw new UnreifiedError()
  if (isLast && entry !== undefined && isSingleBlockFile(entry))
    throw new NoSegmentsError('bytes', entry.size === 0 ? 'bytes' : 'data.Bytes')
  if (entry !== undefined) return (await findLink(source, entry, name)).cid
  const links = await linksOf(cid, block)
  const link = links.find((candidate) => candidate.name === name)
  if (link === undefined) throw new LinkNotFoundError(name, cid)
  return link.cid
}

/** Whether a node is a chunk, or a file of several chunks: paths cannot enter either. */
function isInPieces({ node }: UnixfsEntry): boolean {
  if (node === undefined) return false
  const { type } = node.unixfs
  return type === unixfsType.raw || (type === unixfsType.file && node.links.length > 0)
}

/**
 * Whether a node is a file in one block, which paths see as bytes. Any other non-directory has links, if none by that
 * name.
 */
function isSingleBlockFile({ node }: UnixfsEntry): boolean {
  return node?.unixfs.type === unixfsType.file && node.links.length === 0
}

async function readUnixfs(cid: CID, block: Uint8Array): Promise<UnixfsEntry | undefined> {
  try {
    return await recallEntry(cid, block)
  } catch (error) {
    if (error instanceof FileNetworkError) return undefined
    throw error
  }
}

/** Looks up keys inside data; stops at the first link. @returns also the number of keys that lead there */
export function followKeys(
  cid: CID,
  data: unknown,
  keys: string[],
): { value: unknown; next: CID | undefined; used: number } {
  let value = data
  for (const [index, key] of keys.entries()) {
    value =
      cid.code === codecCode.dagPb && kindOf(value) === 'map' && !hasKey(value, key)
        ? undefined
        : lookUpOnPath(value, keys, { cid, index })
    if (value === undefined) throw new LinkNotFoundError(key, cid)
    const next = CID.asCID(value)
    if (next) return { value, next, used: index + 1 }
  }
  return { value, next: undefined, used: keys.length }
}

/** Looks up a key. If the path continues, any failure counts as a missing link (boxo, `resolver.go`). */
function lookUpOnPath(value: unknown, keys: string[], { cid, index }: { cid: CID; index: number }): unknown {
  const key = keys[index] ?? ''
  try {
    return lookUp(value, key, nodeName(cid, keys.slice(0, index), value))
  } catch (error) {
    if (index === keys.length - 1 || !(error instanceof FileNetworkError)) throw error
    throw new LinkNotFoundError(key, cid, { cause: error })
  }
}

function hasKey(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

/** @throws {@link FileNetworkError} with go-ipld-prime's message, in which the value has a name */
function lookUp(value: unknown, key: string, name: string): unknown {
  const kind = kindOf(value)
  if (kind === 'list') {
    if (!/^[+-]?\d+$/.test(key)) {
      throw new ListSegmentError(key, name)
    }
    const item = (value as unknown[])[Number(key)]
    if (item !== undefined) return item
    // go-ipld-prime's segments use negative numbers to mean "not an index".
    if (Number(key) < 0) throw new KeyNotFoundError('')
  } else if (kind === 'map') {
    if (hasKey(value, key)) return (value as Record<string, unknown>)[key]
  } else throw new NoSegmentsError(kind, name)
  throw new KeyNotFoundError(key)
}

/** A key into a list is not a number. */
export class ListSegmentError extends FileNetworkError {
  /** @param name - go-ipld-prime's name for the list */
  constructor(key: string, name: string) {
    const quoted = goQuote(key)
    const list = name === 'list' ? 'a list' : `a list of type ${name}`
    super(
      `invalid segment for lookup on ${list}: ${quoted}: strconv.ParseInt: parsing ${quoted}: invalid syntax`,
    )
  }
}

/** The data has no such key. */
export class KeyNotFoundError extends FileNetworkError {
  constructor(key: string) {
    super(`key not found: ${goQuote(key)}`)
  }
}

/** A path continues into a chunk or a file of several blocks, which go-unixfsnode cannot reify. */
export class UnreifiedError extends FileNetworkError {
  constructor() {
    super('func called on wrong kind: "" called on a INVALID node, but only makes sense on <empty KindSet>')
  }
}

/** A path continues into a value that has nothing below it. */
export class NoSegmentsError extends FileNetworkError {
  /** @param name - go-ipld-prime's name for the node */
  constructor(kind: string, name = kind) {
    super(
      `func called on wrong kind: "LookupBySegment" called on a ${name} node (kind: ${kind}), ` +
        'but only makes sense on map or list',
    )
  }
}
