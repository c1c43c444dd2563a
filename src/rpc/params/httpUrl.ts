import type { Decoder } from './parameter.js'
import { ReasonError } from './decodeError.js'
import { text } from './text.js'

const { schema, decode } = text('string', 'URL')

/** The URL of a node that speaks JSON-RPC over HTTP. */
export const httpUrl: Decoder<string> = {
  schema,
  decode(value) {
    const url = decode(value)
    if (!/^https?:/.test(url) || !URL.canParse(url)) throw new ReasonError('expected an http or https URL')
    return url
  },
}
