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

/**
 * Mines blocks now, whatever the mining mode; the mempool's transactions go into the first that have room.
 *
 * @param mined - told of each block
 * @throws TimestampError if the first block cannot have the time that was asked for.
 * @throws ChainStoppedError if the node stops on the way, ChainError if the signal is aborted; what was mined stays.
 */
export function mineBlocks(
  chain: Chain,
  { blocks, timestamp, interval, intervalBeforeFirst = false, signal }: MineBlocksOptions,
  mined: (block: MinedBlock) => void = () => undefined,
): Promise<void> {
  return chain.exclusively(async () => {
    const slice = new TimeSlice()
    for (let index = 0; index < blocks; index++) {
      await slice.pause()
      const done = `${index} of ${blocks} blocks were mined`
      if (signal?.aborted === true) throw new ChainError(`the client is gone: ${done}`)
      if (chain.isStopping) throw new ChainStoppedError(done)
      const isSpaced = interval !== undefined && interval > 0n && (index > 0 || intervalBeforeFirst)
      const parent = chain.head.block.header.timestamp
      const spaced = isSpaced ? parent + interval : undefined
      const time =
        index === 0 && timestamp !== undefined ? chain.clock.afterParent(timestamp, parent) : spaced
      mined(await chain.mine(time === undefined ? {} : { timestamp: time }))
    }
  })
}
