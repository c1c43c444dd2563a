import { defineMethod, type Method } from '../../method.js'

/** What geth calls the version of every namespace. */
const moduleVersion = '1.0'

/**
 * rpc_modules: the namespaces that have methods.
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
