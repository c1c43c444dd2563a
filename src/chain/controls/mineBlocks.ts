import type { Chain, MinedBlock } from '../chain.js'
import { ChainError, ChainStoppedError } from '../errors.js'
import { TimeSlice } from '../../encoding/timeSlice.js'

/** A request for a sequence of blocks. */
export interface MineBlocksOptions {
  blocks: number
  /** Timestamp of the first block in seconds; one equal to the head's is moved by the minimum step. */
  timestamp?: bigint | undefined
  /** Seconds between blocks. */
  interval?: bigint | undefined
  /** Whether the interval also applies before the first block. */
  intervalBeforeFirst?: boolean
  /** Aborts after the current block. */
  signal?: AbortSignal | undefined
}

/** Milliseconds of mining after which other changes of the chain get their turn. */
const longestRun = 20

/**
 * Mines blocks now, whatever the mining mode. Pooled transactions go into the first blocks with room. During a long
 * run, other requests may mine in between.
 *
 * @param mined - called with each block
 * @throws TimestampError if the first block cannot have the given timestamp.
 * @throws ChainStoppedError if the node stops midway, ChainError if the signal is aborted; mined blocks stay.
 */
export async function mineBlocks(
  chain: Chain,
  order: MineBlocksOptions,
  mined: (block: MinedBlock) => void = () => undefined,
): Promise<void> {
  for (let done = 0; done < order.blocks;) {
    const progress = `${done} of ${order.blocks} blocks were mined`
    if (order.signal?.aborted === true) throw new ChainError(`the client is gone: ${progress}`)
    if (chain.isStopping) throw new ChainStoppedError(progress)
    const run = chain.exclusively(() => mineRun(chain, order, { done, mined }))
    done = await run.catch((error: unknown) => {
      throw error instanceof ChainStoppedError ? new ChainStoppedError(progress) : error
    })
  }
}

/** Mines some of the requested blocks. @returns how many have been mined in total */
async function mineRun(
  chain: Chain,
  { blocks, timestamp, interval, intervalBeforeFirst = false, signal }: MineBlocksOptions,
  { done, mined }: { done: number; mined: (block: MinedBlock) => void },
): Promise<number> {
  const slice = new TimeSlice()
  const end = performance.now() + longestRun
  let index = done
  while (index < blocks && performance.now() < end) {
    await slice.pause()
    if (signal?.aborted === true || chain.isStopping) return index
    const isSpaced = interval !== undefined && interval > 0n && (index > 0 || intervalBeforeFirst)
    const parent = chain.head.block.header.timestamp
    const spaced = isSpaced ? parent + interval : undefined
    const time = index === 0 && timestamp !== undefined ? chain.clock.afterParent(timestamp, parent) : spaced
    mined(await chain.mine(time === undefined ? {} : { timestamp: time }))
    index++
  }
  return index
}
