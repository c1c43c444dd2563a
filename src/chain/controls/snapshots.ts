import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import type { Chain } from '../chain.js'
import { ChainError } from '../errors.js'
import { type Progress, applyProgress, currentProgress } from '../head/progress.js'
import type { MempoolSnapshot } from '../mempool/mempool.js'
import {
  type PooledStore,
  type StoredPooled,
  encodeNetworkForm,
  encodePooled,
  readRows,
} from '../mempool/pooledStore.js'
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
  /** Pooled transactions in order of arrival; unprefixed hexadecimal. */
  waiting: string[]
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
  /** Ordinals of the snapshots' blocks, by snapshot id. */
  readonly #ordinals = new Map<number, number>()
  /** Snapshots whose blocks were rolled back. Each is reported once. */
  readonly #lost = new Set<number>()
  #next = 0
  /** From the oldest. */
  readonly #pools: KeptPool[] = []
  /** The latest snapshot that stored pooled transactions of its own, and all of them. */
  #stored: { id: number; waiting: readonly PooledTransaction[] } | undefined

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
      snapshots.#ordinals.set(id, decodeRecord(bytes).ordinal)
      snapshots.#next = Math.max(snapshots.#next, id + 1)
    }
    return snapshots
  }

  /**
   * @returns the id of the snapshot; ids rise and are never reused.
   * @throws ChainError if there are too many
   */
  take(): Promise<bigint> {
    const { chain, participants } = this.#parts
    return chain.exclusively(async () => {
      if (this.#ordinals.size >= MAX_SNAPSHOTS) {
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
      const pooled = chain.mempool.inOrderOfArrival()
      // Everything is captured. From here on, the work yields between transactions.
      const shared = this.#stored && {
        id: this.#stored.id,
        count: commonLength(this.#stored.waiting, pooled),
      }
      const own = shared === undefined ? pooled : pooled.slice(shared.count)
      const waiting = await runInSlices(encodePooledTransactions(own), new TimeSlice())
      const record: SnapshotRecord = { ...place, waiting, ...(shared?.count && { shared }) }
      const bytes = new TextEncoder().encode(JSON.stringify(record))
      database.write(new WriteBatch().put(keys.snapshot(id), bytes))
      this.#ordinals.set(id, block.ordinal)
      this.#inMemory.set(id, inMemory)
      if (own.length > 0) this.#stored = { id, waiting: pooled }
      return BigInt(id)
    })
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
      const used = [...this.#ordinals.keys()].filter((other) => other >= Number(id))
      const lost = used.filter((other) => (this.#ordinals.get(other) ?? 0) >= record.nextOrdinal)
      const remembered = this.#inMemory.get(Number(id))
      const rows = await runInSlices(this.#waitingOf(record), new TimeSlice())
      const then = await runInSlices(readRows(rows), new TimeSlice())
      const pools = { now: new Map(chain.mempool.byHash), then }
      const replacement = await runInSlices(store.replacement(pools), new TimeSlice())
      const planned = await chain.planMove(block)
      let removed: (() => void) | undefined
      chain.moveHead(
        { block, workingRoot: hexToBytes(record.workingRoot) },
        {
          planned,
          stage: (batch) => {
            this.#stageRemoval(batch, keys, used)
            removed = blocks.stageRemoval(batch, { from: record.nextOrdinal })
            for (const operation of replacement) batch.operations.push(operation)
          },
          change: () => {
            applyProgress(record.progress, chain.clock, chain.settings)
            chain.clock.rewound(block.header.timestamp)
          },
        },
      )
      removed?.()
      this.#forget(used, lost)
      const waiting = then.map(({ pooled }) => pooled)
      try {
        await this.#restoreMempool(remembered?.kept.pool, waiting)
      } finally {
        await runInSlices(store.recordReplacement(pools), new TimeSlice())
      }
      for (const restore of remembered?.participants ?? []) restore()
      chain.events.emit({ type: 'rewound', head: block })
      return 'done'
    })
  }

  /** Iterates over all snapshots, oldest first. */
  *list(): Iterable<SnapshotEntry> {
    for (const [id, ordinal] of this.#ordinals) {
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
    const ids = [...this.#ordinals.keys()]
    if (ids.length === 0) return
    const batch = new WriteBatch()
    this.#stageRemoval(batch, keys, ids)
    database.write(batch)
    this.#forget(ids, ids)
  }

  #stageRemoval(batch: WriteBatch, keys: Keyspace, ids: readonly number[]): void {
    for (const id of ids) batch.delete(keys.snapshot(id))
    batch.put(keys.setting(NEXT_SETTING), encodeOrdinal(this.#next))
  }

  async #restoreMempool(
    remembered: MempoolSnapshot | undefined,
    waiting: readonly StoredPooled[],
  ): Promise<void> {
    const { chain } = this.#parts
    const { mempool } = chain
    if (remembered !== undefined) await mempool.restore(remembered)
    else mempool.dropAll()
    await chain.commitProgress()
    if (remembered === undefined) await reinject(mempool, chain.nextRules(), waiting)
  }

  #record(id: number): SnapshotRecord | undefined {
    const { database, keys } = this.#parts.chain.stores
    const bytes = this.#ordinals.has(id) ? database.get(keys.snapshot(id)) : undefined
    return bytes && decodeRecord(bytes)
  }

  /** Returns the pooled transactions of a snapshot as they are stored. */
  *#waitingOf(record: SnapshotRecord): Steps<Uint8Array[]> {
    const parts: string[][] = []
    let count = Infinity
    for (
      let at: SnapshotRecord | undefined = record;
      at !== undefined;
      at = at.shared && this.#record(at.shared.id)
    ) {
      const before = at.shared?.count ?? 0
      if (count > before) parts.push(at.waiting.slice(0, count - before))
      count = Math.min(count, before)
      yield
    }
    const rows: Uint8Array[] = []
    for (const text of parts.reverse().flat()) {
      rows.push(hexToBytes(text))
      yield
    }
    return rows
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
      this.#ordinals.delete(id)
      this.#inMemory.delete(id)
      if (this.#stored?.id === id) this.#stored = undefined
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

/** Encodes pooled transactions as unprefixed hexadecimal. */
function* encodePooledTransactions(waiting: readonly PooledTransaction[]): Steps<string[]> {
  const encoded: string[] = []
  for (const pooled of waiting) {
    encoded.push(bytesToPlainHex(encodePooled({ ...pooled, raw: encodeNetworkForm(pooled) })))
    yield
  }
  return encoded
}

function decodeRecord(bytes: Uint8Array): SnapshotRecord {
  return JSON.parse(new TextDecoder().decode(bytes)) as SnapshotRecord
}
