import { parsePath, resolvePath } from '../../dag/path.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { single } from '../../request/output.js'

/** `block/stat`: the size of a block. */
export const blockStat = defineCommand({
  description: 'Show the size of a raw block.',
  arguments: [pathArgument('cid', 'The block.')],
  options: {},
  async run({ args: [arg = ''], encodeCid }, { blockstore }) {
    const { cid } = await resolvePath(blockstore, parsePath(arg))
    const block = await blockstore.get(cid)
    return single({ Key: encodeCid(cid), Size: block.length })
  },
})
