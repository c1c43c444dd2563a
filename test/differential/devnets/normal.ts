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
  if (peer === 'hardhat3' && answer['error'] !== undefined) return withoutForm(withoutTimes(answer))
  const volatile = peer === 'anvil' ? anvilMembers : blockMembers
  const normal = (value: unknown): unknown => withoutVolatile(value, volatile)
  if (result === undefined || result === null) return withoutTimes(withoutRequest(answer))
  // Block and transaction hashes.
  if (method === 'eth_getFilterChanges')
    return {
      ...answer,
      result: Array.isArray(result)
        ? result.map((change: unknown) => (typeof change === 'string' ? 'hash' : normal(change)))
        : result,
    }
  if (method === 'eth_createAccessList') return { ...answer, result: withSortedList(result) }
  if (/^eth_new.*Filter$|^eth_subscribe$/.test(method)) return { ...answer, result: typeof result }
  if (/^((anvil|evm)_(increaseTime|setTime)|anvil_getGenesisTime)$/.test(method))
    return { ...answer, result: roughTime(result) }
  return { ...answer, result: normal(result) }
}

/** Sorts an access list by address: anvil's has another order in each process. */
function withSortedList(result: object): unknown {
  const { accessList = [] } = result as { accessList?: { address: string }[] }
  return { ...result, accessList: accessList.toSorted((a, b) => (a.address < b.address ? -1 : 1)) }
}

/** Removes the parameters from an error's data, because hardhat adds the sender or the gas to them. */
function withoutRequest(answer: Record<string, unknown>): Record<string, unknown> {
  const { error } = answer as { error?: { data?: { data?: { params?: unknown } } } }
  if (error?.data?.data?.params === undefined) return answer
  const data = { ...error.data, data: { ...error.data.data, params: 'those of the request' } }
  return { ...answer, error: { ...error, data } }
}

/** Reduces an error to what hardhat 2 and 3 report alike: the code of other errors, the message and the returned data. */
function withoutForm(answer: unknown): unknown {
  const { error } = answer as { error: { code: number; message: string; data?: unknown } }
  const { code, message, data } = error
  const returned = typeof data === 'object' ? (data as { data?: unknown } | null)?.data : data
  return {
    error: {
      code: code === 3 ? -32603 : code,
      message: message.replace(/^Error: /, '').replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
      returned: typeof returned === 'string' ? returned : undefined,
    },
  }
}

/** Masks the head's timestamp in an error message, and removes the place where hardhat found the error. */
function withoutTimes(answer: Record<string, unknown>): unknown {
  const text = JSON.stringify(answer)
  return JSON.parse(text.replace(/(block's timestamp )\d+/g, '$1N').replace(/ at line \d+ column \d+/g, ''))
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
