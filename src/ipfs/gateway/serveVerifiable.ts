import { writeTar } from '../unixfs/tar.js'
import type { CommandReply } from '../request/reply.js'
import { type BlockSource, loadEntry } from '../unixfs/entry.js'
import { contentRange, matchesEtag, readRange } from './conditional.js'
import { cacheControl, contentDisposition, notModified, originHeaders } from './headers.js'
import { partialCar, readCarParameters } from './partialCar.js'
import type { GatewayRequest, ResolvedTarget } from './request.js'

/** An answer in a form of its own: what it is called, and where its bytes come from. */
interface VerifiableForm {
  etag: string
  name: string
  contentType: string
  headers?: Record<string, string>
  body: () => Promise<CommandReply['body']> | CommandReply['body']
}

interface VerifiableRequest {
  target: ResolvedTarget
  format: 'raw' | 'car' | 'tar'
  /** What the media type in the `Accept` header said beside its name. */
  parameters: ReadonlyMap<string, string>
}

/** Answers with a block, a CAR or a tar archive, always to be saved. */
export async function serveVerifiable(
  source: BlockSource,
  request: GatewayRequest,
  { target, format, parameters }: VerifiableRequest,
): Promise<CommandReply> {
  const form = describeForm(source, request, { target, format, parameters })
  const headers = { ...originHeaders(target), ETag: form.etag, 'Cache-Control': cacheControl(target) }
  if (matchesEtag(request.headers['if-none-match'], form.etag)) return notModified(target)
  const described = {
    ...headers,
    'Content-Type': form.contentType,
    'Content-Disposition': contentDisposition(request.query, { name: form.name, kind: 'attachment' }),
    ...form.headers,
  }
  const body = await form.body()
  if (!(body instanceof Uint8Array)) return { status: 200, headers: described, body }
  const range = readRange(request.headers, headers, body.length)
  const { start, end } = range ?? { start: 0, end: body.length }
  return {
    status: range ? 206 : 200,
    headers: {
      ...described,
      'Content-Length': String(end - start),
      ...(range ? { 'Content-Range': contentRange(range, body.length) } : {}),
    },
    body: body.subarray(start, end),
  }
}

function describeForm(
  source: BlockSource,
  request: GatewayRequest,
  { target, format, parameters }: VerifiableRequest,
): VerifiableForm {
  const { cid, visited } = target
  switch (format) {
    case 'raw':
      return {
        etag: `"${cid}.raw"`,
        name: `${cid}.bin`,
        contentType: 'application/vnd.ipld.raw',
        headers: { 'Accept-Ranges': 'bytes' },
        body: () => source.get(cid),
      }
    case 'car': {
      const wanted = readCarParameters(request.query, parameters)
      const range = wanted.bytes === undefined ? '' : `.${wanted.bytes.from}:${wanted.bytes.to ?? '*'}`
      return {
        etag: `W/"${cid}.car.${wanted.scope}${range}.${target.roots.length}${wanted.repeats ? '.dups' : ''}"`,
        name: `${cid}.car`,
        contentType: `application/vnd.ipld.car; version=1; order=dfs; dups=${wanted.repeats ? 'y' : 'n'}`,
        headers: { 'Accept-Ranges': 'none' },
        body: () => partialCar(source, { ...wanted, end: cid, onTheWay: visited }),
      }
    }
    case 'tar':
      return {
        etag: `W/"${cid}.x-tar"`,
        name: `${cid}.tar`,
        contentType: 'application/x-tar',
        body: async () => writeTar(source, await loadEntry(source, cid), cid.toString()),
      }
  }
}
