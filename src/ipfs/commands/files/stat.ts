import { longTime } from '../../text/goTime.js'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import { humanBytes } from '../../request/textForm.js'
import { formatMode, goMode, modeString } from '../../unixfs/data.js'
import { codecCode } from '../../cid/cidFormat.js'
import { linksOf } from '../../dag/links.js'
import { BlockNotFoundError, ClientError, FileNetworkError } from '../../errors.js'
import { checkFilesPath, flushOption } from '../../mfs/filesPath.js'
import { resolveText } from '../../names/nameSystem.js'
import type { NetworkContext } from '../../networkContext.js'
import { type TextInput, defineCommand, pathArgument, single } from '../../request/command.js'
import { omitEmpty } from '../../text/omitEmpty.js'
import { type ExactInteger, exactInteger } from '../../text/exactInteger.js'
import { type UnixfsEntry, loadEntry } from '../../unixfs/entry.js'

const defaultFormat = [
  '<hash>',
  'Size: <size>',
  'CumulativeSize: <cumulsize>',
  'ChildBlocks: <childs>',
  'Type: <type>',
  'Mode: <mode> (<mode-octal>)',
  'Mtime: <mtime>',
].join('\n')

const statOptions = {
  ...flushOption,
  format: {
    type: 'string',
    default: defaultFormat,
    description: 'Format of text output, with fields such as <hash>.',
  },
  hash: { type: 'bool', description: 'Show only the CID, in text output.' },
  size: { type: 'bool', description: 'Show only the cumulative size, in text output.' },
  'with-local': { type: 'bool', description: 'Also show how many bytes are stored locally.' },
} as const

/** `files/stat`: describes a mutable file or directory, or an `/ipfs/…` path. */
export const filesStat = defineCommand({
  description: 'Show the status of a file in MFS.',
  arguments: [pathArgument('path', 'File or directory.')],
  options: statOptions,
  text: textOf,
  async run(input, network) {
    const { args, options, signal } = input
    const formats = [options.hash, options.size, options.format !== defaultFormat]
    if (formats.filter(Boolean).length > 1) {
      throw new ClientError(
        'invalid parameters: format was set by multiple options. Only one format option is allowed',
      )
    }
    const path = checkFilesPath(args[0] ?? '')
    const { encodeCid } = input
    const entry = await loadPath(network, path)
    const local = options['with-local'] ? await measureLocal(network, entry, signal) : undefined
    return single({
      Hash: encodeCid(entry.cid),
      Size: entry.size,
      CumulativeSize: entry.cumulativeSize,
      Blocks: entry.node?.links.length ?? 0,
      Type: entry.type === 'directory' ? 'directory' : 'file',
      ...omitEmpty({
        WithLocality: local !== undefined,
        Local: local?.complete,
        SizeLocal: local?.size,
        Mtime: entry.modified ? exactInteger(entry.modified.seconds) : undefined,
        MtimeNsecs: entry.modified?.nanoseconds,
        Mode: modeOf(entry),
      }),
    })
  },
})

/** The answer of `files/stat`. */
interface Status {
  Hash: string
  Size: number
  CumulativeSize: number
  Blocks: number
  Type: string
  WithLocality?: boolean
  SizeLocal?: number
  Mtime?: number | ExactInteger
  MtimeNsecs?: number
  Mode?: string
}

function textOf(status: Status, { options: { format, hash, size } }: TextInput<typeof statOptions>): string {
  const { Hash, Size, CumulativeSize, Blocks, Type, WithLocality, SizeLocal = 0 } = status
  const { Mode = '', MtimeNsecs = 0 } = status
  const seconds = BigInt(String(status.Mtime ?? 0))
  const unknown = 'not set'
  const mode = Number.parseInt(Mode || '0', 8)
  const fields: [name: string, value: string | number][] = [
    ['hash', Hash],
    ['size', Size],
    ['cumulsize', CumulativeSize],
    ['childs', Blocks],
    ['type', Type],
    ['mode', mode === 0 ? unknown : modeString(mode).toLowerCase()],
    ['mode-octal', mode === 0 ? unknown : `0${(mode % 0o1000).toString(8)}`],
    ['mtime', seconds > 0 ? longTime(seconds) : unknown],
    ['mtime-secs', seconds > 0 ? String(seconds) : unknown],
    ['mtime-nsecs', seconds > 0 ? MtimeNsecs : unknown],
  ]
  const pattern = hash ? '<hash>' : size ? '<cumulsize>' : format
  const text = fields.reduce(
    (sofar, [name, value]) => sofar.replaceAll(`<${name}>`, () => String(value)),
    pattern,
  )
  if (WithLocality !== true) return `${text}\n`
  const share = ((100 * SizeLocal) / CumulativeSize).toFixed(2)
  return `${text}\nLocal: ${humanBytes(SizeLocal)} of ${humanBytes(CumulativeSize)} (${share}%)\n`
}

async function loadPath({ files, blockstore, names }: NetworkContext, path: string): Promise<UnixfsEntry> {
  if (!path.startsWith('/ipfs/')) return files.lookUpNode(path)
  const { cid } = await resolveText({ blockstore, names }, path)
  if (cid.code !== codecCode.dagPb && cid.code !== codecCode.raw) {
    await linksOf(cid, await blockstore.get(cid))
    throw new FileNetworkError('not unixfs node (proto or raw)')
  }
  return loadEntry(blockstore, cid)
}

/** Formats Go's mode; a symlink without a mode has all permissions (Kubo, `files.go`). */
function modeOf({ mode, type }: UnixfsEntry): string | undefined {
  if (type !== 'symlink' && !mode) return undefined
  return formatMode(goMode(mode || 0o777, type))
}

/**
 * Sums the bytes of the blocks of a DAG that are stored, and reports whether all are. Counts a block once per link to
 * it, which can take forever: the signal ends the walk.
 */
async function measureLocal(
  { blockstore }: NetworkContext,
  entry: UnixfsEntry,
  signal: AbortSignal,
): Promise<{ complete: boolean; size: number }> {
  const stack = [entry.cid]
  const slice = new TimeSlice()
  let complete = true
  let size = 0
  for (let cid = stack.pop(); cid; cid = stack.pop()) {
    await slice.pause()
    signal.throwIfAborted()
    try {
      const bytes = await blockstore.get(cid)
      size += bytes.length
      for (const link of await linksOf(cid, bytes)) stack.push(link.cid)
    } catch (error) {
      if (!(error instanceof BlockNotFoundError)) throw error
      complete = false
    }
  }
  return { complete, size }
}
