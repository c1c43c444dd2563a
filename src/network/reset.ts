import type { StoredBlock } from '../chain/block/record.js'
import type { Chain } from '../chain/chain.js'
import type { Snapshots } from '../chain/snapshots.js'

/** What a reset works on. */
export interface ResetParts {
  chain: Chain
  genesis: StoredBlock
  snapshots: Snapshots
}

/** Puts a chain back to its genesis: no blocks, no waiting transactions, no snapshots, and the clock as it was. */
export function resetChain({ chain, genesis, snapshots }: ResetParts): Promise<void> {
  return chain.exclusively(async () => {
    chain.clock.restore({ offset: 0n })
    chain.settings.gasLimit = genesis.header.gasLimit
    chain.settings.coinbase = new Uint8Array(20)
    chain.settings.extraData = new Uint8Array(0)
    delete chain.settings.nextBaseFee
    delete chain.settings.nextPrevRandao
    chain.mempool.dropAll()
    chain.moveHead({ block: genesis, workingRoot: genesis.header.stateRoot })
    snapshots.clear()
    await chain.touched()
    chain.events.emit({ type: 'rewound', head: genesis })
  })
}
