import { linesOfText } from '../../request/textForm.js'
import { resolveText } from '../../names/nameSystem.js'
import { defineCommand, pathArguments, single } from '../../request/command.js'
import { unpin } from '../../store/pins.js'

/** `pin/rm`: removes pins; the blocks stay until they are collected. */
export const pinRm = defineCommand({
  description: 'Remove pins.',
  arguments: [pathArguments('ipfs-path', 'Objects to unpin.', 'all')],
  options: {
    recursive: { type: 'bool', aliases: ['r'], default: true, description: 'Also remove recursive pins.' },
  },
  text: ({ Pins }: { Pins: string[] }) => linesOfText(Pins.map((cid) => `unpinned ${cid}`)),
  async run({ args, options, encodeCid }, network) {
    const pins: string[] = []
    for (const arg of args) {
      const { cid } = await resolveText(network, arg)
      await unpin(network, cid, { recursive: options.recursive })
      pins.push(encodeCid(cid))
    }
    return single({ Pins: pins })
  },
})
