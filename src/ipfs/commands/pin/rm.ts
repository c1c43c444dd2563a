import { linesOfText } from '../../request/textForm.js'
import { checkPaths, resolveText } from '../../names/nameSystem.js'
import type { CID } from 'multiformats/cid'
import { linksOf } from '../../dag/links.js'
import { BlockNotFoundError, FileNetworkError, errorText } from '../../errors.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, pathArgument, pathArguments, single } from '../../request/command.js'
import { provideOptions } from './add.js'
import { PinError, pinDag, unpin } from '../../store/pins.js'

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

/** `pin/update`: pins a DAG similar to a pinned one, and unpins the old. */
export const pinUpdate = defineCommand({
  description: 'Update a recursive pin.',
  arguments: [pathArgument('from-path', 'Pinned object.'), pathArgument('to-path', 'Object to pin instead.')],
  options: {
    unpin: { type: 'bool', default: true, description: 'Remove the old pin.' },
    ...provideOptions,
  },
  text: ({ Pins: [from, to] }: { Pins: [string, string] }) => `updated ${from} to ${to}\n`,
  async run({ args: [fromPath = '', toPath = ''], options, encodeCid }, network) {
    const { pins, blockstore, names } = network
    checkPaths(fromPath, toPath)
    const { cid: from } = await resolveText({ blockstore, names }, fromPath)
    const { cid: to } = await resolveText({ blockstore, names }, toPath)
    const old = pins.find(from)
    if (old?.mode !== 'recursive') {
      throw new FileNetworkError("'from' cid was not recursively pinned already")
    }
    if (!from.equals(to)) {
      if (pins.find(to)?.mode === 'recursive') {
        throw new FileNetworkError("'to' cid was already recursively pinned")
      }
      for (const root of [from, to]) await checkRoot(network, root)
      await pinDag(network, to, old.name).catch((error: unknown) => {
        const cause = error instanceof PinError ? error.cause : error
        throw cause instanceof BlockNotFoundError
          ? new FileNetworkError(`get ${cause.cid}: ${cause.message}`)
          : cause
      })
      if (options.unpin) await pins.remove(from)
    }
    return single({ Pins: [encodeCid(from), encodeCid(to)] })
  },
})

/** Rejects a root that is missing or cannot be decoded (boxo, `dagutils.DiffEnumerate`). */
async function checkRoot({ blockstore }: NetworkContext, root: CID): Promise<void> {
  try {
    await linksOf(root, await blockstore.get(root))
  } catch (error) {
    throw error instanceof FileNetworkError ? new FileNetworkError(`get ${root}: ${errorText(error)}`) : error
  }
}
