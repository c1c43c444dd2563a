import { createXXHash64 } from 'hash-wasm'
import { CID } from 'multiformats/cid'
import { cidKey } from '../cid/cidFormat.js'
import { carSection, encodeCarHeader } from '../dag/car.js'
import { ListSegmentError } from '../dag/path.js'
import type { RequestQuery } from '../request/command.js'
import type { CommandReply } from '../request/reply.js'
import { isIdentity } from '../store/blockstore.js'
import { bytesOfText } from '../../encoding/byteText.js'
import type { BlockSource } from '../unixfs/entry.js'
import { matchesEtag } from './conditional.js'
import {
  GatewayError,
  cacheHeader,
  contentDisposition,
  measured,
  notModified,
  rootsHeader,
} from './headers.js'
import { type CarParameters, type DagScope, type EntityBytes, partialCar } from './partialCar.js'
import type { GatewayRequest, GatewayTarget } from './request.js'
import { followPath, noProviders } from './resolveTarget.js'
import { goQuote } from '../text/goQuote.js'

/** Parameters of a CAR request, with defaults filled in. */
interface CarRequest extends CarParameters {
  order: 'dfs' | 'unk'
  /** The scope given in the query, if any. */
  namedScope: DagScope | undefined
}

/** Answers with a CAR of a path and the DAG at its end (boxo, `gateway/handler_car.go`). */
export async function serveCar(
  source: BlockSource,
  request: GatewayRequest,
  { target, parameters }: { target: GatewayTarget; parameters: ReadonlyMap<string, string> },
): Promise<CommandReply> {
  const wanted = readCarParameters(request.query, parameters)
  const { root, segments } = target.content
  const etag = await carEtag(target, wanted)
  const last = segments.at(-1)
  const named = {
    ETag: etag,
    ...cacheHeader(target),
    'Content-Disposition': contentDisposition(request.query, {
      name: `${root}${last === undefined ? '' : `_${last}`}.car`,
      kind: 'attachment',
    }),
  }
  if (matchesEtag(request.headers['if-none-match'], etag)) return notModified(named)
  const described = {
    ...named,
    'Accept-Ranges': 'none',
    'Content-Type': `application/vnd.ipld.car; version=1; order=${wanted.order}; dups=${wanted.repeats ? 'y' : 'n'}`,
  }
  const visited: CID[] = []
  const recording: BlockSource = {
    async get(cid) {
      const block = await source.get(cid)
      visited.push(cid)
      return block
    },
  }
  const path = await followPath(recording, target).catch(async (error: unknown) => {
    if (!(error instanceof GatewayError)) throw error
    if (error.status === 404 || (await endsBeforeLast(source, target, error))) return undefined
    // Kubo does not look for other peers if a block is unreadable.
    throw new GatewayError(error.status, error.message.replace(noProviders, ''), named)
  })
  if (path === undefined) {
    const headers = { ...described, ...rootsHeader({ roots: [root] }) }
    return { status: 200, headers, body: await measured(absenceProof(source, visited)) }
  }
  return {
    status: 200,
    headers: { ...described, ...rootsHeader({ roots: path.cids }) },
    body: await measured(partialCar(source, { ...wanted, end: path.cid, pathBlocks: visited })),
  }
}

/**
 * Whether a key into a list is not a number, and more segments follow: boxo then follows the path as far as it goes.
 */
async function endsBeforeLast(
  source: BlockSource,
  target: GatewayTarget,
  { cause }: GatewayError,
): Promise<boolean> {
  if (!(cause instanceof ListSegmentError)) return false
  const segments = target.content.segments.slice(0, -1)
  return followPath(source, { ...target, content: { ...target.content, segments } }).then(
    () => false,
    () => true,
  )
}

/** Stands in for the root if the path does not exist: an empty block inlined in its CID. */
const noRoot = CID.parse('bafkqaaa')

/** Yields the blocks that prove that a path does not exist. */
async function* absenceProof(source: BlockSource, visited: CID[]): AsyncGenerator<Uint8Array> {
  yield encodeCarHeader(noRoot)
  // A block with an identity CID is not sent.
  const blocks = new Map(visited.filter((cid) => !isIdentity(cid)).map((cid) => [cidKey(cid), cid]))
  for (const cid of blocks.values()) yield* carSection(cid, await source.get(cid))
}

/**
 * Parses the parameters of a CAR request. `entity-bytes` implies the entity scope, as in the specification.
 *
 * @throws {@link GatewayError} with boxo's message for invalid parameters
 */
function readCarParameters(query: RequestQuery, accepted: ReadonlyMap<string, string>): CarRequest {
  const bytes = readEntityBytes(query.get('entity-bytes'))
  const namedScope = query.get('dag-scope') ?? undefined
  if (namedScope !== undefined && !isScope(namedScope)) throw unsupported('scope')
  const parameter = (name: string): string => (query.get(`car-${name}`) || accepted.get(name)) ?? ''
  if (!['', '1'].includes(parameter('version'))) {
    throw new GatewayError(400, 'unsupported application/vnd.ipld.car version: only version=1 is supported')
  }
  const order = parameter('order') || 'dfs'
  if (order !== 'dfs' && order !== 'unk') throw unsupported('order')
  const repeats = parameter('dups')
  if (!['', 'y', 'n'].includes(repeats)) throw unsupported('dups')
  const scope = namedScope ?? (bytes === undefined ? 'all' : 'entity')
  return { scope, namedScope, bytes, order, repeats: repeats === 'y' }
}

function isScope(text: string): text is DagScope {
  return text === 'all' || text === 'entity' || text === 'block'
}

function unsupported(name: string): GatewayError {
  return new GatewayError(400, `unsupported application/vnd.ipld.car ${name} parameter`)
}

function readEntityBytes(text: string | null): EntityBytes | undefined {
  if (text === null) return undefined
  const [first = '', last, ...others] = text.split(':')
  if (last === undefined || others.length > 0) {
    throw invalidBytes("range must have two numbers separated with ':'")
  }
  const from = parsePosition(first)
  if (last === '*') return { from, to: undefined }
  const to = parsePosition(last)
  if (from >= 0 === to >= 0 && to < from) {
    throw invalidBytes("cannot have an entity-bytes range where 'from' is after 'to'")
  }
  return { from, to }
}

function parsePosition(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw invalidBytes(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`)
  }
  if (Number.isSafeInteger(Number(text))) return Number(text)
  throw invalidBytes(`strconv.ParseInt: parsing ${goQuote(text)}: value out of range`)
}

function invalidBytes(reason: string): GatewayError {
  return new GatewayError(400, `invalid application/vnd.ipld.car entity-bytes URL parameter: ${reason}`)
}

/** Returns the ETag of a CAR: a hash of the path and all non-default parameters (boxo, `getCarEtag`). */
async function carEtag(
  target: GatewayTarget,
  { namedScope = 'all', order, repeats, bytes }: CarRequest,
): Promise<string> {
  const hash = (await createXXHash64()).init()
  hash.update(bytesOfText(target.immutablePath))
  if (namedScope !== 'all') hash.update(`\0scope=${namedScope}`)
  if (order !== 'dfs') hash.update(`\0order=${order}`)
  if (repeats) hash.update('\0dups=y')
  if (bytes !== undefined && (bytes.from !== 0 || bytes.to !== undefined)) {
    hash.update('\0range=').update(positionBytes(bytes.from))
    if (bytes.to !== undefined) hash.update(positionBytes(bytes.to))
  }
  return `W/"${target.content.root}.car.${BigInt(`0x${hash.digest('hex')}`).toString(32)}"`
}

function positionBytes(position: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(position))
  return bytes
}
