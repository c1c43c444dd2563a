import type { CID } from 'multiformats/cid'
import { codecByCode, codecCodeByName, codecName, decodeInTurns, encodeInTurns } from '../dag/codecs.js'
import { errorText } from '../errors.js'
import type { CommandReply } from '../request/reply.js'
import type { BlockSource } from '../unixfs/entry.js'
import { matchesEtag } from './conditional.js'
import { GatewayError, contentDisposition, immutable, notModified, originHeaders } from './headers.js'
import { type DataFormat, type GatewayRequest, type ResolvedTarget, dataMediaTypes } from './request.js'

/** Codecs whose blocks are sent as they are where plain JSON or CBOR is asked for. */
const sentAsThey: Readonly<Partial<Record<DataFormat, readonly string[]>>> = {
  json: ['json', 'dag-json'],
  cbor: ['cbor', 'dag-cbor'],
}

/**
 * Answers with data that is no file: its block as it is, or converted into the format that was asked for
 * (boxo, `gateway/handler_codec.go`).
 */
export async function serveData(
  source: BlockSource,
  request: GatewayRequest,
  { target, format }: { target: ResolvedTarget; format: DataFormat | undefined },
): Promise<CommandReply> {
  const { cid } = target
  const stored = codecName(cid.code)
  if (stored === undefined) {
    throw new GatewayError(501, `cannot show the codec ${cid.code}: ask for format=raw`)
  }
  const sent = format ?? stored
  const etag = `"${cid}.${sent}"`
  const headers = { ...originHeaders(target), ETag: etag, 'Cache-Control': immutable }
  if (matchesEtag(request.headers['if-none-match'], etag)) return notModified(headers)
  const extension = sent.replace('dag-', '')
  return {
    status: 200,
    headers: {
      ...headers,
      'Content-Type': isDataFormat(sent) ? dataMediaTypes[sent] : `application/vnd.ipld.${sent}`,
      'Content-Disposition': contentDisposition(request.query, {
        name: `${cid}.${extension}`,
        kind: extension === 'json' ? 'inline' : 'attachment',
      }),
    },
    body: await readAs(source, { cid, stored, format }),
  }
}

async function readAs(
  source: BlockSource,
  { cid, stored, format }: { cid: CID; stored: string; format: DataFormat | undefined },
): Promise<Uint8Array> {
  const block = await source.get(cid)
  if (format === undefined || format === stored || sentAsThey[format]?.includes(stored)) return block
  if (format === 'json' || format === 'cbor') {
    throw new GatewayError(400, `converting from "${stored}" to "${dataMediaTypes[format]}" is not supported`)
  }
  try {
    const target = codecByCode(codecCodeByName(format))
    return await encodeInTurns(target, await decodeInTurns(codecByCode(cid.code), block))
  } catch (error) {
    throw new GatewayError(500, `failed to convert ${cid} to ${format}: ${errorText(error)}`)
  }
}

function isDataFormat(name: string): name is DataFormat {
  return Object.hasOwn(dataMediaTypes, name)
}
