/** Hashes of blocks, roots and lengths, which follow from a genesis that the nodes do not share. */
const blockMembers = new Set([
  'parentHash',
  'stateRoot',
  'receiptsRoot',
  'transactionsRoot',
  'blockHash',
  'size',
])
/** Times that a clock which goes on moves. */
const clockMembers = new Set(['timestamp', 'blockTimestamp', 'currentBlockTimestamp'])
/** Seconds within which times are the same. */
const CLOCK_STEP = 512

/** An answer without what two runs of one node would not share either. */
export function normalAnswer(method: string, answer: Record<string, unknown>): unknown {
  const { result } = answer
  if (result === undefined || result === null) return withoutTimes(answer)
  // Hashes of blocks, and of transactions that stand for them.
  if (method === 'eth_getFilterChanges') return { ...answer, result: inShape(result) }
  if (/^eth_new.*Filter$|^eth_subscribe$/.test(method)) return { ...answer, result: typeof result }
  if (/^evm_(increaseTime|setTime)$/.test(method)) return { ...answer, result: roughTime(result) }
  if (method === 'debug_traceTransaction') return { ...answer, result: normal(result) }
  return { ...answer, result: normal(result) }
}

/** A refusal without the time of the head, which the clock moves. */
function withoutTimes(answer: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/(block's timestamp )\d+/g, '$1N'))
}

function inShape(changes: unknown): unknown {
  return Array.isArray(changes)
    ? changes.map((change) => (typeof change === 'string' ? 'hash' : normal(change)))
    : changes
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object' || value === null) return value
  const isBlock = 'parentHash' in value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (member !== null && (blockMembers.has(name) || (isBlock && name === 'hash')))
        return [name, typeof member]
      if (/^(instanceId|latestBlockHash|currentBlockHash)$/.test(name)) return [name, typeof member]
      return [name, clockMembers.has(name) ? roughTime(member) : normal(member)]
    }),
  )
}

function roughTime(time: unknown): unknown {
  if (typeof time !== 'string' && typeof time !== 'number') return time
  const rounded = BigInt(time) / BigInt(CLOCK_STEP)
  return typeof time === 'string'
    ? `about ${rounded}${time.startsWith('0x') ? '' : ' in decimals'}`
    : Number(rounded)
}
