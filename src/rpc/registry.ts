import type { Method } from './method.js'
import { controlMethods } from './methods/controls.js'
import { debugMethods } from './methods/debug.js'
import { getHeaderByNumber } from './methods/eth/getHeaderByNumber.js'
import { ethMethods } from './methods/eth.js'
import { netMethods } from './methods/net.js'
import { otsMethods } from './methods/ots.js'
import { personalMethods } from './methods/personal.js'
import { discoverMethod, modulesMethod } from './methods/rpc.js'
import { testingMethods } from './methods/testing.js'
import { traceMethods } from './methods/trace.js'
import { txpoolMethods } from './methods/txpool.js'
import { web3Methods } from './methods/web3.js'

const methods: ReadonlyMap<string, Method> = new Map(
  [
    ...debugMethods,
    ...ethMethods,
    ...controlMethods,
    ...netMethods,
    // Otterscan requests block headers under this name.
    { ...getHeaderByNumber, name: 'erigon_getHeaderByNumber' },
    ...otsMethods,
    ...personalMethods,
    ...testingMethods,
    ...txpoolMethods,
    ...traceMethods,
    ...web3Methods,
  ].map((method) => [method.name, method]),
)

const modules = modulesMethod([...methods.values()])
const discover = discoverMethod([...methods.values(), modules])

/** All methods by wire name. */
export const registry: ReadonlyMap<string, Method> = new Map([
  ...methods,
  [modules.name, modules],
  [discover.name, discover],
])
