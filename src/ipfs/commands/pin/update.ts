import { parsePath, resolvePath } from '../../dag/path.js'
import { FileNetworkError } from '../../errors.js'
import { pinDag } from '../../pinning.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { single } from '../../request/output.js'

/** `pin/update`: pins a DAG that is much like one that is pinned, and lets that one go. */
export const pinUpdate = defineCommand({
  description: 'Update a recursive pin.',
  arguments: [pathArgument('from-path', 'What is pinned.'), pathArgument('to-path', 'What to pin instead.')],
  options: { unpin: { type: 'bool', default: true, description: 'Remove the old pin.' } },
  async run({ args: [fromPath = '', toPath = ''], options, encodeCid }, network) {
    const { pins, blockstore } = network
    const { cid: from } = await resolvePath(blockstore, parsePath(fromPath))
    const { cid: to } = await resolvePath(blockstore, parsePath(toPath))
    const old = pins.find(from)
    if (old?.mode !== 'recursive') {
      throw new FileNetworkError("'from' cid was not recursively pinned already")
    }
    if (!from.equals(to)) {
      if (pins.find(to)?.mode === 'recursive') {
        throw new FileNetworkError("'to' cid was already recursively pinned")
      }
      await pinDag(network, to, old.name)
      if (options.unpin) await pins.remove(from)
    }
    return single({ Pins: [encodeCid(from), encodeCid(to)] })
  },
})
