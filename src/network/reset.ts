import type { Chain } from '../chain/chain.js'
import type { Snapshots } from '../chain/controls/snapshots.js'
import { initialRandomness } from '../chain/mining/randomness.js'
import type { TransactionSubmission } from '../chain/mempool/submitTransaction.js'
import type { CompatibilityProfile } from '../rpc/compatibility.js'
import type { ResetOrder } from '../rpc/controls.js'
import type { ChainBases } from './chainBases.js'

/** Parts that a reset operates on. */
export interface ResetParts {
  chain: Chain
  bases: ChainBases
  snapshots: Snapshots
  submission: TransactionSubmission
  compatibility: Pick<CompatibilityProfile, 'coinbase' | 'firstBlockInheritsBaseFee' | 'blockRandomness'>
}

/**
 * Resets a chain to its home's first block or, on request, to a block of a remote chain: without later blocks, pending
 * transactions and snapshots, and with the clock reset. Removed blocks can no longer be found.
 *
 * The remote is contacted before anything changes. Then the chain is first rewound on its current base, so that a node
 * that crashes midway has either the old first block or the new one.
 *
 * @throws UnsupportedControlError or RemoteStateError, without any change
 */
export function resetChain(
  { chain, bases, snapshots, submission, compatibility }: ResetParts,
  { fork, beginsAnew = false }: ResetOrder,
): Promise<void> {
  return bases.exclusively(async () => {
    const opened = await bases.prepare(fork)
    const move = async (): Promise<void> => {
      await moveToFirst(chain, () => {
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
        await bases.rebuildHomeGenesis(opened)
      } else snapshots.clear()
      if (opened.fork === undefined) keepBaseFee(chain, compatibility)
      await chain.commitProgress()
      await submission.removeStale()
      const isOther = bases.enter(opened)
      if (isOther) {
        await moveToFirst(chain)
        await chain.commitProgress()
      }
      chain.events.emit({ type: isOther ? 'replaced' : 'rewound', head: chain.first })
    }
    await chain.exclusively(move).finally(() => bases.abandon())
  })
}

async function moveToFirst(chain: Chain, change?: () => void): Promise<void> {
  const { first } = chain
  const planned = await chain.planMove(first)
  let removed: (() => void) | undefined
  chain.moveHead(
    { block: first, workingRoot: first.header.stateRoot },
    {
      planned,
      stage: (batch) => {
        removed = chain.stores.blocks.stageRemoval(batch, { from: first.ordinal + 1 })
      },
      change,
    },
  )
  removed?.()
}

/** Gives the second block the base fee of the first, if the emulated node does so. */
export function keepBaseFee(
  { first, head, settings }: Pick<Chain, 'first' | 'head' | 'settings'>,
  { firstBlockInheritsBaseFee }: Pick<CompatibilityProfile, 'firstBlockInheritsBaseFee'>,
): void {
  const { baseFeePerGas } = first.header
  if (firstBlockInheritsBaseFee && head.block === first && baseFeePerGas !== undefined) {
    settings.nextBaseFee = baseFeePerGas
  }
}
