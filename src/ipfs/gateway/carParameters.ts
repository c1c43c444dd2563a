import { GatewayError } from './errors.js'

/** How much of a DAG a CAR has below its end. */
export type DagScope = 'all' | 'entity' | 'block'

/** Bytes of a file, first and last; negative numbers count from its end, which is where there is no last. */
export interface EntityBytes {
  from: number
  to: number | undefined
}

/** What a request for a CAR asks for (https://specs.ipfs.tech/http-gateways/trustless-gateway/). */
export interface CarParameters {
  scope: DagScope
  /** Only the blocks that these bytes of a file need. */
  bytes: EntityBytes | undefined
  /** Whether a block comes as often as it is linked, and not once. */
  repeats: boolean
}

/**
 * Reads what a request for a CAR asks for. Of the orders there is one, which the answer names: depth first.
 *
 * @throws {@link GatewayError} for what makes no sense
 */
export function readCarParameters(
  query: URLSearchParams,
  accepted: ReadonlyMap<string, string>,
): CarParameters {
  const parameter = (name: string): string | undefined => query.get(`car-${name}`) ?? accepted.get(name)
  checkOneOf('CAR version', parameter('version'), ['1'])
  checkOneOf('CAR order', parameter('order'), ['dfs', 'unk'])
  checkOneOf('CAR dups', parameter('dups'), ['y', 'n'])
  const bytes = readEntityBytes(query.get('entity-bytes'))
  const scope = query.get('dag-scope') ?? (bytes === undefined ? 'all' : 'entity')
  checkOneOf('dag-scope', scope, ['all', 'entity', 'block'])
  return { scope: scope as DagScope, bytes, repeats: parameter('dups') === 'y' }
}

function checkOneOf(name: string, value: string | undefined, allowed: string[]): void {
  if (value === undefined || value === '' || allowed.includes(value)) return
  throw new GatewayError(400, `unsupported ${name} ${JSON.stringify(value)}: use ${allowed.join(' or ')}`)
}

function readEntityBytes(text: string | null): EntityBytes | undefined {
  if (text === null) return undefined
  const match = /^(-?\d{1,15}):(?:(-?\d{1,15})|\*)$/.exec(text)
  const from = Number(match?.[1])
  const to = match?.[2] === undefined ? undefined : Number(match[2])
  const isBackwards = to !== undefined && from >= 0 === to >= 0 && to < from
  if (match !== null && !isBackwards) return { from, to }
  throw new GatewayError(400, `invalid entity-bytes ${JSON.stringify(text)}: use <first>:<last> or <first>:*`)
}
