import type { CID } from 'multiformats/cid'
import { parsePath, resolvePath } from '../../dag/path.js'
import { BlockNotFoundError } from '../../errors.js'
import { multihashText, reasonsToKeep } from '../../garbage/neededBlocks.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, pathArguments } from '../../request/command.js'
import { values } from '../../request/output.js'
import type { BlockSource } from '../../unixfs/entry.js'

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
      const { targets, failure } = await resolveAll(network, args)
      const reasons = await reasonsToKeep(
        network,
        targets.map(({ cid }) => cid),
      )
      for (const { cid, way } of targets) {
        const gone = way.find((block) => !blockstore.has(block))
        if (gone !== undefined) throw new BlockNotFoundError(gone)
        const isThere = blockstore.has(cid)
        const absence = isThere || options.force ? undefined : `ipld: could not find ${cid}`
        const problem = reasons.get(multihashText(cid)) ?? absence
        if (isThere && problem === undefined) await removal.remove([cid])
        outcomes.push({ cid, problem })
      }
      return failure === undefined ? { outcomes } : { outcomes, failure }
    } catch (error) {
      return { outcomes, failure: error as Error }
    } finally {
      removal.end()
    }
  })
}

/** Where an argument leads, and the blocks that were read on the way. */
interface Target {
  cid: CID
  way: CID[]
}

/** Where arguments lead before anything is removed, up to the first that leads nowhere. */
async function resolveAll(
  { blockstore }: NetworkContext,
  args: string[],
): Promise<{ targets: Target[]; failure?: Error }> {
  const targets: Target[] = []
  try {
    for (const arg of args) {
      const way: CID[] = []
      const source: BlockSource = {
        get: (block) => {
          way.push(block)
          return blockstore.get(block)
        },
      }
      targets.push({ cid: (await resolvePath(source, parsePath(arg))).cid, way })
    }
    return { targets }
  } catch (error) {
    return { targets, failure: error as Error }
  }
}
