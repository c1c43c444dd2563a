import { RLP } from '@ethereumjs/rlp'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import {
  type Keyspace,
  ORDINAL_LENGTH,
  decodeOrdinal,
  encodeOrdinal,
  ordinalOfKey,
} from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import type { Chain } from '../chain.js'
import { ChainError } from '../errors.js'
import { type Progress, applyProgress, currentProgress } from '../head/progress.js'
import type { MempoolSnapshot } from '../mempool/senderQueue.js'
import { encodeNetworkForm } from '../mempool/networkForm.js'
import { type PooledStore, type StoredPooled, encodePooled, readPooled } from '../mempool/pooledStore.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import { reinject } from '../mempool/submitTransaction.js'

/** The position of a chain at a snapshot, as JSON. */
export interface SnapshotRecord {
  /** Ordinal of the head. */
  ordinal: number
  /** Ordinal of the next block to be stored. */
  nextOrdinal: number
  /** Unprefixed hexadecimal. */
  workingRoot: string
  progress: Progress
  /** Number of parts that hold the pooled transactions in order of arrival; in rows of their own. */
  parts: number
  /**
   * An earlier snapshot, the first `count` of whose pooled transactions precede these. It is never removed before this
   * one is.
   */
  shared?: { id: number; count: number }
}

/** Setting that holds the next snapshot's id, in case the earlier ones have been removed. */
const NEXT_SETTING = 'next-snapshot'

/** Outcome of a revert; `lost` if the snapshot's block was rolled back, which is reported once. */
export type RevertOutcome = 'done' | 'unknown' | 'lost'

/** Maximum number of snapshots: going back to one removes all later ones at once. */
const MAX_SNAPSHOTS = 10_000

/** Maximum number of lost snapshots to remember. */
const MAX_LOST = 10_000

/** Maximum number of mempools in memory. Earlier snapshots read theirs from the database, as after a restart. */
const MAX_POOLS = 100

/** Pooled transactions in one part of a snapshot at most, and their bytes, which a single one may exceed. */
const TRANSACTIONS_IN_PART = 1000
const BYTES_IN_PART = 256 * 1024

/** A component that reverts together with the chain. */
export interface SnapshotParticipant {
  /** Saves the current state. @returns a function that restores it */
  save(): () => void
}

/** A snapshot in a listing. */
export interface SnapshotEntry {
  id: bigint
  blockNumber: bigint
  /** 32 bytes. */
  blockHash: Uint8Array
}

/** The content of the mempool, which snapshots share; undefined once it was released. */
interface KeptPool {
  pool: MempoolSnapshot | undefined
}

/** The in-memory part of a snapshot, which does not survive the process. */
interface SnapshotInMemory {
  kept: KeptPool
  participants: readonly (() => void)[]
}

/** The first of the pooled transactions stored with one snapshot. */
interface Section {
  id: number
  /** Number of parts. */
  parts: number
  /** Number of transactions; Infinity for all. */
  count: number
}

/** The parts that {@link Snapshots} works with. */
export interface SnapshotParts {
  chain: Chain
  /** The transactions of the chain's mempool on disk. */
  store: PooledStore
  /** Id of the first snapshot; 0 by default. */
  first?: number
  participants: readonly SnapshotParticipant[]
}

/**
 * Snapshots of a chain. Each costs one record, whatever the size of the state: blocks and tries are only added, so a
 * snapshot is just a block and a root. Reverting to one consumes it and all later ones.
 *
 * The mempool reverts as well, even after a restart.
 */
