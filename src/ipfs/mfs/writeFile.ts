import { codecCode } from '../cid/makeCid.js'
import type { CidFormat } from '../cid/makeCid.js'
import { FileNetworkError, FileNotFoundError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { createBlockWriter } from '../unixfs/blockWriter.js'
import type { UnixfsEntry } from '../unixfs/entry.js'
import { buildFile } from '../unixfs/fileBuilder.js'
import { readFile } from '../unixfs/readFile.js'
import { formatOf } from './directoryEdit.js'
import { splitPath } from './filesPath.js'

/** A write to a mutable file. */
export interface FileWrite {
  /** A cleaned path. */
  path: string
  content: AsyncIterable<Uint8Array>
  offset: number
  /** Bytes of the content to take, at most. */
  count: number
  create: boolean
  parents: boolean
  truncate: boolean
  rawLeaves: boolean | undefined
  /** The CID format of a file that is made; undefined: that of its directory. */
  format: CidFormat | undefined
}

/**
 * Writes into a file. The file is laid out anew as Kubo lays out a file that is written from its
 * beginning: a trickle DAG whose leaves are raw nodes.
 *
 * @throws {@link FileNotFoundError} when there is no such file and none is to be made
 */
export async function writeFile(network: NetworkContext, write: FileWrite): Promise<void> {
  const { blockstore, files, importSettings } = network
  const { directory, name } = splitPath(write.path)
  const existing = await findFile(network, write)
  const parent = existing || write.parents ? undefined : await files.lookUp(directory.join('/'))
  const session = blockstore.openSession()
  try {
    const format = await chooseFormat(network, write, existing)
    const writer = createBlockWriter(format, session.put)
    const file = await buildFile({
      content: mergeContent(network, write, existing),
      settings: {
        ...importSettings,
        cid: format,
        layout: 'trickle',
        rawLeaves: write.rawLeaves ?? (format.version === 1 || existing?.cid.code === codecCode.raw),
      },
      writer,
      metadata: { mode: existing?.mode, modified: existing?.modified },
    })
    await writer.stored()
    if (parent && parent.type !== 'directory') throw new FileNetworkError('not a directory')
    const missing = write.parents ? { format: write.format } : undefined
    await files.change(
      directory,
      ({ links }) => void links.set(name, { name, cid: file.cid, size: file.size }),
      missing,
    )
  } finally {
    session.end()
  }
}

async function findFile(
  { files }: NetworkContext,
  { path, create }: FileWrite,
): Promise<UnixfsEntry | undefined> {
  const entry = await files.lookUp(path).catch((error: unknown) => {
    if (create && error instanceof FileNotFoundError) return undefined
    throw error
  })
  if (entry === undefined) {
    if (path.endsWith('/')) throw new FileNetworkError('cannot create file with empty name')
    return undefined
  }
  if (entry.type !== 'file') throw new FileNetworkError(`${path} was not a file`)
  return entry
}

/** A file keeps its format; a new one takes what was asked for, or that of the nearest directory. */
async function chooseFormat(
  { files }: NetworkContext,
  write: FileWrite,
  existing: UnixfsEntry | undefined,
): Promise<CidFormat> {
  if (existing) return formatOf(existing.cid)
  if (write.format) return write.format
  for (const path = splitPath(write.path).directory; ; path.pop()) {
    try {
      return await formatOf((await files.lookUp(path.join('/'))).cid)
    } catch (error) {
      if (!(error instanceof FileNotFoundError)) throw error
    }
  }
}

/** The content after the write: what was there, with the new bytes over it, and zeros in a gap. */
async function* mergeContent(
  { blockstore }: NetworkContext,
  { content, offset, count, truncate }: FileWrite,
  existing: UnixfsEntry | undefined,
): AsyncGenerator<Uint8Array> {
  const oldSize = truncate || existing === undefined ? 0 : existing.size
  if (existing) yield* readFile(blockstore, existing, { start: 0, end: Math.min(offset, oldSize) })
  yield* zeros(offset - oldSize)
  let written = 0
  for await (const bytes of content) {
    const wanted = bytes.subarray(0, count - written)
    written += wanted.length
    yield wanted
    if (written >= count) break
  }
  if (existing) yield* readFile(blockstore, existing, { start: offset + written, end: oldSize })
}

function* zeros(length: number): Generator<Uint8Array> {
  const piece = new Uint8Array(65_536)
  for (let missing = length; missing > 0; missing -= piece.length) yield piece.subarray(0, missing)
}
