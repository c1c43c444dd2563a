import { GatewayError } from './errors.js'

/** Data in a codec, as the gateway sends it. */
export type DataFormat = 'json' | 'cbor' | 'dag-json' | 'dag-cbor'

/** What the gateway can send: the content itself, one of the forms in which it can be verified, or data in a codec. */
export type GatewayFormat = 'content' | 'raw' | 'car' | 'tar' | DataFormat

/** The media types of data. */
export const dataMediaTypes: Readonly<Record<DataFormat, string>> = {
  json: 'application/json',
  cbor: 'application/cbor',
  'dag-json': 'application/vnd.ipld.dag-json',
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
}

const formatsByMediaType = new Map<string, GatewayFormat>([
  ['application/vnd.ipld.raw', 'raw'],
  ['application/vnd.ipld.car', 'car'],
  ['application/x-tar', 'tar'],
  ...Object.entries(dataMediaTypes).map(([format, type]) => [type, format as DataFormat] as const),
])
const formats: ReadonlySet<string> = new Set(formatsByMediaType.values())

/** The form that a request asks for, with the parameters that its media type has in the `Accept` header. */
export interface ChosenFormat {
  format: GatewayFormat
  parameters: ReadonlyMap<string, string>
}

/**
 * The form that a request asks for: by `format` in the query, else by the `Accept` header
 * (https://specs.ipfs.tech/http-gateways/path-gateway/).
 *
 * @throws {@link GatewayError} for a form that is not offered
 */
export function chooseFormat(query: URLSearchParams, accept: string | undefined): ChosenFormat {
  const accepted = acceptedFormat(accept ?? '')
  const named = query.get('format')
  if (named === null || named === '') return accepted ?? { format: 'content', parameters: new Map() }
  if (!formats.has(named)) {
    throw new GatewayError(400, `unsupported format ${JSON.stringify(named)}: use ${[...formats].join(', ')}`)
  }
  const parameters = accepted?.format === named ? accepted.parameters : new Map<string, string>()
  return { format: named as GatewayFormat, parameters }
}

function acceptedFormat(accept: string): ChosenFormat | undefined {
  for (const range of accept.split(',')) {
    const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const format = formatsByMediaType.get(mediaType)
    if (format === undefined) continue
    const pairs = parameters.map((parameter) => parameter.split('='))
    return { format, parameters: new Map(pairs.map(([name = '', value = '']) => [name, value])) }
  }
  return undefined
}
