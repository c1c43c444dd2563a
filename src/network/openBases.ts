import { openBase } from '../chain/open.js'
import { blockEncoder } from '../rpc/format/blockEncoder.js'
import { forkedMethods } from '../rpc/fork/forkedMethods.js'
import type { Method } from '../rpc/method.js'
import { registry } from '../rpc/registry.js'
import { ChainBases } from './chainBases.js'
import type { Home } from './home.js'
import type { NetworkRequest } from './network.js'
import type { Origin } from './origin.js'

/** What a chain stands on, and the methods that are answered while it stands there. */
export interface OpenedBases {
  bases: ChainBases
  /** By name; changes in place when the chain goes to another base. */
  offered: ReadonlyMap<string, Method>
}

/**
 * Puts the chain of a network where a reset had taken it before the node went down; else it stays at home.
 *
 * @throws ForkError if the remote of that base cannot be used.
 */
export async function openBases(request: NetworkRequest, origin: Origin, home: Home): Promise<OpenedBases> {
  const { settings, data } = request
  const methods = new Map([...registry, ...request.methods.map((method) => [method.name, method] as const)])
  const offered = new Map<string, Method>()
  const bases = new ChainBases({
    chain: home.chain,
    home: home.ground,
    schedules: home.schedules,
    data,
    entry: home.entry,
    settings,
    caches: origin.caches,
    open: async (fork, index) => {
      const { chainId, schedule: forks, genesis } = origin.chainOn(fork)
      const schedule = forks.with({ ...origin.limits, isFork: true })
      const base = await openBase({
        database: data.database,
        caches: data.caches,
        encoder: blockEncoder,
        network: index,
        chainId,
        schedule,
        genesis,
        fork: { ...fork, ...origin.funds },
      })
      return { schedule, base }
    },
    entered: (fork) => {
      const entries = fork === undefined ? methods : forkedMethods(methods, fork.remote)
      for (const [name, method] of entries) offered.set(name, method)
    },
  })
  await bases.resume()
  return { bases, offered }
}
