import { setImmediate as turn } from 'node:timers/promises'
import { textChunks } from '../../encoding/textChunks.js'
import { readAll } from '../blockSize.js'
import { FileNetworkError, LinkNotFoundError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import type { CommandReply } from '../request/reply.js'
import { httpTime } from '../text/goTime.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import { type UnixfsLink, sortByName } from '../unixfs/node.js'
import type { UnixfsTime } from '../unixfs/data.js'
import { findLink, listTogether } from '../unixfs/readDirectory.js'
import { readFile } from '../unixfs/readFile.js'
import { conditionalReply, listingEtag } from './conditional.js'
import { contentRange, isFromMiddle, readRange } from './ranges.js'
import { contentTypeOf, SNIFF_LENGTH, typeByName, typeOfPart } from './contentType.js'
import {
  GatewayError,
  cacheHeader,
  listingCacheHeader,
  modifiedHeader,
  contentDisposition,
  rootsHeader,
  escapePath,
  escapeUrlPath,
} from './headers.js'
import { type ListedEntry, listingPage } from './listingPage.js'
import { type GatewayRequest, type ResolvedTarget, decodePath } from './request.js'

const encoder = new TextEncoder()

/** Answers with the content itself: a file, a directory's index.html, or a listing. */
export async function serveContent(
  source: BlockSource,
  request: GatewayRequest,
  target: ResolvedTarget,
): Promise<CommandReply> {
  const entry = await loadEntry(source, target.cid)
  if (entry.type === 'directory') return serveDirectory(source, request, { target, entry })
  const name = request.query.get('filename') || (cleanSegments(target.contentPath).slice(2).at(-1) ?? '')
  return serveFile(source, request, { target, entry, name, modified: entry.modified })
}

interface FileToServe {
  target: ResolvedTarget
  entry: UnixfsEntry
  /** Determines the content type. */
  name: string
  /** Time of the last change; for a directory's index page, that of the directory. */
  modified: UnixfsTime | undefined
}

async function serveFile(
  source: BlockSource,
  request: GatewayRequest,
  file: FileToServe,
): Promise<CommandReply> {
  const { target, entry, name, modified } = file
  const headers: Record<string, string> = {
    ...rootsHeader(target),
    // A directory's index page has the ETag of the directory.
    ETag: `"${target.cid}"`,
    ...cacheHeader(target),
    ...(modified === undefined ? modifiedHeader(target) : timeHeader(modified)),
  }
  if (request.query.get('filename')) {
    headers['Content-Disposition'] = contentDisposition(request.query, { name, kind: 'inline' })
  }
  const conditional = conditionalReply(request.headers, headers)
  if (conditional?.status === 412) {
    const type = entry.type === 'symlink' ? symlinkType : await typeOfUnsent(source, request, { entry, name })
    return {
      ...conditional,
      headers: { ...conditional.headers, ...(type !== undefined && { 'Content-Type': type }) },
    }
  }
  if (conditional) return conditional
  if (entry.type === 'symlink') return serveSymlink(request, entry, headers)
  const range = readRange(request.headers, headers, entry.size)
  const { start, end } = range ?? { start: 0, end: entry.size }
  // boxo reads the start of the file for HEAD, whatever the range.
  const isPart = start > 0 && request.method === 'GET'
  const looked = isPart
    ? { start, end: Math.min(start + SNIFF_LENGTH, end) }
    : { start: 0, end: Math.min(SNIFF_LENGTH, entry.size) }
  const sniffed = await readAll(readFile(source, entry, looked), SNIFF_LENGTH).catch((error: unknown) => {
    if (typeByName(name) !== undefined) return new Uint8Array()
    if (isPart || !(error instanceof FileNetworkError)) throw error
    throw new GatewayError(500, `cannot detect content-type: ${error.message}`, headers)
  })
  const type = isPart ? typeOfPart(name, sniffed) : contentTypeOf(name, sniffed)
  return {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'Accept-Ranges': 'bytes',
      'Content-Type': type,
      'Content-Length': String(end - start),
      ...(range ? { 'Content-Range': contentRange(range, entry.size) } : {}),
    },
    body: whole(readFile(source, entry, { start, end }), end - start),
  }
}

