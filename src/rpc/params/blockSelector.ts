import type { BlockSelector } from '../../chain/view.js'
import { hexToBytes } from '../../encoding/hex.js'
import type { Decoder } from './parameter.js'
import {
  blockNumber,
  blockNumberSchema,
  blockTagSchema,
  isBlockTag,
  parseBlockNumber,
} from './blockNumber.js'
import { boolean } from './boolean.js'
import { DecodeError, jsonTypeName, ReasonError, TypeMismatchError } from './decodeError.js'
import { hash } from './hash.js'
import { struct } from './struct.js'

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
