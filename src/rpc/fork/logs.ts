import { TooManyLogsError } from '../../chain/errors.js'
import { bytesToHex } from '../../encoding/hex.js'
import { quantity } from '../../encoding/quantity.js'
import type { JsonValue } from '../wire.js'
import { findLogs, searchedRange, tooManyLogs } from '../logQuery.js'
import { required, withArguments, type Call, type Method, type Result } from '../method.js'
import { decodeArguments } from '../params/arguments.js'
import type { NumberSelector } from '../params/blockNumber.js'
import { filter, type FilterArguments } from '../params/filter.js'
import { filterId } from '../params/text.js'
import { remoteNumberOfHash } from './blockPlace.js'
import { ask, forward } from './forward.js'
import type { RemoteChain } from './remoteChain.js'

const queryParameters = [required('filter', filter)] as const
const filterParameters = [required('id', filterId)] as const

/** eth_getLogs on a fork. */
export function forkedLogs(remote: RemoteChain): Method['invoke'] {
  return (call, params) =>
    withArguments(call, params, queryParameters, (_call, wanted) => find(remote, call, wanted))
}

/** eth_getFilterLogs on a fork. */
export function forkedFilterLogs(remote: RemoteChain): Method['invoke'] {
  return (call, params) => {
    const [id] = decodeArguments(params, filterParameters)
    return find(remote, call, call.filters.logs(id))
  }
}

/** The remote's logs of its blocks, then those of the local ones; the limits hold for both together. */
async function find(remote: RemoteChain, call: Call, wanted: FilterArguments): Promise<Result> {
  if (wanted.blockHash !== undefined) {
    const blockHash = bytesToHex(wanted.blockHash)
    const number = await remoteNumberOfHash(remote, call, blockHash)
    if (number === undefined) return findLogs(call, wanted)
    return forward(remote, 'eth_getLogs', [{ ...conditionsOf(wanted), blockHash }])
  }
  const { forkBlock } = remote
  const range = searchedRange(call, fromTheStart(wanted))
  if (range === undefined || 'block' in range || range.from > forkBlock) return findLogs(call, wanted)
  const last = range.to < forkBlock ? range.to : forkBlock
  const place = { fromBlock: quantity(range.from), toBlock: quantity(last) }
  const earlier = (await ask(remote, 'eth_getLogs', [{ ...conditionsOf(wanted), ...place }])) as JsonValue[]
  const logs = range.to === last ? earlier : [...earlier, ...(await localLogs(call, wanted, range.to, last))]
  const { settings } = call.backend
  if (logs.length <= settings.maxLogs) return logs
  const whole = earlier.length <= settings.maxLogs ? last : range.from
  throw tooManyLogs(new TooManyLogsError(settings.maxLogs, { from: range.from, to: whole }), settings)
}

async function localLogs(
  call: Call,
  wanted: FilterArguments,
  to: bigint,
  forkBlock: bigint,
): Promise<readonly JsonValue[]> {
  const bounds = { fromBlock: { number: forkBlock + 1n }, toBlock: { number: to } }
  const found = await findLogs(call, { ...wanted, ...bounds })
  return found.parse() as readonly JsonValue[]
}

/** A local chain begins with the fork, and the whole one at 0. */
function fromTheStart(wanted: FilterArguments): FilterArguments {
  const { fromBlock, toBlock } = wanted
  return {
    ...wanted,
    ...(fromBlock !== undefined && { fromBlock: numbered(fromBlock) }),
    ...(toBlock !== undefined && { toBlock: numbered(toBlock) }),
  }
}

function numbered(bound: NumberSelector): NumberSelector {
  return 'tag' in bound && bound.tag === 'earliest' ? { number: 0n } : bound
}

/** What a filter asks of logs, as it goes over the wire; an empty position matches any topic. */
function conditionsOf({ addresses, topics }: FilterArguments) {
  return {
    ...(addresses.length > 0 && { address: addresses.map(bytesToHex) }),
    topics: topics.map((position) => (position.length === 0 ? null : position.map(bytesToHex))),
  }
}
