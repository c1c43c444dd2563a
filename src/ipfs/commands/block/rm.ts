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
        const { cids, failure } = await resolveAll(network, args)
        const force = options.force === true
        for (const { cid, problem } of await removeBlocks(network, cids, { force })) {
          if (problem !== undefined) yield { Hash: cid.toString(), Error: problem }
          else if (!options.quiet) yield { Hash: cid.toString() }
        }
        if (failure !== undefined) throw failure
      })(),
    )
  },
})

/** Where arguments lead, up to the first that leads nowhere: what stands before it is removed all the same. */
async function resolveAll(
  { blockstore }: NetworkContext,
  args: string[],
): Promise<{ cids: CID[]; failure?: Error }> {
  const cids: CID[] = []
  try {
    for (const arg of args) cids.push((await resolvePath(blockstore, parsePath(arg))).cid)
    return { cids }
  } catch (error) {
    return { cids, failure: error as Error }
  }
}

/** A block that was to be removed, and what was wrong, if anything. */
interface Outcome {
  cid: CID
  problem: string | undefined
}

async function removeBlocks(
  network: NetworkContext,
  cids: CID[],
  options: { force: boolean },
): Promise<Outcome[]> {
  return network.collectionLock.alone(async () => {
    const { blockstore } = network
    const removal = blockstore.openRemoval()
    try {
      const reasons = await reasonsToKeep(network, cids)
      const outcomes: Outcome[] = []
      for (const cid of cids) {
        const isThere = blockstore.has(cid)
        const absence = isThere || options.force ? undefined : `ipld: could not find ${cid}`
        const problem = reasons.get(multihashText(cid)) ?? absence
        if (isThere && problem === undefined) await removal.remove([cid])
        outcomes.push({ cid, problem })
      }
      return outcomes
    } finally {
      removal.end()
    }
  })
}
