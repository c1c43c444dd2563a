import { type UnixfsTime, goMode } from '../unixfs/data.js'
import { type CidEncoder, codecCode } from '../cid/cidFormat.js'
import { linksOf } from '../dag/links.js'
import { resolveText } from '../names/nameSystem.js'
import type { NetworkContext } from '../networkContext.js'
import { defineCommand, pathArguments, single, values } from '../request/command.js'
import { formatGoTime } from '../request/reply.js'
import { loadEntry } from '../unixfs/entry.js'
import { type UnixfsLink, sortByName } from '../unixfs/node.js'
import { listDirectory } from '../unixfs/readDirectory.js'

/** Types of entries as `ls` numbers them: those of UnixFS (directory 1, file 2, symlink 4), 0 for none. */
const typeNumbers = { directory: 1, file: 2, symlink: 4 } as const

interface LsRule {
  /** Whether the entries are read to learn their types and sizes. */
  resolveTypes: boolean
  encodeCid: CidEncoder
}

/** An entry as `ls` sends it. */
interface LsLink {
  Name: string
  Hash: string
  Size: number
  Type: number
  Target: string
  Mode: number
  ModTime: string
}

/** `ls`: the entries of directories, and the links of files. */
export const ls = defineCommand({
  description: 'List directories.',
  arguments: [pathArguments('ipfs-path', 'The directories.')],
  options: {
    headers: { type: 'bool', aliases: ['v'], description: 'For command lines.' },
    'resolve-type': { type: 'bool', default: true, description: 'Also send types and sizes of entries.' },
    size: { type: 'bool', default: true, description: 'Also send sizes of files.' },
    stream: { type: 'bool', aliases: ['s'], description: 'A line for each entry instead of one object.' },
    long: { type: 'bool', aliases: ['l'], description: 'For command lines.' },
  },
  async run({ args, options, encodeCid }, network) {
    const rule: LsRule = {
      resolveTypes: options['resolve-type'] || options.size,
      encodeCid,
    }
    if (options.stream) {
      return values(
        (async function* () {
          for (const Hash of args) {
            for await (const link of listLinks(network, Hash, rule)) {
              yield { Objects: [{ Hash, Links: [link] }] }
            }
          }
        })(),
      )
    }
    const objects: { Hash: string; Links: LsLink[] }[] = []
    for (const Hash of args) {
      objects.push({ Hash, Links: await sortByName(listLinks(network, Hash, rule), ({ Name }) => Name) })
    }
    return single({ Objects: objects })
  },
})

async function* listLinks(network: NetworkContext, path: string, rule: LsRule): AsyncGenerator<LsLink> {
  const { blockstore, names } = network
  const { cid } = await resolveText({ blockstore, names }, path)
  if (cid.code !== codecCode.dagPb && cid.code !== codecCode.raw) {
    const links = await linksOf(cid, await blockstore.get(cid))
    for (const link of links) yield describe(rule, { ...link, size: 0 }, {})
    return
  }
  const entry = await loadEntry(blockstore, cid)
  for await (const link of listDirectory(blockstore, entry)) yield await describeLink(network, link, rule)
}

async function describeLink(network: NetworkContext, link: UnixfsLink, rule: LsRule): Promise<LsLink> {
  if (link.cid.code === codecCode.raw) return describe(rule, link, { type: 'file' })
  if (link.cid.code !== codecCode.dagPb || !rule.resolveTypes) return describe(rule, { ...link, size: 0 }, {})
  const child = await loadEntry(network.blockstore, link.cid)
  const { size } = child
  const target = child.type === 'symlink' ? Buffer.from(child.node?.unixfs.data ?? []).toString() : ''
  return describe(rule, { ...link, size }, { ...child, target })
}

function describe(
  { encodeCid }: LsRule,
  { name, cid, size }: UnixfsLink,
  child: {
    type?: keyof typeof typeNumbers
    target?: string
    mode?: number | undefined
    modified?: UnixfsTime | undefined
  },
): LsLink {
  return {
    Name: name,
    Hash: encodeCid(cid),
    Size: size,
    Type: child.type ? typeNumbers[child.type] : 0,
    Target: child.target ?? '',
    Mode: child.mode && child.type ? goMode(child.mode, child.type) : 0,
    ModTime: child.modified ? formatGoTime(child.modified) : '0001-01-01T00:00:00Z',
  }
}
