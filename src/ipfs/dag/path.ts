import { unixfsType } from '../unixfs/data.js'
import { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { InvalidCidError, parseCid } from '../cid/parseCid.js'
import { FileNetworkError, LinkNotFoundError, errorText } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { type BlockSource, type UnixfsEntry, readEntry } from '../unixfs/entry.js'
import { findLink } from '../unixfs/readDirectory.js'
import { decodeInTurns, decoderOf, kindOf } from './codecs.js'
import { linksOf } from './links.js'

/** A path below a CID. */
export interface ContentPath {
  namespace: 'ipfs' | 'ipld'
  root: CID
  segments: string[]
}

/** A text that is no path; the message is Kubo's (boxo, `path`). */
export class InvalidPathError extends FileNetworkError {
  constructor(path: string, reason: string) {
    super(`invalid path ${JSON.stringify(path)}: ${reason}`)
  }
}

/**
 * Reads a path: a CID, `<cid>/path` or `/ipfs/<cid>/path`.
 *
 * @throws {@link InvalidPathError}; {@link FileNetworkError} for `/ipns/…`, which has no network to ask
 */
export function parsePath(text: string): ContentPath {
  try {
    return parseAbsolute(text)
  } catch (error) {
    if (text.startsWith('/') || !(error instanceof InvalidPathError)) throw error
    try {
      return parseAbsolute(`/ipfs/${text}`)
    } catch {
      throw error
    }
  }
}

function parseAbsolute(path: string): ContentPath {
  const [namespace, root, ...segments] = cleanSegments(path)
  if (!path.startsWith('/') || !namespace || root === undefined) {
    throw new InvalidPathError(path, 'path does not have enough components')
  }
  if (namespace === 'ipns') {
    throw new FileNetworkError('cannot resolve an /ipns/ path: this file network has no name system')
  }
  if (namespace !== 'ipfs' && namespace !== 'ipld') {
    throw new InvalidPathError(path, `unknown namespace: ${JSON.stringify(namespace)}`)
  }
  try {
    return { namespace, root: parseCid(root), segments }
  } catch (error) {
    if (error instanceof InvalidCidError) throw new InvalidPathError(path, error.message)
    throw error
  }
}

/** Where a path leads: a block, and what is left of the path inside it. */
export interface ResolvedPath {
  cid: CID
  /**
   * The block of its root, and that in which each segment ends: one again for a key inside its data, the inner blocks of a
   * directory left out.
   */
  cids: CID[]
  /** Keys inside the block's data; empty for a UnixFS path. */
  remainder: string[]
}

/**
 * Follows a path, block by block: names in UnixFS directories, keys in other data.
 *
 * @throws {@link LinkNotFoundError} when a segment leads nowhere
 */
export async function resolvePath(source: BlockSource, path: ContentPath): Promise<ResolvedPath> {
  const cids = [path.root]
  let cid = path.root
  let rest = path.segments
  while (rest.length > 0) {
    const block = await source.get(cid)
    await checkLoads(cid, block, path.segments.slice(0, path.segments.length - rest.length))
    if (cid.code === codecCode.dagPb && path.namespace === 'ipfs') {
      const [name = '', ...following] = rest
      cid = await findName(source, { cid, block, name, isLast: following.length === 0 })
      cids.push(cid)
      rest = following
      continue
    }
    const found = followKeys(cid, await decodeInTurns(decoderOf(cid), block), rest)
    const inside = found.next === undefined ? rest.length : rest.length - found.rest.length - 1
    for (let step = 0; step < inside; step++) cids.push(cid)
    if (found.next === undefined) return { cid, cids, remainder: rest }
    cid = found.next
    cids.push(cid)
    rest = found.rest
  }
  return { cid, cids, remainder: [] }
}

/** Says of a block behind the first one on which way it cannot be read (go-ipld-prime, `traversal/walk.go`). */
async function checkLoads(cid: CID, block: Uint8Array, way: readonly string[]): Promise<void> {
  if (way.length === 0) return
  try {
    await linksOf(cid, block)
  } catch (error) {
    throw linkFailure(way, cid, error)
  }
}

/** A link of a DAG leads to a block that cannot be had or read (go-ipld-prime, `traversal/walk.go`). */
export function linkFailure(way: readonly string[], cid: CID, cause: unknown): FileNetworkError {
  const place = JSON.stringify(way.join('/'))
  return new FileNetworkError(
    `error traversing node at ${place}: could not load link "${cid}": ${errorText(cause)}`,
    { cause },
  )
}

/**
 * Where a name leads in a dag-pb node: to an entry of a UnixFS directory, or to a link of that name where the node's
 * data is none of UnixFS (go-unixfsnode, `reification.go`).
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

/** Chunks of files, and files of several of them, are nothing to a path. */
function isInPieces({ node }: UnixfsEntry): boolean {
  if (node === undefined) return false
  const { type } = node.unixfs
  return type === unixfsType.raw || (type === unixfsType.file && node.links.length > 0)
}

/** Files in one block are bytes to a path; whatever else is no directory has links, if none of that name. */
function isSingleBlockFile({ node }: UnixfsEntry): boolean {
  return node?.unixfs.type === unixfsType.file && node.links.length === 0
}

async function readUnixfs(cid: CID, block: Uint8Array): Promise<UnixfsEntry | undefined> {
  try {
    return await readEntry(cid, block)
  } catch (error) {
    if (error instanceof FileNetworkError) return undefined
    throw error
  }
}

/** The value that keys lead to inside data; stops at the first link. */
export function followKeys(
  cid: CID,
  data: unknown,
  keys: string[],
): { value: unknown; next: CID | undefined; rest: string[] } {
  let value = data
  for (const [index, key] of keys.entries()) {
    value =
      cid.code === codecCode.dagPb && index === 0 && !hasKey(value, key)
        ? undefined
        : lookUpOnWay(value, key, { cid, isLast: index === keys.length - 1 })
    if (value === undefined) throw new LinkNotFoundError(key, cid)
    const next = CID.asCID(value)
    if (next) return { value, next, rest: keys.slice(index + 1) }
  }
  return { value, next: undefined, rest: [] }
}

/** Where a path goes on, whatever is wrong with a key is that it has no link (boxo, `resolver.go`). */
function lookUpOnWay(value: unknown, key: string, { cid, isLast }: { cid: CID; isLast: boolean }): unknown {
  try {
    return lookUp(value, key)
  } catch (error) {
    if (isLast || !(error instanceof FileNetworkError)) throw error
    throw new LinkNotFoundError(key, cid, { cause: error })
  }
}

function hasKey(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

/** @throws {@link FileNetworkError} with the text of go-ipld-prime */
function lookUp(value: unknown, key: string): unknown {
  const kind = kindOf(value)
  if (kind === 'list') {
    if (!/^[+-]?\d+$/.test(key)) {
      throw new ListSegmentError(key)
    }
    const item = (value as unknown[])[Number(key)]
    if (item !== undefined) return item
    // go-ipld-prime takes a negative number for the mark of a segment that is none.
    if (Number(key) < 0) throw new KeyNotFoundError('')
  } else if (kind === 'map') {
    if (hasKey(value, key)) return (value as Record<string, unknown>)[key]
  } else throw new NoSegmentsError(kind)
  throw new KeyNotFoundError(key)
}

/** A key of a list that is no number. */
export class ListSegmentError extends FileNetworkError {
  constructor(key: string) {
    const quoted = JSON.stringify(key)
    super(
      `invalid segment for lookup on a list: ${quoted}: strconv.ParseInt: parsing ${quoted}: invalid syntax`,
    )
  }
}

/** Data has no key of a name. */
export class KeyNotFoundError extends FileNetworkError {
  constructor(key: string) {
    super(`key not found: ${JSON.stringify(key)}`)
  }
}

/** A path goes on behind a file in several blocks or a chunk of one, of which go-unixfsnode makes nothing. */
export class UnreifiedError extends FileNetworkError {
  constructor() {
    super('func called on wrong kind: "" called on a INVALID node, but only makes sense on <empty KindSet>')
  }
}

/** A path goes on behind what has nothing below it. */
export class NoSegmentsError extends FileNetworkError {
  /** @param name - what go-ipld-prime calls the node */
  constructor(kind: string, name = kind) {
    super(
      `func called on wrong kind: "LookupBySegment" called on a ${name} node (kind: ${kind}), ` +
        'but only makes sense on map or list',
    )
  }
}
