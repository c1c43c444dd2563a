import type { BlockSelector, BlockTag } from '../../chain/view.js'
import { hexToBytes } from '../../encoding/hex.js'
import type { JsonSchema } from '../wire.js'
import { boolean, hash, invalidQuantityReason } from './bytes.js'
import {
  DecodeError,
  type Decoder,
  ReasonError,
  TypeMismatchError,
  jsonTypeName,
  struct,
} from './combinators.js'
import { controlNumber } from './numbers.js'

const tags: readonly string[] = ['latest', 'earliest', 'pending', 'safe', 'finalized'] satisfies BlockTag[]

/** The schema of a tag. */
export const blockTagSchema: JsonSchema = { title: 'block tag', type: 'string', enum: tags }
/** The schema of a block number. */
export const blockNumberSchema: JsonSchema = {
  title: 'block number',
  type: 'string',
  pattern: '^0[xX](0|[1-9a-fA-F][0-9a-fA-F]{0,15})$',
}

/** A block named by a tag or a number. */
export type NumberSelector = Exclude<BlockSelector, { hash: Uint8Array }>

/** Whether a text is one of the tags. */
export function isBlockTag(text: string): text is BlockTag {
  return tags.includes(text)
}

/** Whether something that is no digit comes before the digits are too many: geth reads them one by one. */
function hasEarlyFault(text: string): boolean {
  const [, digits = ''] = /^0x([^0].*)$/is.exec(text) ?? []
  return /^[0-9a-f]{0,16}[^0-9a-f]/i.test(digits)
}

/**
 * The number in a text that is no tag (geth: rpc/types.go).
 *
 * @throws ReasonError; `tooHigh` is the reason for numbers beyond 2^63-1.
 */
export function parseBlockNumber(text: string, tooHigh: string): bigint {
  if (text === '') throw new ReasonError('empty hex string')
  const reason = invalidQuantityReason(text, 64)
  if (reason !== undefined) throw new ReasonError(hasEarlyFault(text) ? 'invalid hex string' : reason)
  const number = BigInt(text.toLowerCase())
  if (number >= 1n << 63n) throw new ReasonError(tooHigh)
  return number
}

/** A block parameter that is a number or a tag (geth: rpc.BlockNumber). */
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

/** A block parameter that is a number, a tag, a hash, or an object of EIP-1898 (geth: rpc.BlockNumberOrHash). */
export const blockSelector: Decoder<BlockSelector> = {
  schema: {
    title: 'block number, tag or hash',
    anyOf: [blockNumberSchema, blockTagSchema, hash.schema, selectorObject.schema],
  },
  decode(value) {
    if (typeof value === 'string') return fromText(value)
    if (typeof value === 'object' && !Array.isArray(value)) return fromObject(value)
    throw new TypeMismatchError(jsonTypeName(value), 'string')
  },
}

function fromText(text: string): BlockSelector {
  if (isBlockTag(text)) return { tag: text }
  if (text.length !== 66) return { number: parseBlockNumber(text, 'blocknumber too high') }
  if (!/^0x/i.test(text)) throw new ReasonError('hex string without 0x prefix')
  if (!/^..[0-9a-f]{64}$/i.test(text)) throw new ReasonError('invalid hex string')
  return { hash: hexToBytes(text.slice(2)), requireCanonical: false }
}

function fromObject(value: object | null): BlockSelector {
  const { blockNumber: number, blockHash, requireCanonical = false } = decodeMembers(value)
  if (number !== undefined && blockHash !== undefined) {
    throw new ReasonError('cannot specify both BlockHash and BlockNumber, choose one or the other')
  }
  if (blockHash !== undefined) return { hash: blockHash, requireCanonical }
  if (number !== undefined) return number
  throw new ReasonError('must specify either BlockHash or BlockNumber')
}

/** A member that does not fit makes geth read the whole value as a string, which it is not. */
function decodeMembers(value: object | null): ReturnType<typeof selectorObject.decode> {
  try {
    return selectorObject.decode(value)
  } catch (error) {
    if (error instanceof DecodeError) throw new TypeMismatchError('object', 'string')
    throw error
  }
}

/** A block as Otterscan names it: as everywhere else, or by a JSON number. */
export const otsBlock: Decoder<BlockSelector> = {
  schema: { anyOf: [...[blockSelector.schema], { type: 'integer', minimum: 0 }] },
  decode: (value) =>
    typeof value === 'number' ? { number: controlNumber.decode(value) } : blockSelector.decode(value),
}
