import type { JsonSchema } from '../wire.js'
import type { Decoder } from './parameter.js'
import { decodeQuantity } from './hexText.js'

const schema: JsonSchema = {
  title: '64 bit unsigned integer',
  type: 'string',
  pattern: '^(0[xX](0|[1-9a-fA-F][0-9a-fA-F]{0,15}))?$',
}

/** A QUANTITY of at most 64 bits. */
export const uint64: Decoder<bigint> = {
  schema,
  decode: (value) => decodeQuantity(value, 64, 'hexutil.Uint64'),
}

/** The index of something in a block. Indexes beyond 2^53 are beyond every block and lose precision harmlessly. */
export const index: Decoder<number> = {
  schema: { ...schema, title: 'index' },
  decode: (value) => Number(decodeQuantity(value, 64, 'hexutil.Uint')),
}
