import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainEvent } from '../../chain/events.js'
import type { ChainView } from '../../chain/view.js'
import { removedLog } from '../format/log.js'
import type { FilterArguments } from '../params/filter.js'

/** A block whose logs came onto the canonical chain or left it. */
export interface LogChange {
  block: StoredBlock
  removed: boolean
}

/** The blocks whose logs an event concerns, in the order in which geth tells them (core/blockchain.go, reorg). */
export function logChanges(event: ChainEvent): LogChange[] {
  if (event.type === 'head') return [{ block: event.block, removed: false }]
  if (event.type !== 'removed' && event.type !== 'added') return []
  return event.blocks.map((block) => ({ block, removed: event.type === 'removed' }))
}

/** The logs of a changed block that a filter asks for, in wire form. */
export async function changedLogs(
  view: ChainView,
  { block, removed }: LogChange,
  { addresses, topics }: Pick<FilterArguments, 'addresses' | 'topics'>,
): Promise<Uint8Array[]> {
  if (block.header.logsBloom.every((byte) => byte === 0)) return []
  const unlimited = { maxResults: Infinity, timeoutMilliseconds: Infinity }
  const logs = await view.logs({ range: { block }, addresses, topics }, unlimited)
  return removed ? logs.map(removedLog) : logs
}
