import type { BlockSelector, BlockTag } from '../../chain/view.js'
import { hexToBytes } from '../../encoding/hex.js'
import { type Steps, runToCompletion } from '../../encoding/timeSlice.js'
import type { JsonSchema } from '../wire.js'
import { boolean, hash, invalidQuantityReason } from './bytes.js'
import {
  DecodeError,
  type Decoder,
  ReasonError,
  TypeMismatchError,
  inPieces,
  jsonTypeName,
  struct,
} from './combinators.js'
import { controlNumber } from './numbers.js'

const tags: readonly string[] = ['latest', 'earliest', 'pending', 'safe', 'finalized'] satisfies BlockTag[]

/** JSON Schema of a tag. */
const blockTagSchema: JsonSchema = { title: 'block tag', type: 'string', enum: tags }
/** JSON Schema of a block number. */
const blockNumberSchema: JsonSchema = {
  title: 'block number',
  type: 'string',
  pattern: '^0[xX](0|[1-9a-fA-F][0-9a-fA-F]{0,15})$',
}

/** A block given by tag or number. */
export type NumberSelector = Exclude<BlockSelector, { hash: Uint8Array }>

/** Whether a text is a block tag. */
export function isBlockTag(text: string): text is BlockTag {
  return tags.includes(text)
}

/** Digits of a 64-bit number. */
const MAX_DIGITS = 16

/** Whether a non-digit precedes the first excess digit: geth reads the digits one by one. */
function hasEarlyFault(text: string): boolean {
  const [, digits = ''] = /^0x([^0].*)$/is.exec(text.slice(0, '0x'.length + MAX_DIGITS + 1)) ?? []
  return /^[0-9a-f]{0,16}[^0-9a-f]/i.test(digits)
}

/**
 * Parses a block number, which must not be a tag (geth: rpc/types.go).
 *
 * @throws ReasonError; `tooHigh` is the reason for numbers beyond 2^63-1
 */
function parseBlockNumber(text: string, tooHigh: string): bigint {
  if (text === '') throw new ReasonError('empty hex string')
  const reason = invalidQuantityReason(text, 64)
  if (reason !== undefined) throw new ReasonError(hasEarlyFault(text) ? 'invalid hex string' : reason)
  const number = BigInt(text.toLowerCase())
  if (number >= 1n << 63n) throw new ReasonError(tooHigh)
  return number
}

/** A block number or tag (geth: rpc.BlockNumber). */
export const blockNumber: Decoder<NumberSelector> = {
  schema: { title: 'block number or tag', anyOf: [blockNumberSchema, blockTagSchema] },
  decode(value) {
    if (typeof value !== 'string') throw new ReasonError('hex string without 0x prefix')
    if (isBlockTag(value)) return { tag: value }
    return { number: parseBlockNumber(value, 'block number larger than int64') }
  },
}

/** The members of EIP-1898. */
const selectorObject = struct(
  { struct: 'erased', type: 'rpc.erased' },
  { blockNumber, blockHash: hash, requireCanonical: boolean },
)

/** A block number, tag, hash or EIP-1898 object (geth: rpc.BlockNumberOrHash). */
export const blockSelector: Decoder<BlockSelector> = {
  schema: {
    title: 'block number, tag or hash',
    anyOf: [blockNumberSchema, blockTagSchema, hash.schema, selectorObject.schema],
  },
  decode(value) {
    if (typeof value === 'string') return fromText(value)
    return runToCompletion(fromObject(value))
  },
  *decodeInSteps(value) {
    return typeof value === 'string' ? fromText(value) : yield* fromObject(value)
  },
}

function fromText(text: string): BlockSelector {
  if (isBlockTag(text)) return { tag: text }
  if (text.length !== 66) return { number: parseBlockNumber(text, 'blocknumber too high') }
  if (!/^0x/i.test(text)) throw new ReasonError('hex string without 0x prefix')
  if (!/^..[0-9a-f]{64}$/i.test(text)) throw new ReasonError('invalid hex string')
  return { hash: hexToBytes(text.slice(2)), requireCanonical: false }
}

function* fromObject(value: unknown): Steps<BlockSelector> {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new TypeMismatchError(jsonTypeName(value), 'string')
  }
  const { blockNumber: number, blockHash, requireCanonical = false } = yield* decodeMembers(value)
  if (number !== undefined && blockHash !== undefined) {
    throw new ReasonError('cannot specify both BlockHash and BlockNumber, choose one or the other')
  }
  if (blockHash !== undefined) return { hash: blockHash, requireCanonical }
  if (number !== undefined) return number
  throw new ReasonError('must specify either BlockHash or BlockNumber')
}

/** If a member does not fit, geth tries the whole value as a string, which fails. */
function* decodeMembers(value: object | null): Steps<ReturnType<typeof selectorObject.decode>> {
  try {
    return yield* inPieces(selectorObject, value)
  } catch (error) {
    if (error instanceof DecodeError) throw new TypeMismatchError('object', 'string')
    throw error
  }
}

/** A block parameter of Otterscan: any {@link blockSelector}, or a JSON number. */
export const otsBlock: Decoder<BlockSelector> = {
  schema: { anyOf: [...[blockSelector.schema], { type: 'integer', minimum: 0 }] },
  decode: (value) => runToCompletion(otsBlockInSteps(value)),
  decodeInSteps: otsBlockInSteps,
}

function* otsBlockInSteps(value: unknown): Steps<BlockSelector> {
  return typeof value === 'number'
    ? { number: controlNumber.decode(value) }
    : yield* inPieces(blockSelector, value)
}