export class Snapshots {
  readonly #parts: SnapshotParts
  readonly #inMemory = new Map<number, SnapshotInMemory>()
  /** The ordinals of the snapshots' blocks, and the numbers of their parts, by snapshot id. */
  readonly #stored = new Map<number, Pick<SnapshotRecord, 'ordinal' | 'parts'>>()
  /** Snapshots whose blocks were rolled back. Each is reported once. */
  readonly #lost = new Set<number>()
  #next = 0
  /** From the oldest. */
  readonly #pools: KeptPool[] = []
  /** The latest snapshot that stored pooled transactions of its own, and all of them. */
  #latest: { id: number; waiting: readonly PooledTransaction[] } | undefined
  /** The version of the mempool at the last snapshot, and what another one of the same content shares. */
  #unchanged: { version: number; shared: SnapshotRecord['shared'] } | undefined

  private constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  static async open(parts: SnapshotParts): Promise<Snapshots> {
    const snapshots = new Snapshots(parts)
    snapshots.#next = parts.first ?? 0
    const { database, keys } = parts.chain.stores
    const next = database.get(keys.setting(NEXT_SETTING))
    if (next !== undefined) snapshots.#next = decodeOrdinal(next)
    for await (const [key, bytes] of database.iterate(keys.snapshots())) {
      const id = ordinalOfKey(key)
      snapshots.#stored.set(id, decodeRecord(bytes))
      snapshots.#next = Math.max(snapshots.#next, id + 1)
    }
    await snapshots.#removeUnfinished()
    return snapshots
  }

