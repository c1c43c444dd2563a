import { TimeSlice } from '../../encoding/timeSlice.js'
import { resolveText } from '../names/nameSystem.js'
import { FileNetworkError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { bytes, defineCommand, pathArguments } from '../request/command.js'
import { heldBack } from '../request/heldBack.js'
import { type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import { type ByteRange, readRange } from '../unixfs/readFile.js'

/** Files kept from their selection until they are read; the others are loaded again. */
const MAX_KEPT = 16

interface FilePart {
  path: string
  /** Undefined if it is not kept. */
  entry: UnixfsEntry | undefined
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
    const [offset, length] = [Number(options.offset ?? 0), Number(options.length ?? Infinity)]
    if (offset < 0) throw new FileNetworkError('cannot specify negative offset')
    if (length < 0) throw new FileNetworkError('cannot specify negative length')
    const parts = length === 0 ? [] : await selectParts(network, args, { offset, length })
    // Kubo seeks the offset before it answers.
    const [first] = parts
    if (offset > 0 && first) await findStart(network, first)
    const total = parts.reduce((sum, { range }) => sum + range.end - range.start, 0)
    return bytes(readParts(network, parts), { length: total, reusesBuffer: true })
  },
})

/** @throws {@link FileNetworkError} if the block with the start of a part cannot be read */
async function findStart(network: NetworkContext, part: FilePart): Promise<void> {
  const { start, end } = part.range
  const entry = part.entry ?? (await loadFile(network, part.path))
  for await (const _ of readRange(network.blockstore, entry, { start, end: Math.min(start + 1, end) })) break
}

async function loadFile({ blockstore, names }: NetworkContext, path: string): Promise<UnixfsEntry> {
  const { cid } = await resolveText({ blockstore, names }, path)
  return loadEntry(blockstore, cid)
}

async function selectParts(
  network: NetworkContext,
  paths: string[],
  selection: { offset: number; length: number },
): Promise<FilePart[]> {
  const parts: FilePart[] = []
  let { offset, length } = selection
  const slice = new TimeSlice()
  for (const path of paths) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const entry = await loadFile(network, path)
    if (entry.type === 'directory') throw new FileNetworkError('this dag node is a directory')
    if (offset > entry.size) {
      offset -= entry.size
      continue
    }
    const end = Math.min(entry.size, offset + length)
    const kept = parts.length < MAX_KEPT ? entry : undefined
    parts.push({ path, entry: kept, range: { start: offset, end } })
    length -= end - offset
    offset = 0
    if (length === 0) break
  }
  return parts
}

async function* readParts(network: NetworkContext, parts: FilePart[]): AsyncGenerator<Uint8Array> {
  const slice = new TimeSlice()
  for (const { path, entry, range } of parts) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    if (range.end <= range.start) continue
    yield* heldBack(readRange(network.blockstore, entry ?? (await loadFile(network, path)), range))
  }
}
