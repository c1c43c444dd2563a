import { adoptBranch } from '../adoptBranch.js'
import type { StoredBlock } from '../block/record.js'
import type { Chain } from '../chain.js'
import { ChainStoppedError } from '../errors.js'
import { decodeBlock } from '../import/blockParts.js'

/**
 * Takes blocks that were made elsewhere, as RLP and parents first, and makes the last one the head: as the next block
 * where it stands on the head, by a reorganisation where it stands on another branch.
 *
 * @throws ImportError for the first block that does not check; those before it are stored.
 * @throws ChainStoppedError if the node stops on the way; the blocks until then are stored.
 */
export function importBranch(chain: Chain, blocks: readonly Uint8Array[]): Promise<void> {
  return chain.exclusively(async () => {
    let last: StoredBlock | undefined
    for (const bytes of blocks) {
      if (chain.isWindingDown) throw new ChainStoppedError()
      const parts = decodeBlock(bytes)
      last = chain.view.blockByHash(parts.hash) ?? (await chain.importBlock(parts))
    }
    if (last !== undefined && !chain.view.isCanonical(last)) await adoptBranch(chain, last)
  })
}
