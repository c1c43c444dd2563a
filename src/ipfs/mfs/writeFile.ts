import type { CID } from 'multiformats/cid'
import { formatOf } from '../cid/formatOf.js'
import type { CidFormat } from '../cid/makeCid.js'
import { FileNetworkError, FileNotFoundError } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { isIdentity } from '../store/blockstore.js'
import { unixfsTimeNow, unixfsType } from '../unixfs/data.js'
import { append } from '../unixfs/edit/append.js'
import type { AppendRule } from '../unixfs/edit/append.js'
import { ByteQueue } from '../unixfs/edit/byteQueue.js'
import { createEditContext } from '../unixfs/edit/editContext.js'
import type { EditContext } from '../unixfs/edit/editContext.js'
import { overwrite } from '../unixfs/edit/overwrite.js'
import { setMetadata } from '../unixfs/edit/setMetadata.js'
import { truncate } from '../unixfs/edit/truncate.js'
import { loadEntry } from '../unixfs/entry.js'
import type { UnixfsEntry } from '../unixfs/entry.js'
import { writeNode } from '../unixfs/node.js'
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
  /** Whether new leaves are raw blocks; undefined: where the file has CIDs of version 1. */
  rawLeaves: boolean | undefined
  /** The CID format of a file that is made; undefined: that of its directory. */
  format: CidFormat | undefined
}

/** Bytes of the leaves that fill a gap between the end of a file and where is written (boxo, `expandSparse`). */
const gapChunker = 'size-4096'

/**
 * Writes into a file. What it has is changed in place and what comes behind its end is appended, so that its
 * layout, and with it its CID, is the one that Kubo gives it (boxo, `ipld/unixfs/mod`). Writes to one path
 * come one after the other.
 *
 * @throws {@link FileNotFoundError} when there is no such file and none is to be made
 */
export async function writeFile(network: NetworkContext, write: FileWrite): Promise<void> {
  const { blockstore, files } = network
  const { directory, name } = splitPath(write.path)
  if (write.parents) await files.makeDirectory(directory, { parents: true, format: write.format })
  await files.exclusivelyAt(write.path, async () => {
    const existing = await findFile(network, write)
    const parentFormat = await formatOf((await files.lookUp(directory.join('/'))).cid)
    const session = blockstore.openSession()
    try {
      const context = createEditContext(blockstore, session.put, parentFormat)
      const root = existing?.cid ?? (await emptyFile(context, write.format ?? parentFormat))
      const format = isIdentity(root) ? parentFormat : await formatOf(root)
      const changed = await edit(network, context, { root, write, format })
      await context.stored()
      const { cid, cumulativeSize: size } = await loadEntry(blockstore, changed)
      await files.change(directory, ({ links }) => void links.set({ name, cid, size }))
    } finally {
      session.end()
    }
  })
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
  if (entry.type === 'directory') throw new FileNetworkError(`${path} was not a file`)
  if (entry.type === 'symlink') throw new FileNetworkError('symlinks not yet supported')
  return entry
}

async function emptyFile(context: EditContext, format: CidFormat): Promise<CID> {
  const message = { type: unixfsType.file, fileSize: 0, blockSizes: [] }
  const { cid } = await writeNode(context.writerOf(format), message)
  await context.stored()
  return cid
}

/** Applies a write to a file and returns its new root. */
async function edit(
  { importSettings }: NetworkContext,
  context: EditContext,
  { root: original, write, format }: { root: CID; write: FileWrite; format: CidFormat },
): Promise<CID> {
  const { chunker, maxFileLinks: maxLinks } = importSettings
  const rawLeaves = write.rawLeaves ?? original.version === 1
  const rule: AppendRule = { chunker, maxLinks, format, rawLeaves }
  const before = await loadEntry(context.source, original)
  let root = original
  let { size } = before

  if (write.truncate && size > 0) {
    root = (await truncate(context, root)).cid
    size = 0
    await context.stored()
  }
  if (write.offset > size) {
    root = await append(context, root, zeros(write.offset - size), { ...rule, chunker: gapChunker })
    await context.stored()
  }
  const content = new ByteQueue(limited(write.content, write.count))
  root = await overwrite(context, root, write.offset, content)
  await context.stored()
  root = await append(context, root, content.rest(), rule)
  if (before.modified === undefined || root.equals(original)) return root
  await context.stored()
  return (await setMetadata(context, root, { modified: unixfsTimeNow() })).cid
}

async function* limited(content: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let taken = 0
  if (count === 0) return
  for await (const bytes of content) {
    const wanted = bytes.subarray(0, count - taken)
    taken += wanted.length
    yield wanted
    if (taken >= count) return
  }
}

async function* zeros(length: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(65_536)
  for (let missing = length; missing > 0; missing -= piece.length) yield piece.subarray(0, missing)
}
