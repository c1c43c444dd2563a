import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { CID } from 'multiformats/cid'
import { openFileStore } from '../../storage/files/blockFiles.js'
import { checkLevelFiles } from '../../storage/levelFiles.js'
import { cidKey } from '../cid/cidFormat.js'
import { linksOf } from '../dag/links.js'
import { errorText } from '../../encoding/errorText.js'
import { BlockNotFoundError } from '../errors.js'
import { loadFilesRoot } from '../mfs/mutableFiles.js'
import { Blockstore, isIntact } from './blockstore.js'
import { Pins } from './pins.js'

/** What was checked. */
export interface VerifiedFiles {
  blocks: number
  pins: number
}

/**
 * Checks the file network in a directory: every block matches its CIDs, everything below a recursive pin is stored, and
 * so is the root of the mutable files. Below that root, blocks may be missing, as in Kubo.
 *
 * @param report - called with a line for each problem
 */
export async function verifyFileNetwork(
  directory: string,
  report: (line: string) => void,
): Promise<VerifiedFiles> {
  const isThere = await access(directory).then(
    () => true,
    () => false,
  )
  if (!isThere) return { blocks: 0, pins: 0 }
  await (await checkLevelFiles(join(directory, 'index'))).check(new AbortController().signal)
  const store = await openFileStore({ directory, sync: true, isIntact })
  try {
    const blockstore = new Blockstore(store.blocks, { verifyBlocks: true })
    const damaged = new Set<string>()
    let blocks = 0
    for await (const cid of blockstore.cids()) {
      blocks++
      const problem = await problemOf(blockstore, cid)
      if (problem === undefined) continue
      damaged.add(cidKey(cid))
      report(`block ${cid}: ${problem}`)
    }
    let pins = 0
    const seen = new Set(damaged)
    for (const mode of ['recursive', 'direct'] as const) {
      for await (const { cid } of new Pins(store.pins).list(mode)) {
        pins++
        await walkPin(cid, mode)
      }
    }
    const root = loadFilesRoot(store.named)
    if (root !== undefined && !blockstore.has(root))
      report(`the root of the mutable files, ${root}, is missing`)
    return { blocks, pins }

    /** Walks what other pins have not. Continues past missing blocks. */
    async function walkPin(pin: CID, mode: 'recursive' | 'direct'): Promise<void> {
      const isRecursive = mode === 'recursive'
      const pending = [pin]
      for (let cid = pending.pop(); cid !== undefined; cid = pending.pop()) {
        if (isRecursive && seen.has(cidKey(cid))) continue
        if (isRecursive) seen.add(cidKey(cid))
        try {
          if (!isRecursive && blockstore.has(cid)) return
          const links = await linksOf(cid, await blockstore.get(cid))
          for (const link of links) pending.push(link.cid)
        } catch (error) {
          const problem = error instanceof BlockNotFoundError ? `block ${cid} is missing` : errorText(error)
          report(`pin ${pin}: ${problem}`)
        }
      }
    }
  } finally {
    await store.close()
  }
}

async function problemOf(blockstore: Blockstore, cid: CID): Promise<string | undefined> {
  try {
    await blockstore.get(cid)
    return undefined
  } catch (error) {
    return errorText(error)
  }
}
