import type { Chain, MinedBlock } from '../chain.js'
import { ChainError, ChainStoppedError } from '../errors.js'
import { TimeSlice } from '../../encoding/timeSlice.js'

/** Blocks to mine one after another. */
export interface MineBlocksOptions {
  blocks: number
  /** Seconds; the time of the first block, which comes the least step later if it is that of the head. */
  timestamp?: bigint | undefined
  /** Seconds between a block and the next. */
  interval?: bigint | undefined
  /** Whether the first block too is the interval behind the head. */
  intervalBeforeFirst?: boolean
  /** Ends the work behind the block that is being mined. */
  signal?: AbortSignal | undefined
}

/** Milliseconds of mining after which other changes of the chain have their turn. */
const longestRun = 20

/**
 * Mines blocks now, whatever the mining mode; the mempool's transactions go into the first that have room. Where there are
 * many, transactions of others are mined between them.
 *
 * @param mined - told of each block
 * @throws TimestampError if the first block cannot have the time that was asked for.
 * @throws ChainStoppedError if the node stops on the way, ChainError if the signal is aborted; what was mined stays.
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

/** Mines some of the blocks of an order. @returns how many of them are mined then */
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
