import type { StoredBlock } from './block/record.js'
import type { Chain } from './chain.js'
import { blocksAbove } from './head.js'
import { BlobStore } from './mempool/blobStore.js'
import { pooledOf, stagePooled, type NamedPooled } from './mempool/pooledStore.js'
import { readmit } from './mempool/readmit.js'

/**
 * Makes a block of another branch the head, and announces it as geth does (core/blockchain.go, reorg): what left,
 * then what came below the head, then the head. The transactions that left wait again; the write that moves the head
 * keeps them, so that they wait after a crash too. Only within the chain's turn.
 */
export async function adoptBranch(chain: Chain, block: StoredBlock): Promise<void> {
  const { blocks, keys } = chain.stores
  const blobs = new BlobStore(chain.stores)
  let removed: StoredBlock[] = []
  let left: NamedPooled[] = []
  const head = { block, workingRoot: block.header.stateRoot }
  const { added } = chain.moveHead(head, {
    stage: (batch, { base }) => {
      removed = blocksAbove(blocks, base, chain.head.block)
      left = removed.flatMap((orphan) => pooledOf({ blocks, blobs }, orphan))
      for (const pooled of left) stagePooled(batch, keys, pooled)
    },
    change: () => {
      chain.settings.gasLimit = block.header.gasLimit
    },
  })
  await chain.touched()
  await readmit(chain.mempool, chain.nextRules(), left)
  if (removed.length > 0) chain.events.emit({ type: 'removed', blocks: removed })
  if (added.length > 1) chain.events.emit({ type: 'added', blocks: added.slice(0, -1) })
  chain.events.emit({ type: 'head', block })
}
