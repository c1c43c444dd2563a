import type { CID } from 'multiformats/cid'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { type CidFormat, identityCode, makeCid } from '../cid/cidFormat.js'
import { ChunkPool, type NewChunk } from './chunker.js'

/**
 * Stores a block; settled once it would survive the end of the process. Blocks are stored in the order in
 * which they were given; those that are stored together may have one promise.
 */
export type StoreBlock = (cid: CID, bytes: Uint8Array) => Promise<void>

/** Blocks that are stored together. */
interface Group {
  bytes: number
  blocks: number
  /** Blocks whose memory may be the pool's. */
  pooled: Uint8Array[]
  /** What the store promised. */
  storing: Promise<void>
  /** The same, or the first failure of the writer. */
  stored: Promise<void>
}

/**
 * Bytes, and blocks, that may wait to be stored before the writer has to wait too. Those that wait are written in one go,
 * which takes the event loop some 10 microseconds a block.
 */
const bytesInFlight = 8 * 1024 * 1024
const blocksInFlight = 1024

const allStored = Promise.resolve()

/**
 * Gives blocks their CIDs and stores them behind the caller's back, a bounded number of bytes at a time.
 * One caller writes, a block after the other.
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

  /** @param store - where the blocks go */
  constructor(format: CidFormat, store: StoreBlock) {
    this.#format = format
    this.#store = store
  }

  /** Makes an empty chunk, whose memory is used again once a block that lies in it is stored. */
  readonly newChunk: NewChunk = (capacity) => this.#pool.newChunk(capacity)

  /** Hands a block over to be stored; the caller waits for `room` before it goes on. */
  put(codec: number, bytes: Uint8Array): CID {
    const cid = makeCid(this.#format, codec, bytes)
    if (cid.multihash.code === identityCode) return cid
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
   * Settled once there is room for another block, and other requests have had their turn; undefined when there is room
   * already and it is not theirs yet.
   */
  room(): Promise<void> | undefined {
    const pause = this.#slice.pause()
    if (pause === undefined && this.#failure === undefined && this.#hasRoom) return undefined
    return this.#waitForRoom(pause)
  }

  /** Hands a block over and waits for room. */
  async write(codec: number, bytes: Uint8Array): Promise<CID> {
    const cid = this.put(codec, bytes)
    await this.room()
    return cid
  }

  /** Settled once everything written so far is stored: the same promise for all that is stored together. */
  stored(): Promise<void> {
    return this.#group?.stored ?? (this.#failure ? Promise.reject(this.#failure.error) : allStored)
  }

  get #hasRoom(): boolean {
    return this.#waitingBytes <= bytesInFlight && this.#waitingBlocks <= blocksInFlight
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

/** A store that keeps nothing: for CIDs alone. */
export const discardBlock: StoreBlock = () => allStored
