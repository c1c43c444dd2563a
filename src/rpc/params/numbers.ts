import { MAX_UINT64 } from '../../encoding/bigints.js'
import type { JsonSchema } from '../wire.js'
import { type Decoder, KindMismatchError, ReasonError } from './combinators.js'
import { decodeQuantity } from './bytes.js'
import { shownValue } from './shownValue.js'

/** A JSON integer. */
export const int: Decoder<number> = {
  schema: { type: 'integer' },
  decode(value) {
    if (typeof value !== 'number') throw KindMismatchError.of(value, 'int')
    const isInt = Number.isInteger(value) && Math.abs(value) < 2 ** 63
    if (!isInt) throw new KindMismatchError(`number ${value}`, 'int')
    return value
  },
}

/**
 * A number as clients of development nodes send it: a JSON number, or hexadecimal or decimal text. Client libraries
 * strip leading zeros, so `0x` is zero.
 */
export const controlNumber: Decoder<bigint> = {
  schema: {
    title: 'number',
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^(0[xX][0-9a-fA-F]*|[0-9]+)$' },
    ],
  },
  decode(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
    if (value === '0x') return 0n
    if (typeof value === 'string' && /^(0x[0-9a-f]{1,64}|[0-9]{1,77})$/i.test(value)) {
      return BigInt(value.toLowerCase())
    }
    throw new ReasonError(`expected a number or a hexadecimal or decimal string, got ${shownValue(value)}`)
  },
}

/** A {@link controlNumber} of at most 64 bits, for fields of headers and accounts. */
export const controlUint64: Decoder<bigint> = {
  schema: controlNumber.schema,
  decode(value) {
    const number = controlNumber.decode(value)
    if (number > MAX_UINT64) throw new ReasonError('hex number > 64 bits')
    return number
  },
}

const MAX_UINT128 = 2n ** 128n - 1n

/** A {@link controlNumber} in wei per gas, at most 128 bits, like all such fields of a block. */
export const controlWeiPerGas: Decoder<bigint> = {
  schema: controlNumber.schema,
  decode(value) {
    const number = controlNumber.decode(value)
    if (number > MAX_UINT128) throw new ReasonError('hex number > 128 bits')
    return number
  },
}

/** A delay in milliseconds. */
export const milliseconds: Decoder<number> = {
  schema: { ...controlNumber.schema, title: 'milliseconds' },
  decode: (value) => Number(controlNumber.decode(value)),
}

const uint256Schema: JsonSchema = {
  title: '256 bit unsigned integer',
  type: 'string',
  pattern: '^(0[xX](0|[1-9a-fA-F][0-9a-fA-F]{0,63}))?$',
}

/** A QUANTITY of at most 256 bits, as calls use for amounts and fees. */
export const big: Decoder<bigint> = {
  schema: uint256Schema,
  decode: (value) => decodeQuantity(value, 256, '*hexutil.Big'),
}

/** A QUANTITY of at most 256 bits, as authorizations use for chain ids and signatures (EIP-7702). */
export const uint256: Decoder<bigint> = {
  schema: uint256Schema,
  decode: (value) => decodeQuantity(value, 256, '*uint256.Int'),
}

const uint64Schema: JsonSchema = {
  title: '64 bit unsigned integer',
  type: 'string',
  pattern: '^(0[xX](0|[1-9a-fA-F][0-9a-fA-F]{0,15}))?$',
}

/** A QUANTITY of at most 64 bits. */
export const uint64: Decoder<bigint> = {
  schema: uint64Schema,
  decode: (value) => decodeQuantity(value, 64, 'hexutil.Uint64'),
}

/** An index within a block. Beyond 2^53 it exceeds every block, so the loss of precision is harmless. */
export const index: Decoder<number> = {
  schema: { ...uint64Schema, title: 'index' },
  decode: (value) => Number(decodeQuantity(value, 64, 'hexutil.Uint')),
}

/** An {@link index} where geth uses a signed 64-bit integer. */
export const signedIndex: Decoder<bigint> = {
  schema: index.schema,
  decode: (value) => BigInt.asIntN(64, decodeQuantity(value, 64, 'hexutil.Uint')),
}
