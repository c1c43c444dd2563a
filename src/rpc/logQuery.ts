import { minBigint } from '../encoding/bigints.js'
import type { StoredBlock } from '../chain/block/record.js'
import { HeaderNotFoundError, TooManyLogsError } from '../chain/errors.js'
import type { ChainView, LogQuery } from '../chain/view.js'
import type { Call } from './method.js'
import type { RpcSettings } from './backend.js'
import { InvalidParamsError, LimitExceededError, ServerError } from './errors.js'
import type { CompatibilityProfile } from './compatibility.js'
import { latestBlock } from './methods/findBlock.js'
import type { NumberSelector } from './params/blockSelector.js'
import type { FilterArguments } from './params/filter.js'
import { wireArray, type WireBytes } from './wire.js'

/**
 * Finds the logs that match a filter, as an array in wire form.
 *
 * @throws RpcError if the range cannot be searched or the query exceeds its limits
 */
export async function findLogs(call: Call, filter: FilterArguments): Promise<WireBytes> {
  return wireArray(await findLogTexts(call, filter))
}

/** Finds the logs that match a filter, each in wire form. @throws like `findLogs` */
export async function findLogTexts(call: Call, filter: FilterArguments): Promise<readonly Uint8Array[]> {
  const { view, backend, context } = call
  const { settings } = backend
  const range = searchedRange(call, filter)
  if (range === undefined) return []
  const limits = {
    maxResults: settings.maxLogs,
    timeoutMilliseconds: settings.logTimeoutMilliseconds,
    requester: context,
  }
  try {
    return await view.logs({ range, addresses: filter.addresses, topics: filter.topics }, limits)
  } catch (error) {
    throw error instanceof TooManyLogsError ? tooManyLogs(error, settings) : error
  }
}

/** Returns the error for a query with too many matches; it suggests a range that fits if the settings say so. */
export function tooManyLogs(error: TooManyLogsError, { logsError }: RpcSettings): Error {
  return logsError === 'suggest' ? suggestion(error) : error
}

/** Counts addresses and topics of all positions together, like the hosted provider's parameter limit. */
function checkParameterCount(
  { addresses, topics }: FilterArguments,
  { maxLogParameters }: RpcSettings,
): void {
  const count = addresses.length + topics.reduce((sum, position) => sum + position.length, 0)
  if (count > maxLogParameters) throw new InvalidParamsError(`query exceeds ${maxLogParameters} parameters`)
}

/**
 * Returns the blocks to search; undefined if there are none.
 *
 * @throws RpcError if the range cannot be searched or the query exceeds its limits
 */
export function searchedRange(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  filter: FilterArguments,
): LogQuery['range'] | undefined {
  const { settings } = backend
  checkParameterCount(filter, settings)
  if (filter.blockHash !== undefined) {
    return { block: blockOfHash(view, filter.blockHash) }
  }
  const { fromBlock = latestBlock, toBlock = latestBlock } = filter
  const range =
    settings.logsRange === 'lenient'
      ? clippedRange(view, fromBlock, toBlock, settings.compatibility)
      : strictRange(view, fromBlock, toBlock)
  if (range === undefined) return undefined
  const blocks = range.to - range.from
  if (settings.maxLogRange !== undefined && blocks > BigInt(settings.maxLogRange)) {
    throw new InvalidParamsError(`range ${blocks} exceeds limit of ${settings.maxLogRange}`)
  }
  return range
}

function blockOfHash(view: ChainView, hash: Uint8Array): StoredBlock {
  const block = view.blockByHash(hash)
  if (block === undefined) throw new ServerError('unknown block')
  return block
}

function refusePending(...bounds: readonly NumberSelector[]): void {
  for (const bound of bounds) {
    if ('tag' in bound && bound.tag === 'pending')
      throw new InvalidParamsError('pending logs are not supported')
  }
}

