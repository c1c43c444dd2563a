import { inColumns, LINES_AT_ONCE, printableWithPauses } from '../request/textForm.js'
import { type UnixfsTime, goMode, modeString } from '../unixfs/data.js'
import { type CidEncoder, codecCode } from '../cid/cidFormat.js'
import { linksOf } from '../dag/links.js'
import { FileNetworkError } from '../errors.js'
import { resolveText } from '../names/nameSystem.js'
import type { NetworkContext } from '../networkContext.js'
import type { ListingMemory } from '../request/listingMemory.js'
import { type TextInput, defineCommand, pathArguments, single, values } from '../request/command.js'
import { textOfBytes } from '../../encoding/byteText.js'
import { Portion } from '../../encoding/sorting.js'
import { type DistantTime, jsonTime, shortTime } from '../text/goTime.js'
import { loadEntry } from '../unixfs/entry.js'
import { type UnixfsLink, sortByName } from '../unixfs/node.js'
import { listTogether } from '../unixfs/readDirectory.js'

/** Entry types as numbered by `ls`: those of UnixFS (directory 1, file 2, symlink 4), or 0 if unresolved. */
const typeNumbers = { directory: 1, file: 2, symlink: 4 } as const

/** Go's zero time, sent if the time is unknown. */
const noTime = '0001-01-01T00:00:00Z'

interface LsRule {
  /** Whether to read entries for their types and sizes. */
  resolveTypes: boolean
  encodeCid: CidEncoder
}

/** An entry of the answer. */
interface LsLink {
  Name: string
  Hash: string
  Size: number
  Type: number
  Target: string
  Mode: number
  ModTime: string | DistantTime
}

const lsOptions = {
  headers: { type: 'bool', aliases: ['v'], description: 'Text output only.' },
  'resolve-type': { type: 'bool', default: true, description: 'Resolve the types and sizes of entries.' },
  size: { type: 'bool', default: true, description: 'Resolve the sizes of files.' },
  stream: {
    type: 'bool',
    aliases: ['s'],
    description: 'Stream one line per entry instead of sending one object.',
  },
  long: { type: 'bool', aliases: ['l'], description: 'Text output only.' },
} as const

/** `ls`: lists the entries of directories and the links of files. */
export const ls = defineCommand({
  description: 'List directories.',
  arguments: [pathArguments('ipfs-path', 'Directories.', 'all')],
  options: lsOptions,
  text: textOf,
  async run({ args, options, encodeCid, memory }, network) {
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
      const links = counted(listLinks(network, Hash, rule), memory)
      objects.push({ Hash, Links: await sortByName(links, ({ Name }) => Name) })
    }
    return single({ Objects: objects })
  },
})

async function* counted(links: AsyncIterable<LsLink>, memory: ListingMemory): AsyncGenerator<LsLink> {
  for await (const link of links) {
    const pause = memory.add()
    if (pause !== undefined) await pause
    yield link
  }
}

async function* listLinks(network: NetworkContext, path: string, rule: LsRule): AsyncGenerator<LsLink> {
  const { blockstore, names } = network
  const { cid } = await resolveText({ blockstore, names }, path)
  if (cid.code !== codecCode.dagPb && cid.code !== codecCode.raw) {
    const links = await linksOf(cid, await blockstore.get(cid))
    for (const link of links) yield await describeLink(network, { ...link, size: 0 }, rule)
    return
  }
  const entry = await loadEntry(blockstore, cid)
  for await (const link of listTogether(blockstore, entry)) yield await describeLink(network, link, rule)
}

async function describeLink(network: NetworkContext, link: UnixfsLink, rule: LsRule): Promise<LsLink> {
  if (link.cid.code === codecCode.raw) return describe(rule, link, { type: 'file' })
  if (link.cid.code !== codecCode.dagPb || !rule.resolveTypes) return describe(rule, { ...link, size: 0 }, {})
  const child = await loadEntry(network.blockstore, link.cid)
  const { size } = child
  const target = child.type === 'symlink' ? textOfTarget(child.node?.unixfs.data) : ''
  return describe(rule, { ...link, size }, { ...child, target })
}

/** The longest target of a symlink, in bytes: the size limit of blocks that others exchange. */
const MAX_TARGET_LENGTH = 2 * 1024 * 1024

function textOfTarget(target: Uint8Array = new Uint8Array()): string {
  if (target.length <= MAX_TARGET_LENGTH) return textOfBytes(target)
  throw new FileNetworkError(`a symlink of more than ${MAX_TARGET_LENGTH} bytes`)
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
    ModTime: child.modified ? jsonTime(child.modified) : noTime,
  }
}

interface LsOutput {
  Objects: { Hash: string; Links: LsLink[] }[]
}

function* textOf({ Objects }: LsOutput, { args, options }: TextInput<typeof lsOptions>): Generator<string> {
  const { headers, stream, size, long } = options
  const cells = (...parts: [shown: unknown, text: string][]): string =>
    parts.flatMap(([isShown, text]) => (isShown ? [text] : [])).join('\t')
  const lines: string[] = []
  const portion = new Portion(LINES_AT_ONCE)
  for (const [index, { Hash, Links }] of Objects.entries()) {
    // In a stream, links come one at a time, so the start of a directory is unknown.
    const isNew = !stream && Hash !== Objects[index - 1]?.Hash
    if (isNew && args.length > 1) lines.push(...(index > 0 ? [''] : []), `${Hash}:`)
    if (isNew && headers) {
      lines.push(cells([long, 'Mode'], [true, 'Hash'], [size, 'Size'], [long, 'ModTime'], [true, 'Name']))
    }
    for (const link of Links) {
      if (portion.add(link.Name.length)) yield ''
      const isDirectory = link.Type === typeNumbers.directory
      const mode = link.Mode === 0 ? '-' : longMode(link.Mode)
      const bytes = isDirectory ? '-' : String(link.Size)
      const name = (yield* printableWithPauses(link.Name)) + (isDirectory ? '/' : '')
      lines.push(
        cells([long, mode], [true, link.Hash], [size, bytes], [long, timeText(link.ModTime)], [true, name]),
      )
    }
  }
  yield* inColumns(lines, { leastWidth: stream ? 10 : 1 })
}

/** Formats a mode like `ls -l`: setuid, setgid and sticky replace the execute bits. */
function longMode(mode: number): string {
  const letters = modeString(mode).slice(-9).split('')
  for (const [bit, place, letter] of [
    [23, 2, 's'],
    [22, 5, 's'],
    [20, 8, 't'],
  ] as const) {
    if (Math.floor(mode / 2 ** bit) % 2 === 0) continue
    letters[place] = letters[place] === 'x' ? letter : letter.toUpperCase()
  }
  const kind = mode >= 2 ** 31 ? 'd' : Math.floor(mode / 2 ** 27) % 2 === 1 ? 'l' : '-'
  return kind + letters.join('')
}

function timeText(time: string | DistantTime): string {
  if (time === noTime) return '-'
  return shortTime(typeof time === 'string' ? BigInt(Math.floor(Date.parse(time) / 1000)) : time.seconds)
}
