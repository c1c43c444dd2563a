import { linesOfText } from '../../request/textForm.js'
import { resolveText } from '../../names/nameSystem.js'
import { defineCommand, pathArguments, single, values } from '../../request/command.js'
import { omitEmpty } from '../../text/omitEmpty.js'
import { pinBlock, pinDag, provideOptions, validatePinName } from '../../store/pins.js'

/** `pin/add`: protects DAGs, or single blocks, from garbage collection. All their blocks must be stored. */
export const pinAdd = defineCommand({
  description: 'Pin objects.',
  arguments: [pathArguments('ipfs-path', 'Objects to pin.', 'all')],
  options: {
    recursive: {
      type: 'bool',
      aliases: ['r'],
      default: true,
      description: 'Pin the whole DAG, not only its root.',
    },
    name: { type: 'string', aliases: ['n'], description: 'Name of the pin.' },
    ...provideOptions,
    progress: { type: 'bool', description: 'Also send the number of blocks visited.' },
  },
  text: ({ Pins = [] }: { Pins?: string[] }, { options: { recursive } }) =>
    linesOfText(Pins.map((cid) => `pinned ${cid} ${recursive ? 'recursively' : 'directly'}`)),
  async run(input, network) {
    const { args, options } = input
    const { name = '' } = options
    validatePinName(name)
    const { encodeCid } = input
    let visited = 0
    let visitedBytes = 0
    const pins: string[] = []
    for (const arg of args) {
      const { cid } = await resolveText(network, arg)
      if (options.recursive) {
        const counted = await pinDag(network, cid, name)
        visited += counted.blocks
        visitedBytes += counted.bytes
      } else {
        await pinBlock(network, cid, name)
      }
      pins.push(encodeCid(cid))
    }
    if (!options.progress) return single({ Pins: pins })
    return values(
      (async function* () {
        if (visited > 0) yield omitEmpty({ Progress: visited, Bytes: visitedBytes })
        yield { Pins: pins }
      })(),
    )
  },
})
