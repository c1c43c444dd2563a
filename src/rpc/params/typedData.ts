import type { Decoder } from './parameter.js'
import { jsonTypeName, ReasonError, TypeMismatchError } from './decodeError.js'

/** Typed data (EIP-712) as an object or as its JSON text. */
export const typedData: Decoder<object> = {
  schema: {
    title: 'typed data',
    anyOf: [
      { type: 'object', required: ['types', 'primaryType', 'domain', 'message'] },
      { type: 'string', contentMediaType: 'application/json' },
    ],
  },
  decode(value) {
    const given = typeof value === 'string' ? parse(value) : value
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
    throw new TypeMismatchError(jsonTypeName(given), 'apitypes.TypedData')
  },
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ReasonError('typed data is not valid JSON')
  }
}
