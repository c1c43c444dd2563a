import { quantity } from '../../encoding/quantity.js'
import type { JsonValue } from '../json.js'
import type { Call, Method, Result } from '../method.js'
import { WireBytes } from '../wire.js'
import { remotePlaceOf } from './blockPlace.js'
import { ask, forward } from './forward.js'
import type { RemoteChain } from './remoteChain.js'

/** eth_getLogs on a fork: the remote's logs of its blocks, then those of the local ones. */
export function forkedLogs(remote: RemoteChain, local: Method): Method['invoke'] {
  return async (call, params) => {
    const [filter] = Array.isArray(params) ? (params as unknown[]) : []
    if (typeof filter !== 'object' || filter === null) return local.invoke(call, params)
    const wanted = filter as { fromBlock?: unknown; toBlock?: unknown; blockHash?: unknown }
    if (wanted.blockHash !== undefined && wanted.blockHash !== null) {
      const place = await remotePlaceOf(remote, call, { blockHash: wanted.blockHash })
      return place === undefined ? local.invoke(call, params) : forward(remote, local.name, [filter])
    }
    const from = await remotePlaceOf(remote, call, wanted.fromBlock ?? 'latest')
    if (from === undefined) return local.invoke(call, params)
    const to = await remotePlaceOf(remote, call, wanted.toBlock ?? 'latest')
    const range = { fromBlock: quantity(from.number), toBlock: quantity(to?.number ?? remote.forkBlock) }
    const earlier = (await ask(remote, local.name, [{ ...wanted, ...range }])) as JsonValue[]
    if (to !== undefined) return earlier
    return [...earlier, ...(await localLogs(remote, local, call, wanted))]
  }
}

async function localLogs(
  remote: RemoteChain,
  local: Method,
  call: Call,
  wanted: object,
): Promise<readonly JsonValue[]> {
  if (call.view.head().header.number === remote.forkBlock) return []
  const result: Result = await local.invoke(call, [{ ...wanted, fromBlock: quantity(remote.forkBlock + 1n) }])
  return (result instanceof WireBytes ? result.parse() : result) as readonly JsonValue[]
}
