import type { CID } from 'multiformats/cid'
import { parsePath, resolvePath } from '../../dag/path.js'
import { multihashText, reasonsToKeep } from '../../garbage/neededBlocks.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, pathArguments } from '../../request/command.js'
import { values } from '../../request/output.js'

/** `block/rm`: removes blocks that nothing protects. A block that cannot be removed gets a line with why. */
export const blockRm = defineCommand({
  description: 'Remove blocks.',
  arguments: [pathArguments('cid', 'The blocks.')],
  options: {
    force: { type: 'bool', aliases: ['f'], description: 'No error for blocks that are not there.' },
    quiet: { type: 'bool', aliases: ['q'], description: 'No line for blocks that were removed.' },
  },
  run({ args, options }, network) {
    return values(
      (async function* () {
        const { outcomes, failure } = await removeBlocks(network, args, { force: options.force === true })
        for (const { cid, problem } of outcomes) {
          if (problem !== undefined) yield { Hash: cid.toString(), Error: problem }
          else if (!options.quiet) yield { Hash: cid.toString() }
        }
        if (failure !== undefined) throw failure
      })(),
    )
  },
})

/** What became of the arguments, up to the first that leads nowhere. */
interface Removal {
  /** Blocks that were to be removed, and what was wrong, if anything. */
  outcomes: { cid: CID; problem: string | undefined }[]
  failure?: Error
}

/**
 * Removes blocks one after the other: an argument that leads through a block which stands before it leads nowhere. Pins
 * are asked once for all of them.
 */
async function removeBlocks(
  network: NetworkContext,
  args: string[],
  options: { force: boolean },
): Promise<Removal> {
  const { blockstore, collectionLock } = network
  return collectionLock.alone(async () => {
    const removal = blockstore.openRemoval()
    const outcomes: Removal['outcomes'] = []
    try {
      const reasons = await reasonsToKeep(network, await resolveAll(network, args))
      for (const arg of args) {
        const { cid } = await resolvePath(blockstore, parsePath(arg))
        const isThere = blockstore.has(cid)
        const absence = isThere || options.force ? undefined : `ipld: could not find ${cid}`
        const problem = reasons.get(multihashText(cid)) ?? absence
        if (isThere && problem === undefined) await removal.remove([cid])
        outcomes.push({ cid, problem })
      }
      return { outcomes }
    } catch (error) {
      return { outcomes, failure: error as Error }
    } finally {
      removal.end()
    }
  })
}

/** Where arguments lead before anything is removed, up to the first that leads nowhere. */
async function resolveAll({ blockstore }: NetworkContext, args: string[]): Promise<CID[]> {
  const cids: CID[] = []
  try {
    for (const arg of args) cids.push((await resolvePath(blockstore, parsePath(arg))).cid)
  } catch {
    // Whoever removes comes to it too, and says what is wrong.
  }
  return cids
}
