import type { Keyspace } from '../../storage/keyspace.js'
import type { WriteBatch } from '../../storage/writeBatch.js'
import { hashOfSent } from './hashOfSent.js'
import { stagePooled, type StoredPooled } from './pooledStore.js'
import type { PooledTransaction } from './transaction.js'

/** What waits before a change, and what is to wait after it. */
export interface WaitingChange {
  now: readonly Pick<PooledTransaction, 'hash'>[]
  then: readonly StoredPooled[]
}

/**
 * Puts into a batch that other transactions wait than now: where the head goes back together with them, a node that goes
 * down has both from the same time.
 */
export function stageWaiting(batch: WriteBatch, keys: Keyspace, { now, then }: WaitingChange): void {
  for (const { hash } of now) batch.delete(keys.pooled(hash))
  for (const pooled of then) stagePooled(batch, keys, { ...pooled, hash: hashOfSent(pooled.raw) })
}
