import { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
import { InvalidCidError, parseCid } from '../cid/parseCid.js'
import { FileNetworkError, LinkNotFoundError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import { type BlockSource, type UnixfsEntry, readEntry } from '../unixfs/entry.js'
import { findLink } from '../unixfs/readDirectory.js'
import { codecByCode, decodeInTurns } from './codecs.js'
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
 * Reads a path: a CID, `<cid>/path`, `/ipfs/<cid>/path` or `ipfs://<cid>/path`.
 *
 * @throws {@link InvalidPathError}; {@link FileNetworkError} for `/ipns/…`, which has no network to ask
 */
export function parsePath(text: string): ContentPath {
  const path = text.replace(/^ipfs:\/\//, '/ipfs/')
  try {
    return parseAbsolute(path)
  } catch (error) {
    if (path.startsWith('/') || !(error instanceof InvalidPathError)) throw error
    try {
      return parseAbsolute(`/ipfs/${path}`)
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
  /** The CIDs that the path came through, its root first and `cid` last; the inner blocks of a directory left out. */
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
    if (cid.code === codecCode.dagPb && path.namespace === 'ipfs') {
      const [name = '', ...following] = rest
      cid = await findName(source, { cid, block, name })
      cids.push(cid)
      rest = following
      continue
    }
    const found = followKeys(cid, await decodeInTurns(codecByCode(cid.code), block), rest)
    if (found.next === undefined) return { cid, cids, remainder: rest }
    cid = found.next
    cids.push(cid)
    rest = found.rest
  }
  return { cid, cids, remainder: [] }
}

/**
 * Where a name leads in a dag-pb node: to an entry of a UnixFS directory, or to a link of that name where the node's
 * data is none of UnixFS (go-unixfsnode, `reification.go`).
 */
async function findName(
  source: BlockSource,
  { cid, block, name }: { cid: CID; block: Uint8Array; name: string },
): Promise<CID> {
  const entry = readUnixfs(cid, block)
  if (entry !== undefined) return (await findLink(source, entry, name)).cid
  const links = await linksOf(cid, block)
  const link = links.find((candidate) => candidate.name === name)
  if (link === undefined) throw new LinkNotFoundError(name, cid)
  return link.cid
}

function readUnixfs(cid: CID, block: Uint8Array): UnixfsEntry | undefined {
  try {
    return readEntry(cid, block)
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
    if (!hasKey(value, key)) throw new LinkNotFoundError(key, cid)
    value = value[key]
    const next = CID.asCID(value)
    if (next) return { value, next, rest: keys.slice(index + 1) }
  }
  return { value, next: undefined, rest: [] }
}

function hasKey(value: unknown, key: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && CID.asCID(value) === null && Object.hasOwn(value, key)
}
