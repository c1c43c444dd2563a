/** Methods whose answers about blocks up to the fork stay as they are. */
const settledMethods: ReadonlySet<string> = new Set([
  'eth_feeHistory',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getHeaderByHash',
  'eth_getHeaderByNumber',
  'eth_getLogs',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])

/** Characters of JSON that all answers together may have, and one of them. */
const capacity = 16 * 1024 * 1024
const largestAnswer = capacity / 8

/** Calls a method of a remote node. */
type Request = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * Keeps what a remote has answered about blocks, transactions, receipts and logs up to the fork; what was not used for
 * long goes first. Callers leave the answers unchanged.
 *
 * @param forkBlock - a transaction that is not in a block up to this one may still get another place
 */
export function withAnswerCache(request: Request, forkBlock: bigint): Request {
  const kept = new Map<string, { answer: unknown; size: number }>()
  let total = 0
  const keep = (key: string, answer: unknown): void => {
    const size = key.length + JSON.stringify(answer).length
    if (size > largestAnswer || kept.has(key)) return
    kept.set(key, { answer, size })
    total += size
    for (const [oldest, entry] of kept) {
      if (total <= capacity) return
      kept.delete(oldest)
      total -= entry.size
    }
  }
  return async (method, params) => {
    if (!settledMethods.has(method)) return request(method, params)
    const key = JSON.stringify([method, params])
    const known = kept.get(key)
    if (known !== undefined) {
      kept.delete(key)
      kept.set(key, known)
      return known.answer
    }
    const answer = await request(method, params)
    if (isSettled(answer, forkBlock)) keep(key, answer)
    return answer
  }
}

/** What is unknown, or waits, or lies above the fork, may be something else the next time. */
function isSettled(answer: unknown, forkBlock: bigint): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const { blockNumber, number } = answer as { blockNumber?: unknown; number?: unknown }
  const place = blockNumber === undefined ? number : blockNumber
  return place === undefined || (typeof place === 'string' && BigInt(place) <= forkBlock)
}
