import { plainBytes } from '../../encoding/hex.js'

/** Memory that waits to be used again, in bytes, at most. */
const freeLimit = 8 * 1024 * 1024
/** Memory that is lent out, in bytes, up to which readers may fetch what they do not need yet. */
const readAheadLimit = 64 * 1024 * 1024

/** The bytes of a block in memory that others may be reading too, valid until it is given back. */
export interface LentBlock {
  bytes: Uint8Array
  /** To be called once. */
  giveBack(): void
}

/** Reads into memory and returns how much of it was filled. */
type Fill = (memory: Uint8Array) => Promise<Uint8Array>

/**
 * Blocks that somebody is reading at this moment, in memory that is used again for others afterwards. A thousand
 * readers of one block share its bytes, and a long read does not feed the garbage collector a block after the other.
 */
export interface SharedMemory {
  /** The block with a name: what readers have of it already, or what `fill` puts into `length` bytes. */
  lend(name: string, length: number, fill: Fill): Promise<LentBlock>
  /** Whether so little is lent out that readers may fetch blocks ahead: a thousand readers have one block each. */
  mayReadAhead(): boolean
}

interface Frame {
  memory: Uint8Array
  filled: Promise<Uint8Array>
  readers: number
}

/** Memory for reading, none yet. */
export function createSharedMemory(): SharedMemory {
  const frames = new Map<string, Frame>()
  const free: Uint8Array[] = []
  let freeBytes = 0
  let lentBytes = 0

  function take(length: number): Uint8Array {
    const index = free.findLastIndex((memory) => memory.length >= length && memory.length < 2 * length)
    const [found] = index < 0 ? [] : free.splice(index, 1)
    if (found === undefined) return plainBytes(Buffer.allocUnsafeSlow(length))
    freeBytes -= found.length
    return found
  }

  function release(name: string, frame: Frame): void {
    frame.readers--
    if (frame.readers > 0) return
    frames.delete(name)
    lentBytes -= frame.memory.length
    if (freeBytes + frame.memory.length > freeLimit) return
    free.push(frame.memory)
    freeBytes += frame.memory.length
  }

  return {
    mayReadAhead: () => lentBytes < readAheadLimit,
    async lend(name, length, fill) {
      let frame = frames.get(name)
      if (frame === undefined) {
        const memory = take(length)
        frame = { memory, filled: fill(memory.subarray(0, length)), readers: 0 }
        frames.set(name, frame)
        lentBytes += memory.length
      }
      frame.readers++
      const lent = frame
      const giveBack = (): void => release(name, lent)
      try {
        return { bytes: await lent.filled, giveBack }
      } catch (error) {
        giveBack()
        throw error
      }
    },
  }
}
