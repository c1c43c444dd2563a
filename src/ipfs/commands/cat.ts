import { resolveText } from '../names/nameSystem.js'
import { FileNetworkError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { bytes, defineCommand, pathArguments } from '../request/command.js'
import { type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import { type ByteRange, readRange } from '../unixfs/readFile.js'

interface FilePart {
  entry: UnixfsEntry
  range: ByteRange
}

/** `cat`: concatenates files; `offset` and `length` apply to the whole. */
export const cat = defineCommand({
  description: 'Show the contents of files.',
  arguments: [pathArguments('ipfs-path', 'Files to show.', 'all')],
  options: {
    offset: { type: 'int64', aliases: ['o'], description: 'Byte offset to start at.' },
    length: { type: 'int64', aliases: ['l'], description: 'Maximum number of bytes to send.' },
    progress: {
      type: 'bool',
      aliases: ['p'],
      default: true,
      description: 'No effect: for command-line clients.',
    },
  },
  async run({ args, options }, network) {
    const { offset = 0, length } = options
    if (offset < 0) throw new FileNetworkError('cannot specify negative offset')
    if (length !== undefined && length < 0) throw new FileNetworkError('cannot specify negative length')
    const parts = length === 0 ? [] : await selectParts(network, args, { offset, length: length ?? Infinity })
    const total = parts.reduce((sum, { range }) => sum + range.end - range.start, 0)
    return bytes(readParts(network, parts), { length: total, reusesBuffer: true })
  },
})

async function selectParts(
  { blockstore, names }: NetworkContext,
  paths: string[],
  selection: { offset: number; length: number },
): Promise<FilePart[]> {
  const parts: FilePart[] = []
  let { offset, length } = selection
  for (const path of paths) {
    const { cid } = await resolveText({ blockstore, names }, path)
    const entry = await loadEntry(blockstore, cid)
    if (entry.type === 'directory') throw new FileNetworkError('this dag node is a directory')
    if (offset > entry.size) {
      offset -= entry.size
      continue
    }
    const end = Math.min(entry.size, offset + length)
    parts.push({ entry, range: { start: offset, end } })
    length -= end - offset
    offset = 0
    if (length === 0) break
  }
  return parts
}

async function* readParts({ blockstore }: NetworkContext, parts: FilePart[]): AsyncGenerator<Uint8Array> {
  for (const { entry, range } of parts) yield* readRange(blockstore, entry, range)
}