/** Resolves a bound to a number; undefined for the head, which geth treats as greater than any number. */
function boundNumber(view: ChainView, bound: NumberSelector): bigint | undefined {
  if ('number' in bound) return bound.number
  if (bound.tag === 'latest' || bound.tag === 'pending') return undefined
  const block = view.resolve(bound)
  if (block === undefined) throw new ServerError(`${bound.tag} header not found`)
  return block.header.number
}

/**
 * Rejects what geth rejects (eth/filters/filter.go): ranges that are inverted, beyond the head or include `pending`.
 */
function strictRange(
  view: ChainView,
  fromBlock: NumberSelector,
  toBlock: NumberSelector,
): { from: bigint; to: bigint } {
  refusePending(fromBlock, toBlock)
  const head = view.head().header.number
  const from = boundNumber(view, fromBlock)
  const to = boundNumber(view, toBlock)
  if (from === undefined && to === undefined) return { from: head, to: head }
  const backwards = from === undefined || (to === undefined ? from > head : from > to)
  if (backwards) throw new InvalidParamsError('invalid block range params')
  if (to !== undefined && to > head) {
    throw new InvalidParamsError('block range extends beyond current head block')
  }
  return { from, to: to ?? head }
}

/** Clamps a range, and `pending`, to the head; returns undefined if nothing is left. */
function clippedRange(
  view: ChainView,
  fromBlock: NumberSelector,
  toBlock: NumberSelector,
  { rejectsFutureLogRanges }: CompatibilityProfile,
): { from: bigint; to: bigint } | undefined {
  const head = view.head().header.number
  const from = boundNumber(view, fromBlock) ?? head
  if (rejectsFutureLogRanges && from > head) throw new HeaderNotFoundError(from, head)
  const to = boundNumber(view, toBlock) ?? head
  const cut = minBigint(to, head)
  return from > cut ? undefined : { from, to: cut }
}

/** Builds the error that suggests a range that fits, in upper-case hexadecimal. */
function suggestion({ message, limit, range }: TooManyLogsError): LimitExceededError {
  const from = `0x${range.from.toString(16).toUpperCase()}`
  const to = `0x${range.to.toString(16).toUpperCase()}`
  return new LimitExceededError(`${message}. Try with this block range [${from}, ${to}].`, {
    from,
    limit: String(limit),
    to,
  })
}

/**
 * Checks that new logs can be filtered by this range, and the number of parameters. Where ranges are clamped, any range
 * of existing blocks is accepted; if no new block falls into it, it just stays empty.
 *
 * @throws InvalidParamsError with geth's message (eth/filters/filter_system.go, SubscribeLogs)
 */
export function checkNewLogRange(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  filter: FilterArguments,
): void {
  checkParameterCount(filter, backend.settings)
  const { fromBlock = latestBlock, toBlock = latestBlock, blockHash } = filter
  const { requestChecks } = backend.settings.compatibility
  if (blockHash !== undefined && requestChecks === 'hardhat') blockOfHash(view, blockHash)
  if (backend.settings.logsRange === 'lenient') {
    for (const bound of [fromBlock, toBlock]) boundNumber(view, bound)
    return
  }
  refusePending(fromBlock, toBlock)
  const from = fixedNumber(fromBlock)
  const to = fixedNumber(toBlock)
  const open = 'tag' in toBlock && toBlock.tag === 'latest'
  const following = 'tag' in fromBlock && fromBlock.tag === 'latest' && open
  const accepted = following || (from !== undefined && (open || (to !== undefined && to >= from)))
  if (!accepted) throw new InvalidParamsError('invalid block range params')
}

/** Whether a filter's range is inverted, so that no block, present or coming, is in it. */
export function isWithoutBlocks({ fromBlock, toBlock }: FilterArguments): boolean {
  const from = fromBlock && fixedNumber(fromBlock)
  const to = toBlock && fixedNumber(toBlock)
  return from !== undefined && to !== undefined && from > to
}

function fixedNumber(bound: NumberSelector): bigint | undefined {
  if ('number' in bound) return bound.number
  return bound.tag === 'earliest' ? 0n : undefined
}
