import { parsePath, resolvePath } from '../../dag/path.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { bytes } from '../../request/output.js'

/** `block/get`: the bytes of a block. */
export const blockGet = defineCommand({
  description: 'Get a raw block.',
  arguments: [pathArgument('cid', 'The block.')],
  options: {},
  async run({ args: [arg = ''] }, { blockstore }) {
    const { cid } = await resolvePath(blockstore, parsePath(arg))
    const block = await blockstore.get(cid)
    return bytes(
      (async function* () {
        yield block
      })(),
      { contentType: 'application/vnd.ipld.raw' },
    )
  },
})