/** Returns the content type of a file that is not sent. boxo does not guess it from a part of the middle. */
async function typeOfUnsent(
  source: BlockSource,
  { method, headers }: GatewayRequest,
  { entry, name }: { entry: UnixfsEntry; name: string },
): Promise<string | undefined> {
  const byName = typeByName(name)
  if (byName !== undefined || (method === 'GET' && isFromMiddle(headers.range))) return byName
  const start = { start: 0, end: Math.min(SNIFF_LENGTH, entry.size) }
  return contentTypeOf(name, await readAll(readFile(source, entry, start), SNIFF_LENGTH))
}

/**
 * Throws at the end if a file is shorter than declared: the client would wait for more. What was read before a failure
 * is sent first, as the server then cuts the connection.
 */
async function* whole(content: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let missing = length
  try {
    for await (const bytes of content) {
      missing -= bytes.length
      yield bytes
    }
  } catch (error) {
    await turn()
    throw error
  }
  if (missing > 0) throw new FileNetworkError(`the file is ${missing} bytes shorter than it says`)
}

/** boxo's content type for symlinks. */
const symlinkType = 'inode/symlink'

/** Returns `Last-Modified`; nothing for the Unix epoch, which means no time (Go, `http.ServeContent`). */
function timeHeader({ seconds, nanoseconds }: UnixfsTime): Record<string, string> {
  return seconds === 0n && nanoseconds === 0 ? {} : { 'Last-Modified': httpTime(seconds) }
}

function serveSymlink(
  request: GatewayRequest,
  { node, size }: UnixfsEntry,
  headers: Record<string, string>,
): CommandReply {
  const target = node?.unixfs.data ?? new Uint8Array()
  const range = readRange(request.headers, headers, size)
  const described = { ...headers, 'Content-Type': symlinkType, 'Accept-Ranges': 'bytes' }
  if (range === undefined) {
    return { status: 200, headers: { ...described, 'Content-Length': String(target.length) }, body: target }
  }
  return {
    status: 206,
    headers: { ...described, 'Content-Range': contentRange(range, size) },
    body: target.subarray(range.start, range.end),
  }
}

async function serveDirectory(
  source: BlockSource,
  request: GatewayRequest,
  { target, entry }: { target: ResolvedTarget; entry: UnixfsEntry },
): Promise<CommandReply> {
  // `go get` does not follow redirects.
  if (!target.hasTrailingSlash && request.query.get('go-get') !== '1') {
    // boxo escapes the query like a path segment.
    const search = request.search === '' ? '' : `?${escapePath(request.search.slice(1))}`
    throw new GatewayError(301, 'moved to the directory', {
      ...rootsHeader(target),
      Location: `${redirectPath(request.path)}/${search}`,
    })
  }
  const index = await findIndex(source, entry)
  if (index) {
    const name = request.query.get('filename') || 'index.html'
    return serveFile(source, request, { target, entry: index, name, modified: entry.modified })
  }

  const headers = {
    ...rootsHeader(target),
    ETag: listingEtag(entry.cid),
    ...listingCacheHeader(target),
  }
  const links = await sortByName(listTogether(source, entry), ({ name }) => name).catch((error: unknown) => {
    throw error instanceof FileNetworkError ? new GatewayError(500, error.message, headers) : error
  })
  const page = listingPage({
    path: target.contentPath,
    cid: entry.cid.toString(),
    entries: listed(links),
    hasParent: target.content.segments.length > 0,
  })
  return {
    status: 200,
    headers: { ...headers, 'Content-Type': 'text/html' },
    body: encoded(page),
  }
}

/** Re-encodes a path, but only if the client had escaped some of it. */
function redirectPath(path: string): string {
  return path.includes('%') ? escapeUrlPath(decodePath(path)) : path
}

function* listed(links: Iterable<UnixfsLink>): Iterable<ListedEntry> {
  for (const { name, cid, size } of links) yield { name, cid: cid.toString(), size }
}

async function* encoded(page: Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of textChunks(page)) yield encoder.encode(chunk)
}

async function findIndex(source: BlockSource, directory: UnixfsEntry): Promise<UnixfsEntry | undefined> {
  try {
    const link = await findLink(source, directory, 'index.html')
    const entry = await loadEntry(source, link.cid)
    if (entry.type === 'file') return entry
    throw new GatewayError(422, 'index.html could not be read: not a file')
  } catch (error) {
    if (error instanceof LinkNotFoundError) return undefined
    throw error
  }
}
