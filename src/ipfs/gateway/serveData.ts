import type { CID } from 'multiformats/cid'
import {
  codecByCode,
  codecCodeByName,
  codecName,
  decodeInSlices,
  decoderOf,
  encodeInSlices,
} from '../dag/codecs.js'
import { errorText } from '../../encoding/errorText.js'
import type { CommandReply } from '../request/reply.js'
import type { BlockSource } from '../unixfs/entry.js'
import { conditionalReply } from './conditional.js'
import { checkRange, contentRange, readRange } from './ranges.js'
import { GatewayError, cacheHeader, modifiedHeader, contentDisposition, rootsHeader } from './headers.js'
import { type DataFormat, type GatewayRequest, type ResolvedTarget, dataMediaTypes } from './request.js'

/** Codecs whose blocks are sent unchanged when plain JSON or CBOR is requested. */
const sentUnchanged: Readonly<Partial<Record<DataFormat, readonly string[]>>> = {
  json: ['json', 'dag-json'],
  cbor: ['cbor', 'dag-cbor'],
}

/**
 * Answers with a block of data that is not a file, unchanged or converted to the requested format (boxo,
 * `gateway/handler_codec.go`).
 */
export async function serveData(
  source: BlockSource,
  request: GatewayRequest,
  {
    target,
    format,
    mayConvert,
  }: { target: ResolvedTarget; format: DataFormat | undefined; mayConvert: boolean },
): Promise<CommandReply> {
  const { cid } = target
  const stored = codecName(cid.code)
  if (stored === undefined) {
    throw new GatewayError(501, `cannot show the codec ${cid.code}: ask for format=raw`)
  }
  const sent = format ?? stored
  const extension = sent.replace('dag-', '')
  const described = {
    ...{ ...rootsHeader(target), ETag: `"${cid}.${sent}"`, ...cacheHeader(target) },
    'Content-Disposition': contentDisposition(request.query, {
      name: `${cid}.${extension}`,
      kind: extension === 'json' ? 'inline' : 'attachment',
    }),
  }
  const body = await readAs(source, { cid, stored, format, mayConvert, headers: described })
  // boxo looks for the first range in a block that it sends unconverted (gateway/handler_codec.go, serveCodecRaw).
  if (format === stored) checkRange(request.headers['range'], described)
  const type = isDataFormat(sent) ? dataMediaTypes[sent] : `application/vnd.ipld.${sent}`
  const untyped = { ...described, ...modifiedHeader(target) }
  const typed = { ...untyped, 'Content-Type': type }
  const conditional = conditionalReply(request.headers, typed)
  if (conditional) return conditional
  const range = readRange(request.headers, untyped, body.length)
  const ranged = { ...typed, 'Accept-Ranges': 'bytes' }
  if (range === undefined) return { status: 200, headers: ranged, body }
  return {
    status: 206,
    headers: { ...ranged, 'Content-Range': contentRange(range, body.length) },
    body: body.subarray(range.start, range.end),
  }
}

async function readAs(
  source: BlockSource,
  options: {
    cid: CID
    stored: string
    format: DataFormat | undefined
    mayConvert: boolean
    headers: Record<string, string>
  },
): Promise<Uint8Array> {
  const { cid, stored, format, mayConvert, headers } = options
  const block = await source.get(cid)
  if (format === undefined || format === stored || sentUnchanged[format]?.includes(stored)) return block
  if (format === 'json' || format === 'cbor') {
    throw new GatewayError(400, 'converting to requested format is not supported', headers)
  }
  if (!mayConvert) {
    throw new GatewayError(
      406,
      `format ${JSON.stringify(dataMediaTypes[format])} requested but block has codec ${JSON.stringify(stored)}: codec ` +
        'conversion is not supported, fetch raw block with ?format=raw and convert client-side',
      headers,
    )
  }
  try {
    const target = codecByCode(codecCodeByName(format))
    return await encodeInSlices(target, await decodeInSlices(decoderOf(cid), block))
  } catch (error) {
    throw new GatewayError(500, `failed to convert ${cid} to ${format}: ${errorText(error)}`)
  }
}

function isDataFormat(name: string): name is DataFormat {
  return Object.hasOwn(dataMediaTypes, name)
}
