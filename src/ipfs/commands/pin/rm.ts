import { parsePath, resolvePath } from '../../dag/path.js'
import { unpin } from '../../pinning.js'
import { defineCommand, pathArguments } from '../../request/command.js'
import { single } from '../../request/output.js'

/** `pin/rm`: removes pins; the blocks stay until they are collected. */
export const pinRm = defineCommand({
  description: 'Remove pins.',
  arguments: [pathArguments('ipfs-path', 'What to unpin.')],
  options: {
    recursive: { type: 'bool', aliases: ['r'], default: true, description: 'Also remove recursive pins.' },
  },
  async run({ args, options, encodeCid }, network) {
    const pins: string[] = []
    for (const arg of args) {
      const { cid } = await resolvePath(network.blockstore, parsePath(arg))
      await unpin(network, cid, { recursive: options.recursive })
      pins.push(encodeCid(cid))
    }
    return single({ Pins: pins })
  },
})