  /**
   * @returns the id of the snapshot; ids rise and are never reused
   * @throws ChainError if there are too many
   */
  take(): Promise<bigint> {
    const { chain, participants } = this.#parts
    return chain.exclusively(async () => {
      if (this.#stored.size >= MAX_SNAPSHOTS) {
        throw new ChainError(`there are ${MAX_SNAPSHOTS} snapshots: revert to one before taking another`)
      }
      const { database, keys } = chain.stores
      const id = this.#next++
      const { block, workingRoot } = chain.head
      const place = {
        ordinal: block.ordinal,
        nextOrdinal: chain.stores.blocks.nextOrdinal,
        workingRoot: bytesToPlainHex(workingRoot),
        progress: currentProgress(chain.clock, chain.settings),
      }
      const inMemory = {
        kept: this.#keepPool(chain.mempool.snapshot()),
        participants: participants.map((participant) => participant.save()),
      }
      // From here on, everything is captured, and the work yields between transactions.
      const { version } = chain.mempool
      const isUnchanged = this.#unchanged?.version === version
      const pooled = isUnchanged ? [] : await chain.mempool.inOrderOfArrival()
      const shared = isUnchanged ? this.#unchanged?.shared : this.#shareWithLatest(pooled)
      const own = isUnchanged ? [] : pooled.slice(shared?.count)
      const parts = await runInSlices(this.#writeParts(id, own), new TimeSlice())
      const record: SnapshotRecord = { ...place, parts, ...(shared?.count && { shared }) }
      const bytes = new TextEncoder().encode(JSON.stringify(record))
      database.write(new WriteBatch().put(keys.snapshot(id), bytes))
      this.#stored.set(id, record)
      this.#inMemory.set(id, inMemory)
      if (own.length > 0) this.#latest = { id, waiting: pooled }
      this.#unchanged = { version, shared: own.length > 0 ? { id, count: pooled.length } : shared }
      return BigInt(id)
    })
  }

  /** Returns what a snapshot of these transactions shares with the latest one that stored some. */
  #shareWithLatest(pooled: readonly PooledTransaction[]): SnapshotRecord['shared'] {
    if (this.#latest === undefined) return undefined
    const { id, waiting } = this.#latest
    return { id, count: commonLength(waiting, pooled) }
  }

  /** Skips an id, as if a snapshot had been taken and removed. */
  skipId(): void {
    this.#next++
  }

  /**
   * Reverts to a snapshot: head, state, clock, block settings, mempool, and participants. Everything on disk reverts in
   * one write. Blocks stored since are no longer found, not even by hash.
   */
  async revert(id: bigint): Promise<RevertOutcome> {
    const { chain, store } = this.#parts
    return chain.exclusively(async () => {
      const { keys, blocks } = chain.stores
      const record = this.#record(Number(id))
      if (record === undefined) return this.#lost.delete(Number(id)) ? 'lost' : 'unknown'
      const block = blocks.byOrdinal(record.ordinal)
      if (block === undefined) throw new Error(`the block of snapshot ${id} is not stored`)
      const used = [...this.#stored.keys()].filter((other) => other >= Number(id))
      const lost = used.filter((other) => (this.#stored.get(other)?.ordinal ?? 0) >= record.nextOrdinal)
      const remembered = this.#inMemory.get(Number(id))
      const snapshot = remembered?.kept.pool
      const sections = await runInSlices(this.#sectionsOf(Number(id)), new TimeSlice())
      const pool = await store.prepare(this.#rowsOf(sections))
      const forgotten = snapshot === undefined ? this.#rowsOf(sections) : []
      const waiting = await runInSlices(readPooled(forgotten), new TimeSlice())
      const planned = await chain.planMove(block)
      let removed: (() => void) | undefined
      chain.moveHead(
        { block, workingRoot: hexToBytes(record.workingRoot) },
        {
          planned,
          stage: (batch) => {
            this.#stageRemoval(batch, keys, used)
            removed = blocks.stageRemoval(batch, { from: record.nextOrdinal })
            batch.operations.push(...pool.operations)
          },
          change: () => {
            applyProgress(record.progress, chain.clock, chain.settings)
            chain.clock.rewound(block.header.timestamp)
          },
        },
      )
      removed?.()
      this.#forget(used, lost)
      try {
        await this.#restoreMempool(snapshot ?? waiting)
      } finally {
        await store.adopt(pool, chain.mempool)
      }
      for (const restore of remembered?.participants ?? []) restore()
      chain.events.emit({ type: 'rewound', head: block })
      return 'done'
    })
  }

  /** Iterates over all snapshots, oldest first. */
  *list(): Iterable<SnapshotEntry> {
    for (const [id, { ordinal }] of this.#stored) {
      const block = this.#parts.chain.stores.blocks.byOrdinal(ordinal)
      if (block === undefined) continue
      yield { id: BigInt(id), blockNumber: block.header.number, blockHash: block.hash }
    }
  }

  /** Removes all snapshots and restarts the numbering. Only within the chain's mutex. */
  restart(): void {
    this.#next = this.#parts.first ?? 0
    this.clear()
    this.#lost.clear()
    const { database, keys } = this.#parts.chain.stores
    database.write(new WriteBatch().put(keys.setting(NEXT_SETTING), encodeOrdinal(this.#next)))
  }

  /** Removes all snapshots without reusing their ids. Only within the chain's mutex. */
  clear(): void {
    const { database, keys } = this.#parts.chain.stores
    const ids = [...this.#stored.keys()]
    if (ids.length === 0) return
    const batch = new WriteBatch()
    this.#stageRemoval(batch, keys, ids)
    database.write(batch)
    this.#forget(ids, ids)
  }

  #stageRemoval(batch: WriteBatch, keys: Keyspace, ids: readonly number[]): void {
    for (const id of ids) {
      batch.delete(keys.snapshot(id))
      const { parts } = this.#stored.get(id) ?? { parts: 0 }
      for (let part = 0; part < parts; part++) batch.delete(keys.snapshotPool(id, part))
    }
    batch.put(keys.setting(NEXT_SETTING), encodeOrdinal(this.#next))
  }

  /** @param pool - the mempool of the snapshot, or its transactions if it was forgotten */
  async #restoreMempool(pool: MempoolSnapshot | readonly StoredPooled[]): Promise<void> {
    const { chain } = this.#parts
    const { mempool } = chain
    if ('queues' in pool) await mempool.restore(pool)
    else mempool.dropAll()
    await chain.commitProgress()
    if (!('queues' in pool)) await reinject(mempool, chain.nextRules(), pool)
  }

  #record(id: number): SnapshotRecord | undefined {
    const { database, keys } = this.#parts.chain.stores
    const bytes = this.#stored.has(id) ? database.get(keys.snapshot(id)) : undefined
    return bytes && decodeRecord(bytes)
  }

  /** Writes pooled transactions in parts. @returns their number */
  *#writeParts(id: number, waiting: readonly PooledTransaction[]): Steps<number> {
    const { database, keys } = this.#parts.chain.stores
    let parts = 0
    let part: Uint8Array[] = []
    let length = 0
    const write = (): void => {
      database.write(new WriteBatch().put(keys.snapshotPool(id, parts++), RLP.encode(part)))
      part = []
      length = 0
    }
    for (const [order, pooled] of waiting.entries()) {
      const row = encodePooled({ ...pooled, order, raw: encodeNetworkForm(pooled) })
      part.push(row)
      length += row.length
      if (part.length >= TRANSACTIONS_IN_PART || length >= BYTES_IN_PART) write()
      yield
    }
    if (part.length > 0) write()
    return parts
  }

  /** Removes the parts of snapshots that a crash has left without a record. */
  async #removeUnfinished(): Promise<void> {
    const { database, keys } = this.#parts.chain.stores
    for await (const [key] of database.iterate(keys.snapshotPools())) {
      if (!this.#stored.has(ordinalOfKey(key.subarray(0, -ORDINAL_LENGTH))))
        database.write(new WriteBatch().delete(key))
    }
  }

  /** Finds the rows of a snapshot's pooled transactions, oldest first. */
  *#sectionsOf(id: number): Steps<Section[]> {
    const sections: Section[] = []
    let count = Infinity
    for (let at: number | undefined = id; at !== undefined;) {
      const { parts = 0, shared }: Partial<SnapshotRecord> = this.#record(at) ?? {}
      const before = shared?.count ?? 0
      if (count > before) sections.push({ id: at, parts, count: count - before })
      count = Math.min(count, before)
      at = shared?.id
      yield
    }
    return sections.reverse()
  }

  /** Reads rows part by part: together they may be as large as the mempool. */
  *#rowsOf(sections: readonly Section[]): Iterable<Uint8Array> {
    const { database, keys } = this.#parts.chain.stores
    for (const { id, parts, count } of sections) {
      let left = count
      for (let part = 0; part < parts && left > 0; part++) {
        const bytes = database.get(keys.snapshotPool(id, part))
        if (bytes === undefined) throw new Error(`a part of snapshot ${id} is not stored`)
        const rows = (RLP.decode(bytes) as Uint8Array[]).slice(0, left)
        left -= rows.length
        yield* rows
      }
    }
  }

  /** Keeps a mempool in memory, and releases the oldest one if there are too many. */
  #keepPool(pool: MempoolSnapshot): KeptPool {
    const latest = this.#pools.at(-1)
    if (latest?.pool === pool) return latest
    const kept = { pool }
    if (this.#pools.push(kept) > MAX_POOLS) {
      const oldest = this.#pools.shift()
      if (oldest !== undefined) oldest.pool = undefined
    }
    return kept
  }

  #forget(ids: readonly number[], lost: readonly number[]): void {
    for (const id of ids) {
      this.#stored.delete(id)
      this.#inMemory.delete(id)
      if (this.#latest?.id === id) this.#latest = this.#unchanged = undefined
    }
    for (const id of lost.slice(-MAX_LOST)) this.#lost.add(id)
    for (const id of this.#lost) {
      if (this.#lost.size <= MAX_LOST) break
      this.#lost.delete(id)
    }
  }
}

/** Returns the number of transactions with which both lists begin. */
function commonLength(a: readonly PooledTransaction[], b: readonly PooledTransaction[]): number {
  const end = Math.min(a.length, b.length)
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index
  return end
}

function decodeRecord(bytes: Uint8Array): SnapshotRecord {
  return JSON.parse(new TextDecoder().decode(bytes)) as SnapshotRecord
}
