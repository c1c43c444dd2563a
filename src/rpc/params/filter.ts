import { readHexDigitsInSteps } from '../../encoding/hex.js'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import { type NumberSelector, blockNumber } from './blockSelector.js'
import { address, hasPrefix, hash } from './bytes.js'
import { type Decoder, KindMismatchError, ReasonError, inPieces, struct } from './combinators.js'

/**
 * Maximum number of topic positions (geth: eth/filters/api.go). The number of topics per position is bounded only by
 * the hosted provider's limit on all parameters of a query.
 */
const MAX_TOPIC_POSITIONS = 4

/** Decoded log filter. Undefined bounds mean the head, empty lists are wildcards. */
export interface FilterArguments {
  /** 32 bytes; excludes the bounds. */
  blockHash?: Uint8Array
  fromBlock?: NumberSelector
  toBlock?: NumberSelector
  /** 20 bytes each. */
  addresses: Uint8Array[]
  /** By position, 32 bytes each. */
  topics: Uint8Array[][]
}

const raw: Decoder<unknown> = { schema: {}, decode: (value) => value }
const rawTopics: Decoder<unknown[]> = {
  schema: {
    type: 'array',
    items: { anyOf: [{ type: 'null' }, hash.schema, { type: 'array', items: hash.schema }] },
  },
  decode(value) {
    if (!Array.isArray(value)) throw KindMismatchError.of(value, '[]interface {}')
    return value
  },
}

const members = struct(
  { struct: 'input', type: 'filters.input' },
  { blockHash: hash, fromBlock: blockNumber, toBlock: blockNumber, address: raw, topics: rawTopics },
)

/**
 * A filter object. `blockhash` means `blockHash`, as names are case-insensitive.
 *
 * Order and messages of the errors are geth's (eth/filters/api.go, FilterCriteria.UnmarshalJSON).
 */
export const filter: Decoder<FilterArguments> = {
  schema: {
    title: 'filter',
    type: 'object',
    properties: {
      blockHash: hash.schema,
      fromBlock: blockNumber.schema,
      toBlock: blockNumber.schema,
      address: { anyOf: [{ type: 'null' }, address.schema, { type: 'array', items: address.schema }] },
      topics: rawTopics.schema,
    },
  },
  decode: (value) => runToCompletion(decodeFilter(members.decode(value))),
  *decodeInSteps(value) {
    return yield* decodeFilter(yield* inPieces(members, value))
  },
}

function* decodeFilter({
  blockHash,
  fromBlock,
  toBlock,
  address: given,
  topics,
}: ReturnType<typeof members.decode>): Steps<FilterArguments> {
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined)) {
    throw new ReasonError('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
  }
  return {
    ...(blockHash && { blockHash }),
    ...(fromBlock && { fromBlock }),
    ...(toBlock && { toBlock }),
    addresses: yield* decodeAddresses(given),
    topics: yield* decodeTopics(topics ?? []),
  }
}

/** Addresses or topics decoded per piece. */
const VALUES_AT_ONCE = 64

function* decodeAddresses(given: unknown): Steps<Uint8Array[]> {
  if (given === undefined) return []
  if (typeof given === 'string') return [yield* decodeText(given, 20, 'address', 'invalid address: ')]
  if (!Array.isArray(given)) throw new ReasonError('invalid addresses in query')
  const addresses: Uint8Array[] = []
  for (const item of given as unknown[]) {
    const position = addresses.length
    if (typeof item !== 'string') throw new ReasonError(`non-string address at index ${position}`)
    addresses.push(yield* decodeText(item, 20, 'address', `invalid address at index ${position}: `))
    if (addresses.length % VALUES_AT_ONCE === 0) yield
  }
  return addresses
}

function* decodeTopics(given: readonly unknown[]): Steps<Uint8Array[][]> {
  if (given.length > MAX_TOPIC_POSITIONS) throw new ReasonError('exceed max topics')
  const topics: Uint8Array[][] = []
  for (const position of given) {
    if (position === null) topics.push([])
    else if (typeof position === 'string') topics.push([yield* decodeTopic(position)])
    else if (Array.isArray(position)) topics.push(yield* decodeAlternatives(position))
    else throw new ReasonError('invalid topic(s)')
  }
  return topics
}

/** A null among the alternatives makes the position a wildcard; the rest is not checked. */
function* decodeAlternatives(alternatives: readonly unknown[]): Steps<Uint8Array[]> {
  const topics: Uint8Array[] = []
  for (const alternative of alternatives) {
    if (alternative === null) return []
    if (typeof alternative !== 'string') throw new ReasonError('invalid topic(s)')
    topics.push(yield* decodeTopic(alternative))
    if (topics.length % VALUES_AT_ONCE === 0) yield
  }
  return topics
}

function decodeTopic(text: string): Steps<Uint8Array> {
  return decodeText(text, 32, 'topic', '')
}

/** Decodes a byte string like hexutil.Decode, with `prefix` before its messages. */
function* decodeText(text: string, length: number, what: string, prefix: string): Steps<Uint8Array> {
  if (text === '') throw new ReasonError(`${prefix}empty hex string`)
  if (!hasPrefix(text)) throw new ReasonError(`${prefix}hex string without 0x prefix`)
  // Go's decoder reports an invalid digit before an odd length.
  const isOdd = text.length % 2 !== 0
  const bytes = yield* readHexDigitsInSteps(isOdd ? `${text}0` : text, 2)
  if (bytes === undefined) throw new ReasonError(`${prefix}invalid hex string`)
  if (isOdd) throw new ReasonError(`${prefix}hex string of odd length`)
  if (bytes.length === length) return bytes
  throw new ReasonError(
    `${prefix}hex has invalid length ${bytes.length} after decoding; expected ${length} for ${what}`,
  )
}
