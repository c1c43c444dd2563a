import { bytesToPlainHex, hexToBytes } from '../encoding/hex.js'
import type { Database } from '../storage/database.js'
import { ordinalOfKey, type Keyspace } from '../storage/keyspace.js'
import { WriteBatch } from '../storage/writeBatch.js'
import type { BlockStore } from './block/store.js'
import type { Chain } from './chain.js'
import type { MempoolSnapshot } from './mempool/mempool.js'
import { applyProgress, currentProgress, type Progress } from './progress.js'

/** Where a chain was when a snapshot was taken, as JSON. */
interface SnapshotRecord {
  /** The head's. */
  ordinal: number
  /** Hexadecimal without a prefix. */
  workingRoot: string
  progress: Progress
}

/** What snapshots are kept with. */
export interface SnapshotParts {
  chain: Chain
  database: Database
  keys: Keyspace
  blocks: BlockStore
}

/**
 * Points of a chain to go back to. One costs a record, whatever the size of the state: blocks and tries are only
 * added, so a point is a block and a root. Going back to one uses it up, and those taken after it.
 *
 * The mempool's content is kept in memory: after a restart, going back empties it.
 */
export class Snapshots {
  readonly #parts: SnapshotParts
  readonly #pools = new Map<number, MempoolSnapshot>()
  readonly #ids = new Set<number>()
  #next = 0

  private constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  static async open(parts: SnapshotParts): Promise<Snapshots> {
    const snapshots = new Snapshots(parts)
    for await (const [key] of parts.database.iterate(parts.keys.snapshots())) {
      snapshots.#ids.add(ordinalOfKey(key))
      snapshots.#next = ordinalOfKey(key) + 1
    }
    return snapshots
  }

  /** @returns the number of the snapshot; numbers rise and are never used again. */
  take(): Promise<bigint> {
    const { chain, database, keys } = this.#parts
    return chain.exclusively(() => {
      const id = this.#next++
      const { block, workingRoot } = chain.head
      const record: SnapshotRecord = {
        ordinal: block.ordinal,
        workingRoot: bytesToPlainHex(workingRoot),
        progress: currentProgress(chain.clock, chain.settings),
      }
      const bytes = new TextEncoder().encode(JSON.stringify(record))
      database.write(new WriteBatch().put(keys.snapshot(id), bytes))
      this.#ids.add(id)
      this.#pools.set(id, chain.mempool.snapshot())
      return BigInt(id)
    })
  }

  /**
   * Goes back to a snapshot: head, state, clock, settings of coming blocks, and mempool.
   *
   * @returns false if there is none of this number
   */
  async revert(id: bigint): Promise<boolean> {
    const { chain, database, keys, blocks } = this.#parts
    return chain.exclusively(async () => {
      const bytes = this.#ids.has(Number(id)) ? database.get(keys.snapshot(Number(id))) : undefined
      if (bytes === undefined) return false
      const record = JSON.parse(new TextDecoder().decode(bytes)) as SnapshotRecord
      const block = blocks.byOrdinal(record.ordinal)
      if (block === undefined) throw new Error(`the block of snapshot ${id} is not stored`)
      applyProgress(record.progress, chain.clock, chain.settings)
      const used = [...this.#ids].filter((other) => other >= Number(id))
      chain.moveHead({ block, workingRoot: hexToBytes(record.workingRoot) }, (batch) => {
        for (const other of used) batch.delete(keys.snapshot(other))
      })
      const pool = this.#pools.get(Number(id))
      if (pool === undefined) chain.mempool.dropAll()
      else chain.mempool.restore(pool)
      this.#forget(used)
      await chain.touched()
      chain.events.emit({ type: 'rewound', head: block })
      return true
    })
  }

  /** Forgets all snapshots; their numbers stay used. Only within the chain's turn. */
  clear(): void {
    const { database, keys } = this.#parts
    const batch = new WriteBatch()
    for (const id of this.#ids) batch.delete(keys.snapshot(id))
    if (batch.operations.length > 0) database.write(batch)
    this.#forget([...this.#ids])
  }

  #forget(ids: readonly number[]): void {
    for (const id of ids) {
      this.#ids.delete(id)
      this.#pools.delete(id)
    }
  }
}
