import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import type { Chain } from '../chain.js'
import { type Progress, applyProgress, currentProgress } from '../head/progress.js'
import type { MempoolSnapshot } from '../mempool/mempool.js'
import {
  type StoredPooled,
  decodePooled,
  encodeNetworkForm,
  encodePooled,
  stageReplacement,
} from '../mempool/pooledStore.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import { reinject } from '../mempool/submitTransaction.js'

/** Where a chain was when a snapshot was taken, as JSON. */
export interface SnapshotRecord {
  /** The head's. */
  ordinal: number
  /** That of the next block that was to be stored. */
  nextOrdinal: number
  /** Hexadecimal without a prefix. */
  workingRoot: string
  progress: Progress
  /** The waiting transactions in the order in which they came; hexadecimal without a prefix. */
  waiting: string[]
}

/** The setting that holds the number of the next snapshot, where those before it are not there any more. */
const NEXT_SETTING = 'next-snapshot'

/** How going back to a snapshot ended; `lost` if its block was taken back, which is reported once. */
export type RevertOutcome = 'done' | 'unknown' | 'lost'

/** Most lost snapshots that are remembered. */
const MOST_LOST = 10_000

/** Something that goes back together with the chain. */
export interface SnapshotParticipant {
  /** Remembers how things are. @returns a function that takes them back there */
  save(): () => void
}

/** A snapshot as it is listed. */
export interface SnapshotEntry {
  id: bigint
  blockNumber: bigint
  /** 32 bytes. */
  blockHash: Uint8Array
}

/** What a snapshot has in memory besides its record; nothing of it outlives the process. */
interface SnapshotInMemory {
  pool: MempoolSnapshot
  participants: readonly (() => void)[]
}

/** What snapshots are kept with. */
export interface SnapshotParts {
  chain: Chain
  /** The number of the first one; 0 unless given. */
  first?: number
  participants: readonly SnapshotParticipant[]
}

/**
 * Points of a chain to go back to. One costs a record, whatever the size of the state: blocks and tries are only
 * added, so a point is a block and a root. Going back to one uses it up, and those taken after it.
 *
 * What waits in the mempool goes back too, also after a restart.
 */
export class Snapshots {
  readonly #parts: SnapshotParts
  readonly #inMemory = new Map<number, SnapshotInMemory>()
  /** The ordinals of their blocks, by their numbers. */
  readonly #ordinals = new Map<number, number>()
  /** Snapshots whose blocks were taken back. Each is reported once. */
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

  /** @returns the number of the snapshot; numbers rise and are never used again. */
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
      // From here on others are served between transactions.
      const waiting = await runInSlices(encodeWaiting(chain.mempool.inOrderOfArrival()), new TimeSlice())
      const record: SnapshotRecord = { ...place, waiting }
      const bytes = new TextEncoder().encode(JSON.stringify(record))
      database.write(new WriteBatch().put(keys.snapshot(id), bytes))
      this.#ordinals.set(id, block.ordinal)
      this.#inMemory.set(id, inMemory)
      return BigInt(id)
    })
  }

  /**
   * Goes back to a snapshot: head, state, clock, settings of coming blocks, mempool, and what goes with the chain. What is
   * on disk goes back with one write. Blocks that were stored since are not found any more, not even by their hashes.
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
      const waiting = record.waiting.map((text) => decodePooled(hexToBytes(text)))
      let removed: (() => void) | undefined
      chain.moveHead(
        { block, workingRoot: hexToBytes(record.workingRoot) },
        {
          stage: (batch) => {
            this.#stageRemoval(batch, keys, used)
            removed = blocks.stageRemoval(batch, { from: record.nextOrdinal })
            stageReplacement(batch, keys, { now: chain.mempool.inOrderOfArrival(), then: waiting })
          },
          change: () => applyProgress(record.progress, chain.clock, chain.settings),
        },
      )
      removed?.()
      this.#forget(used, lost)
      await this.#restoreMempool(remembered?.pool, waiting)
      for (const restore of remembered?.participants ?? []) restore()
      chain.events.emit({ type: 'rewound', head: block })
      return 'done'
    })
  }

  /** All snapshots, the oldest first. */
  list(): SnapshotEntry[] {
    return [...this.#ordinals.keys()].flatMap((id) => {
      const block = this.#parts.chain.stores.blocks.byOrdinal(this.#record(id)?.ordinal ?? -1)
      if (block === undefined) return []
      return [{ id: BigInt(id), blockNumber: block.header.number, blockHash: block.hash }]
    })
  }

  /** Forgets all snapshots and begins to count anew. Only within the chain's turn. */
  restart(): void {
    this.#next = this.#parts.first ?? 0
    this.clear()
    this.#lost.clear()
    const { database, keys } = this.#parts.chain.stores
    database.write(new WriteBatch().put(keys.setting(NEXT_SETTING), encodeOrdinal(this.#next)))
  }

  /** Forgets all snapshots; their numbers stay used. Only within the chain's turn. */
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
    for (const id of lost.slice(-MOST_LOST)) this.#lost.add(id)
    for (const id of this.#lost) {
      if (this.#lost.size <= MOST_LOST) break
      this.#lost.delete(id)
    }
  }
}

/** In hexadecimal, without a prefix. */
function* encodeWaiting(waiting: readonly PooledTransaction[]): Steps<string[]> {
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
