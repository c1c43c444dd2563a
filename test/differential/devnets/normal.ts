import type { PeerName } from './peer.js'

/** Block hashes, roots and lengths, which depend on the genesis that the nodes do not share. */
const blockMembers: ReadonlySet<string> = new Set([
  'parentHash',
  'stateRoot',
  'receiptsRoot',
  'transactionsRoot',
  'blockHash',
  'size',
  'accountProof',
])
/** The same, and values that anvil randomizes. */
const diceMembers: ReadonlySet<string> = new Set([...blockMembers, 'mixHash'])
/** Times that advance with the clock. */
const clockMembers = new Set(['timestamp', 'blockTimestamp', 'currentBlockTimestamp'])
/** Tolerance for times in seconds. */
const CLOCK_STEP = 512

/** Removes values from an answer that two runs of the other node would not share either. */
export function normalAnswer(peer: PeerName, method: string, answer: Record<string, unknown>): unknown {
  const { result } = answer
  const volatile = peer === 'anvil' ? diceMembers : blockMembers
  const normal = (value: unknown): unknown => withoutVolatile(value, volatile)
  if (result === undefined || result === null) return withoutTimes(answer)
  // Block hashes, and transaction hashes instead of them.
  if (method === 'eth_getFilterChanges')
    return {
      ...answer,
      result: Array.isArray(result)
        ? result.map((change: unknown) => (typeof change === 'string' ? 'hash' : normal(change)))
        : result,
    }
  if (/^eth_new.*Filter$|^eth_subscribe$/.test(method)) return { ...answer, result: typeof result }
  if (/^(anvil|evm)_(increaseTime|setTime)$/.test(method)) return { ...answer, result: roughTime(result) }
  return { ...answer, result: normal(result) }
}

/** A refusal without the head's time, which depends on the clock. */
function withoutTimes(answer: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/(block's timestamp )\d+/g, '$1N'))
}

function withoutVolatile(value: unknown, volatile: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutVolatile(item, volatile))
  if (typeof value !== 'object' || value === null) return value
  const isBlock = 'parentHash' in value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (member !== null && (volatile.has(name) || (isBlock && name === 'hash')))
        return [name, typeof member]
      if (/^(instanceId|latestBlockHash|currentBlockHash)$/.test(name)) return [name, typeof member]
      return [name, clockMembers.has(name) ? roughTime(member) : withoutVolatile(member, volatile)]
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
