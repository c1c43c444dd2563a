import type { Method } from './method.js'
import { debugMethods } from './methods/debug.js'
import { ethMethods } from './methods/eth.js'
import { evmMethods } from './methods/evm.js'
import { netMethods } from './methods/net.js'
import { personalMethods } from './methods/personal.js'
import { web3Methods } from './methods/web3.js'

/** Every method that is answered, under its name on the wire. */
export const registry: ReadonlyMap<string, Method> = new Map(
  [...debugMethods, ...ethMethods, ...evmMethods, ...netMethods, ...personalMethods, ...web3Methods].map(
    (method) => [method.name, method],
  ),
)
