import type { CID } from 'multiformats/cid'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { type CidFormat, identityCode, makeCid } from '../cid/cidFormat.js'
import { type NewChunk, createChunkPool } from './chunker.js'

/**
 * Stores a block; settled once it would survive the end of the process. Blocks are stored in the order in
 * which they were given; those that are stored together may have one promise.
 */
export type StoreBlock = (cid: CID, bytes: Uint8Array) => Promise<void>

/**
 * Gives blocks their CIDs and stores them behind the caller's back, a bounded number of bytes at a time.
 * One caller writes, a block after the other.
 */
export interface BlockWriter {
  /** Makes an empty chunk, whose memory is used again once a block that lies in it is stored. */
  newChunk: NewChunk
  /** Hands a block over to be stored; the caller waits for `room` before it goes on. */
  put(codec: number, bytes: Uint8Array): CID
  /**
   * Settled once there is room for another block, and other requests have had their turn; undefined when there is room
   * already and it is not theirs yet.
   */
  room(): Promise<void> | undefined
  /** Hands a block over and waits for room. */
  write(codec: number, bytes: Uint8Array): Promise<CID>
  /** Settled once everything written so far is stored: the same promise for all that is stored together. */
  stored(): Promise<void>
}

/** Blocks that are stored together. */
interface Group {
  bytes: number
  blocks: number
  /** Blocks whose memory may be the pool's. */
  lent: Uint8Array[]
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

/** A writer whose blocks go to `store`. */
export function createBlockWriter(format: CidFormat, store: StoreBlock): BlockWriter {
  let waitingBytes = 0
  let waitingBlocks = 0
  let failure: { error: unknown } | undefined
  let group: Group | undefined
  let wake = (): void => undefined
  const pool = createChunkPool()
  const slice = new TimeSlice()

  function check(): void {
    if (failure) throw failure.error
  }

  function openGroup(storing: Promise<void>): Group {
    const opened: Group = { bytes: 0, blocks: 0, lent: [], storing, stored: storing }
    opened.stored = storing.then(
      () => finish(opened),
      (error: unknown) => {
        failure ??= { error }
        finish(opened)
      },
    )
    opened.stored.catch(() => undefined)
    group = opened
    return opened
  }

  function finish(finished: Group): void {
    const { bytes, blocks, lent } = finished
    if (group === finished) group = undefined
    for (const block of lent) pool.giveBack(block)
    waitingBytes -= bytes
    waitingBlocks -= blocks
    wake()
    check()
  }

  function put(codec: number, bytes: Uint8Array): CID {
    const cid = makeCid(format, codec, bytes)
    if (cid.multihash.code === identityCode) return cid
    const storing = store(cid, bytes)
    const current = group?.storing === storing ? group : openGroup(storing)
    current.bytes += bytes.length
    current.blocks++
    current.lent.push(bytes)
    waitingBytes += bytes.length
    waitingBlocks++
    return cid
  }

  function hasRoom(): boolean {
    return waitingBytes <= bytesInFlight && waitingBlocks <= blocksInFlight
  }

  async function waitForRoom(pause: Promise<void> | undefined): Promise<void> {
    await pause
    while (!hasRoom()) await new Promise<void>((resolve) => (wake = resolve))
    check()
  }

  function room(): Promise<void> | undefined {
    const pause = slice.pause()
    if (pause === undefined && failure === undefined && hasRoom()) return undefined
    return waitForRoom(pause)
  }

  return {
    newChunk: (capacity) => pool.newChunk(capacity),
    put,
    room,
    async write(codec, bytes) {
      const cid = put(codec, bytes)
      await room()
      return cid
    },
    stored: () => group?.stored ?? (failure ? Promise.reject(failure.error) : allStored),
  }
}

/** A store that keeps nothing: for CIDs alone. */
export const discardBlock: StoreBlock = () => allStored
