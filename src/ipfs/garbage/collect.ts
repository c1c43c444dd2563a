import type { CID } from 'multiformats/cid'
import type { NetworkContext } from '../networkContext.js'
import { multihashText, neededBlocks } from './neededBlocks.js'

/** Blocks removed at once. */
const batchSize = 512

/**
 * Removes every block that no pin, no mutable file and no running operation needs, tells of each, and
 * gives the space back. Pins and copies wait until it is over; uploads go on, and keep what they stored.
 */
export async function collectGarbage(
  network: NetworkContext,
  tell: (cids: CID[]) => Promise<void>,
): Promise<void> {
  await network.collectionLock.alone(async () => {
    const { blockstore, files } = network
    const removal = blockstore.openRemoval()
    try {
      let root = files.root()
      let needed = await neededBlocks(network)
      let batch: CID[] = []

      const removeBatch = async (): Promise<void> => {
        while (!files.root().equals(root)) {
          root = files.root()
          needed = await neededBlocks(network)
        }
        const garbage = batch.filter((cid) => !needed.has(multihashText(cid)))
        batch = []
        await tell(await removal.remove(garbage))
      }
      for await (const cid of blockstore.cids()) {
        if (needed.has(multihashText(cid))) continue
        batch.push(cid)
        if (batch.length >= batchSize) await removeBatch()
      }
      await removeBatch()
      await blockstore.compact()
    } finally {
      removal.end()
    }
  })
}
