import { quantity } from '../../encoding/quantity.js'
import type { Method } from '../method.js'
import { type JsonValue, WireBytes } from '../wire.js'
import { remotePlaceOf } from './blockPlace.js'
import { ask, forward } from './forward.js'
import type { RemoteChain } from './remoteChain.js'

/** What eth_feeHistory answers: of n blocks, and of the base fees one more. */
type FeeHistory = Readonly<Record<string, JsonValue[] | JsonValue>>

/** eth_feeHistory on a fork: blocks of the remote, then local ones. */
export function forkedFeeHistory(remote: RemoteChain, local: Method): Method['invoke'] {
  return async (call, params) => {
    const [countText, newest, percentiles] = Array.isArray(params) ? (params as unknown[]) : []
    const count = Number(countText)
    if (!Number.isInteger(count) || count < 1) return local.invoke(call, params)
    const place = await remotePlaceOf(remote, call, newest)
    if (place !== undefined) return forward(remote, local.name, [countText, place.parameter, percentiles])
    const block =
      newest === 'pending' ? call.view.head().header.number + 1n : numberOf(newest, call.view.head())
    if (block === undefined || block > call.view.head().header.number + 1n) return local.invoke(call, params)
    const localCount = Number(block - remote.forkBlock)
    if (count <= localCount) return local.invoke(call, params)
    const [earlier, later] = await Promise.all([
      ask(remote, local.name, [quantity(count - localCount), quantity(remote.forkBlock), percentiles]),
      local.invoke(call, [quantity(localCount), newest, percentiles]),
    ])
    const own = later instanceof WireBytes ? later.parse() : later
    return joined(earlier as FeeHistory, own as FeeHistory)
  }
}

/** Both lists of each member, one behind the other; the base fee after the first is the first of the second. */
function joined(earlier: FeeHistory, later: FeeHistory): JsonValue {
  const members = Object.entries(later).map(([name, value]): [string, JsonValue] => {
    const before = earlier[name]
    if (!Array.isArray(value) || !Array.isArray(before)) return [name, before ?? value]
    const overlap =
      Array.isArray(later['gasUsedRatio']) && value.length > later['gasUsedRatio'].length ? 1 : 0
    return [name, [...before.slice(0, before.length - overlap), ...value]]
  })
  return Object.fromEntries(members)
}

function numberOf(newest: unknown, head: { header: { number: bigint } }): bigint | undefined {
  if (newest === 'latest') return head.header.number
  return typeof newest === 'string' && /^0x[0-9a-f]{1,16}$/i.test(newest) ? BigInt(newest) : undefined
}
