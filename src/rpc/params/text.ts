import type { Decoder } from './parameter.js'
import { jsonTypeName, TypeMismatchError } from './decodeError.js'

/** A string under the name of the Go type that holds it; null is the empty string. */
export function text(type: string, title: string): Decoder<string> {
  return {
    schema: { title, type: 'string' },
    decode(value) {
      if (value === null) return ''
      if (typeof value !== 'string') throw new TypeMismatchError(jsonTypeName(value), type)
      return value
    },
  }
}

/** The id of a filter or subscription. */
export const filterId = text('rpc.ID', 'filter identifier')

/** A passphrase of an account; keys are not locked here, so that it means nothing. */
export const passphrase = text('string', 'passphrase')
