import { parsePath, resolvePath } from '../../dag/path.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { single } from '../../request/output.js'

/** `dag/resolve`: the block that a path leads to, and what is left of the path inside it. */
export const dagResolve = defineCommand({
  description: 'Resolve a path to a block.',
  arguments: [pathArgument('ref', 'The path.')],
  options: {},
  async run({ args: [arg = ''], encodeCid }, { blockstore }) {
    const { cid, remainder } = await resolvePath(blockstore, parsePath(arg))
    return single({
      Cid: { '/': encodeCid(cid) },
      RemPath: remainder.length === 0 ? '' : `/${remainder.join('/')}`,
    })
  },
})
