import type { CommandReply } from '../request/reply.js'
import { type BlockSource, loadEntry } from '../unixfs/entry.js'
import { writeTar } from '../unixfs/tar.js'
import { conditionalReply } from './conditional.js'
import { checkRange, contentRange, readRange } from './ranges.js'
import { cacheHeader, contentDisposition, measured, modifiedHeader, rootsHeader } from './headers.js'
import { linksOf } from '../dag/links.js'
import { FileNetworkError } from '../errors.js'
import { unresolved } from './resolveTarget.js'
import type { GatewayRequest, ResolvedTarget } from './request.js'

/** Reports an undecodable block as not found. */
async function checkLinks(source: BlockSource, target: ResolvedTarget): Promise<void> {
  const { cid } = target
  try {
    await linksOf(cid, await source.get(cid))
  } catch (error) {
    throw error instanceof FileNetworkError ? unresolved(target, error) : error
  }
}

/** Answers with a raw block or a tar archive, always as an attachment. */
export async function serveRawOrTar(
  source: BlockSource,
  request: GatewayRequest,
  { target, format }: { target: ResolvedTarget; format: 'raw' | 'tar' },
): Promise<CommandReply> {
  const { cid } = target
  const etag = format === 'raw' ? `"${cid}.raw"` : `W/"${cid}.x-tar"`
  const name = `${cid}.${format === 'raw' ? 'bin' : 'tar'}`
  const cached = { ...rootsHeader(target), ETag: etag, ...cacheHeader(target) }
  const headers = { ...cached, ...modifiedHeader(target) }
  const described = {
    ...headers,
    'Content-Type': format === 'raw' ? 'application/vnd.ipld.raw' : 'application/x-tar',
    'Content-Disposition': contentDisposition(request.query, { name, kind: 'attachment' }),
  }
  if (format === 'tar') {
    await checkLinks(source, target)
    const body = writeTar(source, await loadEntry(source, cid), { name: cid.toString(), saysWhy: true })
    return { status: 200, headers: described, body: await measured(body) }
  }
  const block = await source.get(cid)
  const disposition = { 'Content-Disposition': described['Content-Disposition'] }
  checkRange(request.headers['range'], { ...cached, ...disposition })
  const conditional = conditionalReply(request.headers, described)
  if (conditional) return conditional
  const range = readRange(request.headers, { ...headers, ...disposition }, block.length)
  const { start, end } = range ?? { start: 0, end: block.length }
  return {
    status: range ? 206 : 200,
    headers: {
      ...described,
      'Accept-Ranges': 'bytes',
      'Content-Length': String(end - start),
      ...(range ? { 'Content-Range': contentRange(range, block.length) } : {}),
    },
    body: block.subarray(start, end),
  }
}
