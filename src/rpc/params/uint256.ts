import type { JsonSchema } from '../wire.js'
import type { Decoder } from './parameter.js'
import { decodeQuantity } from './hexText.js'

const schema: JsonSchema = {
  title: '256 bit unsigned integer',
  type: 'string',
  pattern: '^(0[xX](0|[1-9a-fA-F][0-9a-fA-F]{0,63}))?$',
}

/** A QUANTITY of at most 256 bits, as calls hold amounts and fees. */
export const big: Decoder<bigint> = { schema, decode: (value) => decodeQuantity(value, 256, '*hexutil.Big') }

/** A QUANTITY of at most 256 bits, as authorizations hold chain ids and signatures (EIP-7702). */
export const uint256: Decoder<bigint> = {
  schema,
  decode: (value) => decodeQuantity(value, 256, '*uint256.Int'),
}
