import type { CID } from 'multiformats/cid'
import { LargeMap, LargeSet } from '../../../encoding/largeMap.js'
import { sortedEntries } from '../../../encoding/sorting.js'
import { TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { cidKey } from '../../cid/cidFormat.js'
import { walkCids } from '../../dag/links.js'
import { resolveText } from '../../names/nameSystem.js'
import { FileNetworkError } from '../../errors.js'
import type { NetworkContext } from '../../networkContext.js'
import { Fields, defineCommand, optionalArguments, single, values } from '../../request/command.js'
import { findPinAbove, validatePinName } from '../../store/pins.js'

const types = ['direct', 'indirect', 'recursive', 'all'] as const
type ListType = (typeof types)[number]

/** A pinned object in the answer. */
interface Listed {
  cid: CID
  /** `recursive`, `direct`, `indirect`, or `indirect through <root>` for a requested object. */
  type: string
  name: string
}

/** `pin/ls`: lists pinned objects and their pin types. */
export const pinLs = defineCommand({
  description: 'List pinned objects.',
  arguments: [optionalArguments('ipfs-path', 'Objects to list.')],
  options: {
    type: {
      type: 'string',
      aliases: ['t'],
      default: 'all',
      description: 'Type of pins: direct, indirect, recursive or all.',
    },
    quiet: { type: 'bool', aliases: ['q'], description: 'Text output only.' },
    name: { type: 'string', aliases: ['n'], description: 'List only pins whose names contain this text.' },
    stream: {
      type: 'bool',
      aliases: ['s'],
      description: 'Stream one line per pin instead of sending one object.',
    },
    names: { type: 'bool', description: 'Also send pin names.' },
  },
  *text(output: PinList | PinLine, { options: { quiet } }) {
    const line = (cid: string, { Type, Name = '' }: ListedPin): string =>
      quiet ? `${cid}\n` : `${[cid, Type, ...(Name === '' ? [] : [Name])].join(' ')}\n`
    if ('Cid' in output) yield line(output.Cid, output)
    else for (const [cid, pin] of output.Keys?.list ?? []) yield line(cid, pin)
  },
  async run(input, network) {
    const { args, options, memory } = input
    const { name = '' } = options
    validatePinName(name)
    const type = types.find((known) => known === options.type)
    if (type === undefined) {
      throw new FileNetworkError(
        `invalid type '${options.type}', must be one of {direct, indirect, recursive, all}`,
      )
    }
    const { encodeCid } = input
    const withNames = options.names === true || name !== ''
    const listed =
      args.length > 0 ? listObjects(network, args, { type, encodeCid }) : listAll(network, type, name)
    const shownName = (pin: Listed): string => (withNames ? pin.name : '')

    if (options.stream) {
      return values(
        (async function* () {
          for await (const pin of listed) {
            const Name = shownName(pin)
            yield { Cid: encodeCid(pin.cid), ...(Name === '' ? {} : { Name }), Type: pin.type }
          }
        })(),
      )
    }
    const slice = new TimeSlice()
    const keys = new LargeMap<ListedPin>()
    for await (const pin of listed) {
      keys.set(encodeCid(pin.cid), { Type: pin.type, Name: shownName(pin) })
      const pause = memory.add() ?? slice.pause()
      if (pause !== undefined) await pause
    }
    return single(keys.size === 0 ? {} : { Keys: new Fields(await runInSlices(sortedEntries(keys), slice)) })
  },
})

/** Like in Kubo, the objects before one that is not pinned are listed. */
async function* listObjects(
  network: NetworkContext,
  args: string[],
  options: { type: ListType; encodeCid: (cid: CID) => string },
): AsyncGenerator<Listed> {
  const { type, encodeCid } = options
  const asked: { arg: string; cid: CID }[] = []
  for (const arg of args) asked.push({ arg, cid: (await resolveText(network, arg)).cid })
  for (const { arg, cid } of asked) {
    const pin = network.pins.find(cid)
    if (pin && (type === 'all' || type === pin.mode)) {
      yield { cid, type: pin.mode, name: pin.name }
      continue
    }
    const mayBeIndirect = type === 'all' || (type === 'indirect' && pin?.mode !== 'recursive')
    const root = mayBeIndirect ? (await findPinAbove(network, [cid])).get(cidKey(cid)) : undefined
    if (root === undefined) throw new FileNetworkError(`path '${arg}' is not pinned`)
    yield { cid, type: `indirect through ${encodeCid(root)}`, name: '' }
  }
}

async function* listAll(network: NetworkContext, type: ListType, name: string): AsyncGenerator<Listed> {
  const seen = new LargeSet()
  for (const mode of ['recursive', 'direct'] as const) {
    for await (const pin of network.pins.list(mode)) {
      if (type === 'indirect' || type === 'all') seen.add(cidKey(pin.cid))
      if (type !== mode && type !== 'all') continue
      if (pin.name.includes(name)) yield { cid: pin.cid, type: mode, name: pin.name }
    }
  }
  if ((type === 'indirect' || type === 'all') && name === '') yield* listIndirect(network, seen)
}

async function* listIndirect(network: NetworkContext, pinned: LargeSet): AsyncGenerator<Listed> {
  const visited = new LargeSet()
  for await (const pin of network.pins.list('recursive')) {
    for await (const cid of walkCids(network.blockstore, pin.cid, visited)) {
      if (!pinned.has(cidKey(cid))) yield { cid, type: 'indirect', name: '' }
    }
  }
}

interface ListedPin {
  Type: string
  Name?: string
}

/** A line for one pin. */
interface PinLine extends ListedPin {
  Cid: string
}

/** All pins in one object; without `Keys` if there are none. */
interface PinList {
  Keys?: Fields<ListedPin>
}
