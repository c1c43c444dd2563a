import { GatewayError } from './errors.js'

/** What the gateway can send: the content itself, or one of the forms in which it can be verified. */
export type GatewayFormat = 'content' | 'raw' | 'car' | 'tar'

const formatsByMediaType = new Map<string, GatewayFormat>([
  ['application/vnd.ipld.raw', 'raw'],
  ['application/vnd.ipld.car', 'car'],
  ['application/x-tar', 'tar'],
])

/**
 * The form that a request asks for: by `format` in the query, else by the `Accept` header
 * (https://specs.ipfs.tech/http-gateways/path-gateway/).
 *
 * @throws {@link GatewayError} for a form that is not offered
 */
export function chooseFormat(query: URLSearchParams, accept: string | undefined): GatewayFormat {
  const named = query.get('format')
  if (named !== null && named !== '') {
    if (named === 'raw' || named === 'car' || named === 'tar') return named
    throw new GatewayError(400, `unsupported format ${JSON.stringify(named)}: use raw, car or tar`)
  }
  for (const range of (accept ?? '').split(',')) {
    const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const format = formatsByMediaType.get(mediaType)
    if (format === undefined) continue
    const version = parameters.find((parameter) => parameter.startsWith('version='))
    if (format === 'car' && version !== undefined && version !== 'version=1') {
      throw new GatewayError(400, 'unsupported CAR version: use version=1')
    }
    return format
  }
  return 'content'
}

/** How much of a DAG a CAR has below its end (https://specs.ipfs.tech/http-gateways/trustless-gateway/). */
export type DagScope = 'all' | 'entity' | 'block'

/** The scope that a request for a CAR asks for. */
export function chooseScope(query: URLSearchParams): DagScope {
  const scope = query.get('dag-scope') ?? 'all'
  if (scope === 'all' || scope === 'entity' || scope === 'block') return scope
  throw new GatewayError(400, `unsupported dag-scope ${JSON.stringify(scope)}: use all, entity or block`)
}
