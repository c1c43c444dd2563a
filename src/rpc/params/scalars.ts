import { KindMismatchError, ReasonError } from './decodeError.js'
import type { Decoder } from './combinators.js'

/** A value that nothing is done with. */
export const anything: Decoder<unknown> = { schema: {}, decode: (value) => value }

/** A boolean; null is false, as it is to Go. */
export const boolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (value === null) return false
    if (typeof value !== 'boolean') throw KindMismatchError.of(value, 'bool')
    return value
  },
}

/** A boolean where null is not one. */
export const strictBoolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (typeof value !== 'boolean') throw KindMismatchError.of(value, 'bool')
    return value
  },
}

/** A string under the name of the Go type that holds it; null is the empty string. */
export function text(type: string, title: string): Decoder<string> {
  return {
    schema: { title, type: 'string' },
    decode(value) {
      if (value === null) return ''
      if (typeof value !== 'string') throw KindMismatchError.of(value, type)
      return value
    },
  }
}

/** The id of a filter or subscription. */
export const filterId = text('rpc.ID', 'filter identifier')

/** A passphrase of an account; keys are not locked here, so that it means nothing. */
export const passphrase = text('string', 'passphrase')

const urlText = text('string', 'URL')

/** The URL of a node that speaks JSON-RPC over HTTP. */
export const httpUrl: Decoder<string> = {
  schema: urlText.schema,
  decode(value) {
    const url = urlText.decode(value)
    if (!/^https?:/.test(url) || !URL.canParse(url)) throw new ReasonError('expected an http or https URL')
    return url
  },
}
