import { stat } from 'node:fs/promises'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import { nextTurn } from '../../encoding/turn.js'
import type { StoredBlock } from '../block/record.js'
import type { Chain } from '../chain.js'
import { decodeBlock, type BlockParts } from './blockParts.js'
import { readChainFile } from './chainFile.js'
import { ImportError } from './errors.js'

/** How far an import has come. */
export interface ImportProgress {
  /** Of the block that was imported last. */
  number: bigint
  /** Bytes of the file that are done, and all of them. */
  done: number
  total: number
}

/** A file of blocks and the chain that takes them in. */
export interface ImportFileOptions {
  chain: Chain
  path: string
  progress?: ((progress: ImportProgress) => void) | undefined
}

/**
 * Executes and stores the blocks of a chain file, each by an atomic write of its own. Blocks that the chain has already
 * are passed over, and so is its genesis.
 *
 * @returns how many blocks were new
 * @throws ImportError for the first block that does not check; those before it stay.
 */
export async function importFile({ chain, path, progress }: ImportFileOptions): Promise<number> {
  const { size: total } = await stat(path)
  let imported = 0
  for await (const { bytes, end } of readChainFile(path)) {
    const block = decodeBlock(bytes)
    if (chain.view.blockByHash(block.hash) === undefined) {
      await chain.exclusively(() => importNext(chain, block))
      imported++
    }
    progress?.({ number: block.header.number, done: end, total })
    await nextTurn()
  }
  return imported
}

function importNext(chain: Chain, block: BlockParts): Promise<StoredBlock> {
  const { number, parentHash } = block.header
  const head = chain.head.block
  if (number === 0n) throw new ImportError(number, 'hash', 'the file begins with another genesis')
  if (!bytesEqual(parentHash, head.hash)) {
    const place = `block ${head.header.number}, ${bytesToHex(head.hash)}`
    throw new ImportError(number, 'parentHash', `it is not the head of the chain (${place})`)
  }
  return chain.importBlock(block)
}
