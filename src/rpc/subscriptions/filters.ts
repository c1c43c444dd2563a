import type { ChainEvent } from '../../chain/events.js'
import type { Backend } from '../backend.js'
import { hashesText } from '../format/block.js'
import { jsonBytes } from '../format/members.js'
import { transactionText } from '../format/transaction.js'
import type { FilterArguments } from '../params/filter.js'
import { wireArray, type WireBytes, type WirePiece } from '../wire.js'
import type { Filter } from './filterStore.js'
import { changedLogs, logChanges, type LogChange } from './logs.js'

type Source = Pick<Backend, 'chain' | 'events'>

/** A filter that collects something from events until it is polled. */
function collectingFilter(source: Source, collect: (event: ChainEvent) => WirePiece | undefined): Filter {
  let waiting: WirePiece[] = []
  const end = source.events.subscribe((event) => {
    const piece = collect(event)
    if (piece !== undefined) waiting.push(piece)
  })
  const poll = (): WireBytes => {
    const collected = waiting
    waiting = []
    return wireArray(collected)
  }
  return { poll, end }
}

/** Collects the hashes of new heads. */
export function createBlockFilter(source: Source): Filter {
  return collectingFilter(source, (event) => (event.type === 'head' ? hashesText([event.block]) : undefined))
}

/** Collects transactions that became executable: their hashes, or whole objects. */
export function createPendingFilter(source: Source, { full }: { full: boolean }): Filter {
  return collectingFilter(source, (event) => {
    if (event.type !== 'pending') return undefined
    return full ? transactionText(event.transaction, undefined) : jsonBytes(event.transaction.hash)
  })
}

/** Collects logs that came and logs that a reorganisation removed; they are read when the filter is polled. */
export function createLogFilter(source: Source, logs: FilterArguments): Filter {
  let waiting: LogChange[] = []
  const end = source.events.subscribe((event) => {
    waiting.push(...logChanges(event).filter(({ block }) => inRange(block.header.number, logs)))
  })
  const poll = async (): Promise<WireBytes> => {
    const changes = waiting
    waiting = []
    const found: Uint8Array[] = []
    for (const change of changes) found.push(...(await changedLogs(source.chain, change, logs)))
    return wireArray(found)
  }
  return { poll, end, logs }
}

function inRange(number: bigint, { fromBlock, toBlock }: FilterArguments): boolean {
  if (fromBlock !== undefined && 'number' in fromBlock && number < fromBlock.number) return false
  return toBlock === undefined || !('number' in toBlock) || number <= toBlock.number
}
