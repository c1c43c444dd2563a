import type { CID } from 'multiformats/cid'
import { makeCid } from '../cid/makeCid.js'
import type { CidFormat } from '../cid/makeCid.js'
import type { NewChunk } from './chunk.js'
import { createChunkPool } from './chunkPool.js'

/**
 * Stores a block; settled once it would survive the end of the process. Blocks are stored in the order in
 * which they were given.
 */
export type StoreBlock = (cid: CID, bytes: Uint8Array) => Promise<void>

/**
 * Gives blocks their CIDs and stores them behind the caller's back, a bounded number of bytes at a time.
 * One caller writes, a block after the other.
 */
export interface BlockWriter {
  /** Makes an empty chunk, whose memory is used again once a block that lies in it is stored. */
  newChunk: NewChunk
  write(codec: number, bytes: Uint8Array): Promise<CID>
  /** Settled once everything written so far is stored. */
  stored(): Promise<void>
}

/** Bytes, and blocks, that may wait to be stored before the writer has to wait too. */
const bytesInFlight = 8 * 1024 * 1024
const blocksInFlight = 2048

/** A writer whose blocks go to `store`. */
export function createBlockWriter(format: CidFormat, store: StoreBlock): BlockWriter {
  let waitingBytes = 0
  let waitingBlocks = 0
  let failure: { error: unknown } | undefined
  let last: Promise<void> = Promise.resolve()
  let wake = (): void => undefined
  const pool = createChunkPool()

  function check(): void {
    if (failure) throw failure.error
  }

  async function storeBehind(cid: CID, bytes: Uint8Array): Promise<void> {
    waitingBytes += bytes.length
    waitingBlocks++
    try {
      await store(cid, bytes)
    } catch (error) {
      failure ??= { error }
    }
    pool.giveBack(bytes)
    waitingBytes -= bytes.length
    waitingBlocks--
    wake()
  }

  return {
    newChunk: (capacity) => pool.newChunk(capacity),
    async write(codec, bytes) {
      const cid = makeCid(format, codec, bytes)
      last = storeBehind(cid, bytes)
      while (waitingBytes > bytesInFlight || waitingBlocks > blocksInFlight) {
        await new Promise<void>((resolve) => (wake = resolve))
      }
      check()
      return cid
    },
    async stored() {
      await last
      check()
    },
  }
}

/** A store that keeps nothing: for CIDs alone. */
export const discardBlock: StoreBlock = () => Promise.resolve()
