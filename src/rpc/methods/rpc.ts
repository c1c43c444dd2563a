import { type Method, defineMethod } from '../method.js'
import type { JsonValue } from '../wire.js'

/** Geth's version of every namespace. */
const moduleVersion = '1.0'

/**
 * rpc_modules: returns the available namespaces.
 *
 * @param methods - all but this one
 */
export function modulesMethod(methods: readonly Method[]): Method {
  const namespaces = methods.map(({ name }) => name.slice(0, name.indexOf('_')))
  const modules = Object.fromEntries(
    [...new Set([...namespaces, 'rpc'])].sort().map((name) => [name, moduleVersion]),
  )
  return defineMethod('rpc_modules', [], () => modules)
}

/** OpenRPC version of the document. */
const openRpc = '1.3.2'

/**
 * rpc.discover: returns an OpenRPC document of all methods, built from the schemas of their decoders.
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
