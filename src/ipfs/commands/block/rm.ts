import type { CID } from 'multiformats/cid'
import { parsePath, resolvePath } from '../../dag/path.js'
import { errorText, FileNetworkError } from '../../errors.js'
import { reasonToKeep } from '../../garbage/neededBlocks.js'
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
        for (const arg of args) {
          const { cid } = await resolvePath(network.blockstore, parsePath(arg))
          const failure = await removeBlock(network, cid, { force: options.force === true })
          if (failure !== undefined) yield { Hash: cid.toString(), Error: failure }
          else if (!options.quiet) yield { Hash: cid.toString() }
        }
      })(),
    )
  },
})

async function removeBlock(
  network: NetworkContext,
  cid: CID,
  options: { force: boolean },
): Promise<string | undefined> {
  return network.collectionLock.alone(async () => {
    const removal = network.blockstore.openRemoval()
    try {
      const reason = await reasonToKeep(network, cid)
      if (reason !== undefined) return reason
      if (!network.blockstore.has(cid)) {
        if (options.force) return undefined
        throw new FileNetworkError(`ipld: could not find ${cid}`)
      }
      await removal.remove([cid])
      return undefined
    } catch (error) {
      return errorText(error)
    } finally {
      removal.end()
    }
  })
}
