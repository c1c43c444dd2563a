import type { Chain } from '../chain/chain.js'
import type { Snapshots } from '../chain/controls/snapshots.js'
import { initialRandomness } from '../chain/mining/randomness.js'
import type { TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import type { CompatibilityProfile } from '../rpc/compatibility.js'
import type { ResetOrder } from '../rpc/controls.js'
import type { ChainBases } from './chainBases.js'

/** What a reset works on. */
export interface ResetParts {
  chain: Chain
  bases: ChainBases
  snapshots: Snapshots
  submission: TransactionSubmission
  compatibility: Pick<CompatibilityProfile, 'coinbase' | 'firstBlockInheritsBaseFee' | 'blockRandomness'>
}

/**
 * Puts a chain back to the first block of its home or, on order, to a block of a remote chain: no blocks above it, no
 * waiting transactions, no snapshots, and the clock as it was. Blocks that were there are not found any more.
 *
 * A remote is asked before anything changes; then the chain goes back where it is, so that a node that goes down on the
 * way has either the first block that it left or the new one.
 *
 * @throws UnsupportedControlError or RemoteStateError; nothing has changed then
 */
export function resetChain(
  { chain, bases, snapshots, submission, compatibility }: ResetParts,
  { fork, beginsAnew = false }: ResetOrder,
): Promise<void> {
  return bases.exclusively(async () => {
    const opened = await bases.prepare(fork)
    const move = async (): Promise<void> => {
      moveToFirst(chain, () => {
        chain.clock.restore({ offset: 0n })
        chain.settings.gasLimit = chain.first.header.gasLimit
        chain.settings.coinbase = compatibility.coinbase
        chain.settings.extraData = new Uint8Array(0)
        delete chain.settings.nextBaseFee
        delete chain.settings.nextPrevRandao
        if (compatibility.blockRandomness === 'hardhat') chain.settings.randomness = initialRandomness()
      })
      chain.mempool.dropAll()
      if (beginsAnew) {
        snapshots.restart()
        await bases.renewHome(opened)
      } else snapshots.clear()
      if (opened.fork === undefined) keepBaseFee(chain, compatibility)
      await chain.commitProgress()
      submission.removeStale()
      const isOther = bases.enter(opened)
      if (isOther) {
        moveToFirst(chain)
        await chain.commitProgress()
      }
      chain.events.emit({ type: isOther ? 'replaced' : 'rewound', head: chain.first })
    }
    await chain.exclusively(move).finally(() => bases.abandon())
  })
}

function moveToFirst(chain: Chain, change?: () => void): void {
  const { first } = chain
  let removed: (() => void) | undefined
  chain.moveHead(
    { block: first, workingRoot: first.header.stateRoot },
    {
      stage: (batch) => {
        removed = chain.stores.blocks.stageRemoval(batch, { from: first.ordinal + 1 })
      },
      change,
    },
  )
  removed?.()
}

/** Gives the block after the first one the base fee of the first, where the node stands in for one that does so. */
export function keepBaseFee(
  { first, head, settings }: Pick<Chain, 'first' | 'head' | 'settings'>,
  { firstBlockInheritsBaseFee }: Pick<CompatibilityProfile, 'firstBlockInheritsBaseFee'>,
): void {
  const { baseFeePerGas } = first.header
  if (firstBlockInheritsBaseFee && head.block === first && baseFeePerGas !== undefined) {
    settings.nextBaseFee = baseFeePerGas
  }
}
