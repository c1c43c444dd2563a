import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import type { Chain } from '../chain.js'
import { type Progress, applyProgress, currentProgress } from '../head/progress.js'
import type { MempoolSnapshot } from '../mempool/mempool.js'
import {
  type StoredPooled,
  encodeNetworkForm,
  encodePooled,
  readRows,
  stageReplacement,
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
}

/** Setting that holds the next snapshot's id, in case the earlier ones have been removed. */
const NEXT_SETTING = 'next-snapshot'

/** Outcome of a revert; `lost` if the snapshot's block was rolled back, which is reported once. */
export type RevertOutcome = 'done' | 'unknown' | 'lost'

/** Maximum number of lost snapshots to remember. */
const MAX_LOST = 10_000

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

/** The in-memory part of a snapshot, which does not survive the process. */
interface SnapshotInMemory {
  pool: MempoolSnapshot
  participants: readonly (() => void)[]
}

/** The parts that {@link Snapshots} works with. */
export interface SnapshotParts {
  chain: Chain
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
   */
  take(): Promise<bigint> {
    const { chain, participants } = this.#parts
    return chain.exclusively(async () => {
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
        pool: chain.mempool.snapshot(),
        participants: participants.map((participant) => participant.save()),
      }
      // Everything is captured. From here on, the work yields between transactions.
      const waiting = await runInSlices(
        encodePooledTransactions(chain.mempool.inOrderOfArrival()),
        new TimeSlice(),
      )
      const record: SnapshotRecord = { ...place, waiting }
      const bytes = new TextEncoder().encode(JSON.stringify(record))
      database.write(new WriteBatch().put(keys.snapshot(id), bytes))
      this.#ordinals.set(id, block.ordinal)
      this.#inMemory.set(id, inMemory)
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
    const { chain } = this.#parts
    return chain.exclusively(async () => {
      const { keys, blocks } = chain.stores
      const record = this.#record(Number(id))
      if (record === undefined) return this.#lost.delete(Number(id)) ? 'lost' : 'unknown'
      const block = blocks.byOrdinal(record.ordinal)
      if (block === undefined) throw new Error(`the block of snapshot ${id} is not stored`)
      const used = [...this.#ordinals.keys()].filter((other) => other >= Number(id))
      const lost = used.filter((other) => (this.#ordinals.get(other) ?? 0) >= record.nextOrdinal)
      const remembered = this.#inMemory.get(Number(id))
      const rows = record.waiting.map((text) => hexToBytes(text))
      const then = await runInSlices(readRows(rows), new TimeSlice())
      let removed: (() => void) | undefined
      chain.moveHead(
        { block, workingRoot: hexToBytes(record.workingRoot) },
        {
          stage: (batch) => {
            this.#stageRemoval(batch, keys, used)
            removed = blocks.stageRemoval(batch, { from: record.nextOrdinal })
            stageReplacement(batch, keys, { now: chain.mempool.inOrderOfArrival(), then })
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
      await this.#restoreMempool(remembered?.pool, waiting)
      for (const restore of remembered?.participants ?? []) restore()
      chain.events.emit({ type: 'rewound', head: block, pooled: then.map(({ hash }) => hash) })
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
    if (remembered !== undefined) mempool.restore(remembered)
    else mempool.dropAll()
    await chain.commitProgress()
    if (remembered === undefined) await reinject(mempool, chain.nextRules(), waiting)
  }

  #record(id: number): SnapshotRecord | undefined {
    const { database, keys } = this.#parts.chain.stores
    const bytes = this.#ordinals.has(id) ? database.get(keys.snapshot(id)) : undefined
    return bytes && decodeRecord(bytes)
  }

  #forget(ids: readonly number[], lost: readonly number[]): void {
    for (const id of ids) {
      this.#ordinals.delete(id)
      this.#inMemory.delete(id)
    }
    for (const id of lost.slice(-MAX_LOST)) this.#lost.add(id)
    for (const id of this.#lost) {
      if (this.#lost.size <= MAX_LOST) break
      this.#lost.delete(id)
    }
  }
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
