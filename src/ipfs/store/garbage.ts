import type { CID } from 'multiformats/cid'
import { cidKey } from '../cid/cidFormat.js'
import { linksOf, walkCids } from '../dag/links.js'
import { BlockNotFoundError, FileNetworkError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { pinsInSearchOrder } from './pins.js'

/** Blocks removed at once. */
const batchSize = 512

/**
 * Removes and reports every block that no pin, mutable file or running operation needs, and reclaims the space. Pins
 * and copies wait until it is over; uploads continue, and keep what they stored.
 */
export async function collectGarbage(
  network: NetworkContext,
  tell: (cids: CID[]) => Promise<void>,
): Promise<void> {
  await network.collectionLock.exclusive(async () => {
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

/** Returns the multihash of a CID as a string: blocks are removed by multihash, whatever the CID. */
export function multihashText(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('latin1')
}

/**
 * Returns why blocks may not be removed by hand (Kubo, `blockstoreutil`), by {@link multihashText}, omitting those that
 * may. A pin under the requested CID comes first, but one under any other CID of the block counts too: Kubo looks only
 * for that CID, and removes blocks that another version's pin needs. All pins are walked once, however many blocks are
 * requested.
 */
export async function reasonsToKeep(network: NetworkContext, cids: CID[]): Promise<Map<string, string>> {
  const wanted = new Set(cids.map(multihashText))
  const asked = new Set(cids.map(cidKey))
  const reasons = new Map<string, string>()
  const keep = (cid: CID, reason: string): void => {
    const text = multihashText(cid)
    if (wanted.has(text) && (asked.delete(cidKey(cid)) || !reasons.has(text))) reasons.set(text, reason)
  }
  for (const mode of ['recursive', 'direct'] as const) {
    for await (const pin of network.pins.list(mode)) keep(pin.cid, `pinned: ${mode}`)
  }
  if (asked.size === 0) return reasons
  const seen = new Set<string>()
  try {
    for (const pin of await pinsInSearchOrder(network.pins)) {
      for await (const cid of walkCids(network.blockstore, pin.cid, seen)) {
        // The pin itself was checked above.
        if (!cid.equals(pin.cid)) keep(cid, `pinned via ${pin.cid}`)
        if (asked.size === 0) return reasons
      }
    }
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    for (const cid of cids) keep(cid, `pin check failed: ${error.message}`)
  }
  return reasons
}

/**
 * Returns the multihashes of all blocks that pins and the mutable files need.
 *
 * The links of a pinned DAG must be readable, or nothing may be collected. In the mutable files, missing blocks are
 * skipped: a file copied from a CID may refer to blocks that were never stored (Kubo, `gc.go`, "best effort roots").
 */
export async function neededBlocks(network: NetworkContext): Promise<Set<string>> {
  const needed = new Set<string>()
  const seen = new Set<string>()
  for await (const pin of network.pins.list('recursive')) {
    for await (const cid of walkCids(network.blockstore, pin.cid, seen)) needed.add(multihashText(cid))
  }
  for await (const pin of network.pins.list('direct')) needed.add(multihashText(pin.cid))

  const filesSeen = new Set<string>()
  const stack: CID[] = [network.files.root()]
  for (let cid = stack.pop(); cid; cid = stack.pop()) {
    const key = cidKey(cid)
    if (seen.has(key) || filesSeen.has(key)) continue
    filesSeen.add(key)
    needed.add(multihashText(cid))
    const bytes = await network.blockstore.get(cid).catch((error: unknown) => {
      if (error instanceof BlockNotFoundError) return undefined
      throw error
    })
    if (bytes) for (const link of await linksOf(cid, bytes)) stack.push(link.cid)
  }
  return needed
}

/** Returns the number of blocks, and their bytes, that {@link collectGarbage} would remove now. */
export async function measureGarbage(network: NetworkContext): Promise<{ blocks: number; bytes: number }> {
  const needed = await neededBlocks(network)
  let blocks = 0
  let bytes = 0
  for await (const cid of network.blockstore.cids()) {
    const text = multihashText(cid)
    if (needed.has(text)) continue
    // Several CIDs may name the same block.
    needed.add(text)
    blocks += 1
    bytes += network.blockstore.size(cid) ?? 0
  }
  return { blocks, bytes }
}
