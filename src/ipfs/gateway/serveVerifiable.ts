import { writeTar } from '../archive/tar.js'
import type { CommandReply } from '../request/reply.js'
import { loadEntry } from '../unixfs/entry.js'
import type { BlockSource } from '../unixfs/entry.js'
import { matchesEtag } from './conditional.js'
import { chooseScope } from './format.js'
import type { GatewayFormat } from './format.js'
import { contentDisposition, immutable, originHeaders } from './headers.js'
import { partialCar } from './partialCar.js'
import type { GatewayRequest, ResolvedTarget } from './request.js'
import { notModified } from './serveContent.js'

/** An answer in a form of its own: what it is called, and where its bytes come from. */
interface VerifiableForm {
  etag: string
  name: string
  contentType: string
  headers?: Record<string, string>
  body: () => Promise<CommandReply['body']> | CommandReply['body']
}

/** Answers with a block, a CAR or a tar archive, always to be saved. */
export async function serveVerifiable(
  source: BlockSource,
  request: GatewayRequest,
  { target, format }: { target: ResolvedTarget; format: Exclude<GatewayFormat, 'content'> },
): Promise<CommandReply> {
  const form = describeForm(source, request, { target, format })
  const headers = { ...originHeaders(target), ETag: form.etag, 'Cache-Control': immutable }
  if (matchesEtag(request.headers['if-none-match'], form.etag)) return notModified(headers)
  const body = await form.body()
  return {
    status: 200,
    headers: {
      ...headers,
      'Content-Type': form.contentType,
      'Content-Disposition':
        contentDisposition(request.query, { name: form.name, attachment: true }) ?? 'attachment',
      ...form.headers,
      ...(body instanceof Uint8Array ? { 'Content-Length': String(body.length) } : {}),
    },
    body,
  }
}

function describeForm(
  source: BlockSource,
  request: GatewayRequest,
  { target, format }: { target: ResolvedTarget; format: Exclude<GatewayFormat, 'content'> },
): VerifiableForm {
  const { cid, visited } = target
  switch (format) {
    case 'raw':
      return {
        etag: `"${cid}.raw"`,
        name: `${cid}.bin`,
        contentType: 'application/vnd.ipld.raw',
        body: () => source.get(cid),
      }
    case 'car': {
      const scope = chooseScope(request.query)
      return {
        etag: `W/"${cid}.car.${scope}.${target.roots.length}"`,
        name: `${cid}.car`,
        contentType: 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
        headers: { 'Accept-Ranges': 'none' },
        body: () => partialCar(source, { end: cid, onTheWay: visited, scope }),
      }
    }
    case 'tar':
      return {
        etag: `W/"${cid}.x-tar"`,
        name: `${cid}.tar`,
        contentType: 'application/x-tar',
        headers: { 'Accept-Ranges': 'none' },
        body: async () => writeTar(source, await loadEntry(source, cid), cid.toString()),
      }
  }
}
