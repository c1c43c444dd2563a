/** Credits of a method that the list does not name. */
const standardCost = 80

/** Credits of a method that does not exist. */
export const unknownMethodCost = 160

/** Credits of a whole request that is refused with a 4xx other than 402 and 429. */
export const refusedRequestCost = 5

/** Credits that a batch costs besides its items (a choice of ours). */
export const batchCost = 80

const groups: readonly [credits: number, methods: readonly string[]][] = [
  [5, ['eth_chainId', 'net_version', 'net_listening', 'eth_syncing', 'eth_subscribe', 'eth_hashrate']],
  [5, ['eth_mining', 'eth_protocolVersion']],
  [10, ['eth_unsubscribe']],
  [140, ['eth_getFilterChanges']],
  [150, ['eth_getProof', 'eth_getTransactionByBlockHashAndIndex']],
  [150, ['eth_getTransactionByBlockNumberAndIndex', 'eth_getBlockTransactionCountByHash']],
  [150, ['eth_getBlockTransactionCountByNumber', 'eth_getUncleByBlockHashAndIndex']],
  [150, ['eth_getUncleByBlockNumberAndIndex', 'eth_getUncleCountByBlockHash']],
  [150, ['eth_getUncleCountByBlockNumber']],
  [255, ['eth_getLogs', 'eth_getFilterLogs']],
  [300, ['eth_estimateGas', 'eth_blobBaseFee']],
  [1000, ['eth_getBlockReceipts']],
]

const costs: ReadonlyMap<string, number> = new Map(
  groups.flatMap(([credits, methods]) => methods.map((method) => [method, credits] as const)),
)

/** The credits that one call of a method costs. */
export function costOf(method: string): number {
  const listed = costs.get(method)
  if (listed !== undefined) return listed
  if (method.startsWith('trace_')) return 300
  if (method.startsWith('debug_')) return 1000
  return standardCost
}

/** Credits that a subscription costs for each block. */
export const subscriptionBlockCosts: Readonly<Record<string, number>> = { newHeads: 50, logs: 300 }

/** Credits that a subscription to pending transactions costs for each second. */
export const pendingSubscriptionCost = 200
