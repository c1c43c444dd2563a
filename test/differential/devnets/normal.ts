import type { PeerName } from './peer.js'

/** Hashes, roots and sizes that depend on the genesis, which differs between the nodes. */
const blockMembers: ReadonlySet<string> = new Set([
  'parentHash',
  'stateRoot',
  'receiptsRoot',
  'transactionsRoot',
  'blockHash',
  'size',
  'accountProof',
])
/** As above, and what anvil chooses at random. */
const anvilMembers: ReadonlySet<string> = new Set([...blockMembers, 'mixHash'])
/** Times that depend on the running clock. */
const clockMembers = new Set(['timestamp', 'blockTimestamp', 'currentBlockTimestamp'])
/** Times are rounded down to multiples of this number of seconds. */
const CLOCK_STEP = 512

/** Returns an answer without what would differ between two runs of the other node, too. */
export function normalAnswer(peer: PeerName, method: string, answer: Record<string, unknown>): unknown {
  const { result } = answer
  const volatile = peer === 'anvil' ? anvilMembers : blockMembers
  const normal = (value: unknown): unknown => withoutVolatile(value, volatile)
  if (result === undefined || result === null) return withoutTimes(answer)
  // Block and transaction hashes.
  if (method === 'eth_getFilterChanges')
    return {
      ...answer,
      result: Array.isArray(result)
        ? result.map((change: unknown) => (typeof change === 'string' ? 'hash' : normal(change)))
        : result,
    }
  if (/^eth_new.*Filter$|^eth_subscribe$/.test(method)) return { ...answer, result: typeof result }
  if (/^((anvil|evm)_(increaseTime|setTime)|anvil_getGenesisTime)$/.test(method))
    return { ...answer, result: roughTime(result) }
  return { ...answer, result: normal(result) }
}

/** Masks the head's timestamp in an error message. */
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
