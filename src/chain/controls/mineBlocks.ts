import type { Chain, MinedBlock } from '../chain.js'
import { ChainError, ChainStoppedError } from '../errors.js'
import { type Awaitable, TimeSlice } from '../../encoding/timeSlice.js'

/** A request for a sequence of blocks. */
export interface MineBlocksOptions {
  blocks: number
  /** Timestamp of the first block in seconds; one equal to the head's is moved by the minimum step. */
  timestamp?: bigint | undefined
  /** Seconds between blocks. */
  interval?: bigint | undefined
  /** Whether the interval also applies before the first block. */
  intervalBeforeFirst?: boolean
  /** Whether the interval moves the clock, which then decides the times of blocks, as in anvil. */
  advancesClock?: boolean
  /** Whether blocks in the middle of a long sequence look like those that hardhat reserves instead of mining them. */
  reservesBlocks?: boolean
  /** Aborts after the current block. */
  signal?: AbortSignal | undefined
}

/** Milliseconds of mining after which other changes of the chain get their turn. */
const MAX_RUN_MILLISECONDS = 20

/**
 * Mines blocks now, whatever the mining mode. Pooled transactions go into the first blocks with room. During a long
 * run, other requests may mine in between.
 *
 * @param mined - called with each block; the next one waits for it
 * @throws TimestampError if the first block cannot have the given timestamp
 * @throws ChainStoppedError if the node stops midway, ChainError if the signal is aborted; mined blocks stay
 */
export async function mineBlocks(
  chain: Chain,
  order: MineBlocksOptions,
  mined: (block: MinedBlock) => Awaitable<void> = () => undefined,
): Promise<void> {
  const reserved: ReservedBlocks = {}
  for (let done = 0; done < order.blocks;) {
    const progress = `${done} of ${order.blocks} blocks were mined`
    if (order.signal?.aborted === true) throw new ChainError(`the client is gone: ${progress}`)
    if (chain.isStopping) throw new ChainStoppedError(progress)
    const run = chain.exclusively(() => mineRun(chain, order, { done, mined, reserved }))
    done = await run.catch((error: unknown) => {
      throw error instanceof ChainStoppedError ? new ChainStoppedError(progress) : error
    })
  }
}

/** The blocks of a sequence that hardhat reserves instead of mining them. */
interface ReservedBlocks {
  /** Index of the first one. */
  start?: number
}

/** Hardhat reserves blocks if at least this many remain, including the last one (EDR: edr_provider, data.rs). */
const MIN_REMAINING = 7

/** Mines some of the requested blocks. @returns how many have been mined in total */
async function mineRun(
  chain: Chain,
  {
    blocks,
    timestamp,
    interval,
    intervalBeforeFirst = false,
    advancesClock = false,
    reservesBlocks = false,
    signal,
  }: MineBlocksOptions,
  {
    done,
    mined,
    reserved,
  }: { done: number; mined: (block: MinedBlock) => Awaitable<void>; reserved: ReservedBlocks },
): Promise<number> {
  const slice = new TimeSlice()
  const end = performance.now() + MAX_RUN_MILLISECONDS
  let index = done
  while (index < blocks && performance.now() < end) {
    await slice.pause()
    if (signal?.aborted === true || chain.isStopping) return index
    const isSpaced = interval !== undefined && interval > 0n && (index > 0 || intervalBeforeFirst)
    const parent = chain.head.block.header.timestamp
    if (isSpaced && advancesClock) chain.clock.increase(interval, parent)
    const spaced = isSpaced && !advancesClock ? parent + interval : undefined
    const time = index === 0 && timestamp !== undefined ? chain.clock.afterParent(timestamp, parent) : spaced
    const isIdle = chain.mempool.size === 0
    if (reservesBlocks && isIdle && index > 0 && blocks - index >= MIN_REMAINING) reserved.start ??= index
    const isReserved = isIdle && reserved.start !== undefined && index > reserved.start && index < blocks - 1
    await mined(await chain.mine({ timestamp: time, reserved: isReserved }))
    index++
  }
  return index
}
