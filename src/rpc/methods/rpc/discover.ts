import type { JsonValue } from '../../wire.js'
import { defineMethod, type Method } from '../../method.js'

/** The version of OpenRPC that the document follows. */
const openRpc = '1.3.2'

/**
 * rpc.discover: an OpenRPC document of all methods, made from the schemas that their arguments are decoded by.
 *
 * @param methods - all but this one
 */
export function discoverMethod(methods: readonly Method[]): Method {
  const discover: Method = defineMethod('rpc.discover', [], ({ backend }) => ({
    openrpc: openRpc,
    info: { title: 'Standin', version: backend.clientVersion },
    methods: [...methods, discover].toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(describeMethod),
  }))
  return discover
}

function describeMethod({ name, parameters }: Method): JsonValue {
  return {
    name,
    paramStructure: 'by-position',
    params: parameters.map((parameter) => ({
      name: parameter.name,
      required: parameter.required,
      schema: parameter.decoder.schema,
    })),
    result: { name: 'result', schema: true },
  }
}
