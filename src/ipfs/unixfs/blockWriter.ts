import type { CID } from 'multiformats/cid'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { type CidFormat, IDENTITY_CODE, makeCid, makeCidInSlices } from '../cid/cidFormat.js'
import { ChunkPool, type NewChunk } from './chunker.js'

/**
 * Stores a block; resolves once the block would survive a crash of the process. Blocks are stored in the order given;
 * those written together may share a promise.
 */
export type StoreBlock = (cid: CID, bytes: Uint8Array) => Promise<void>

/** Blocks that are written together. */
interface Group {
  bytes: number
  blocks: number
  /** Blocks that may lie in pooled memory. */
  pooled: Uint8Array[]
  /** The promise that the store returned. */
  storing: Promise<void>
  /** The same, but rejects with the writer's first failure. */
  stored: Promise<void>
}

/**
 * Bytes and blocks that may be in flight before the writer has to wait. They are written together, which takes the
 * event loop some 10 microseconds a block.
 */
const BYTES_IN_FLIGHT = 8 * 1024 * 1024
const BLOCKS_IN_FLIGHT = 1024

const allStored = Promise.resolve()

/**
 * Computes CIDs and stores blocks in the background, with a bounded number of bytes in flight. For one caller, who
 * writes one block at a time.
 */
export class BlockWriter {
  readonly #format: CidFormat
  readonly #store: StoreBlock
  readonly #pool = new ChunkPool()
  readonly #slice = new TimeSlice()
  #waitingBytes = 0
  #waitingBlocks = 0
  #failure: { error: unknown } | undefined
  #group: Group | undefined
  #wake = (): void => undefined

  /** @param store - called with each block */
  constructor(format: CidFormat, store: StoreBlock) {
    this.#format = format
    this.#store = store
  }

  /** Returns an empty chunk. Its memory is reused once the block in it is stored. */
  readonly newChunk: NewChunk = (capacity) => this.#pool.newChunk(capacity)

  /** Queues a block to be stored. The caller must await {@link room} before it continues. */
  put(codec: number, bytes: Uint8Array): CID {
    return this.#queue(makeCid(this.#format, codec, bytes), bytes)
  }

  #queue(cid: CID, bytes: Uint8Array): CID {
    if (cid.multihash.code === IDENTITY_CODE) return cid
    const storing = this.#store(cid, bytes)
    const group = this.#group?.storing === storing ? this.#group : this.#openGroup(storing)
    group.bytes += bytes.length
    group.blocks++
    group.pooled.push(bytes)
    this.#waitingBytes += bytes.length
    this.#waitingBlocks++
    return cid
  }

  /**
   * Resolves once there is room for another block and other requests have had a turn; undefined if the caller may
   * continue at once.
   */
  room(): Promise<void> | undefined {
    const pause = this.#slice.pause()
    if (pause === undefined && this.#failure === undefined && this.#hasRoom) return undefined
    return this.#waitForRoom(pause)
  }

  /** Queues a block, which may be large, and waits for room. */
  async write(codec: number, bytes: Uint8Array): Promise<CID> {
    const cid = this.#queue(await makeCidInSlices(this.#format, codec, bytes), bytes)
    await this.room()
    return cid
  }

  /** Resolves once everything written so far is stored. Blocks stored together share the promise. */
  stored(): Promise<void> {
    return this.#group?.stored ?? (this.#failure ? Promise.reject(this.#failure.error) : allStored)
  }

  get #hasRoom(): boolean {
    return this.#waitingBytes <= BYTES_IN_FLIGHT && this.#waitingBlocks <= BLOCKS_IN_FLIGHT
  }

  async #waitForRoom(pause: Promise<void> | undefined): Promise<void> {
    await pause
    while (!this.#hasRoom) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#check()
  }

  #openGroup(storing: Promise<void>): Group {
    const group: Group = { bytes: 0, blocks: 0, pooled: [], storing, stored: storing }
    group.stored = storing.then(
      () => this.#finish(group),
      (error: unknown) => {
        this.#failure ??= { error }
        this.#finish(group)
      },
    )
    group.stored.catch(() => undefined)
    this.#group = group
    return group
  }

  #finish(group: Group): void {
    if (this.#group === group) this.#group = undefined
    for (const block of group.pooled) this.#pool.release(block)
    this.#waitingBytes -= group.bytes
    this.#waitingBlocks -= group.blocks
    this.#wake()
    this.#check()
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error
  }
}

/** Discards blocks, for callers that need only the CIDs. */
export const discardBlock: StoreBlock = () => allStored
