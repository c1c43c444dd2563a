import type { CID } from 'multiformats/cid'
import {
  type CidFormat,
  DigestTooLargeError,
  formatOf,
  hashFunctionByName,
  IDENTITY_CODE,
} from '../../cid/cidFormat.js'
import { FileNetworkError, FileNotFoundError } from '../../errors.js'
import {
  checkFilesPath,
  cidFormatOptions,
  flushOption,
  readCidFormat,
  splitPath,
} from '../../mfs/filesPath.js'
import type { NetworkContext } from '../../networkContext.js'
import {
  defineCommand,
  fileArgument,
  openFileArgument,
  nothing,
  pathArgument,
} from '../../request/command.js'
import { unixfsTimeNow, unixfsType } from '../../unixfs/data.js'
import { type AppendRule, append } from '../../unixfs/edit/append.js'
import { ByteQueue, type EditContext, createEditContext } from '../../unixfs/edit/editContext.js'
import { collapse, overwrite, setMetadata, truncate } from '../../unixfs/edit/modify.js'
import { type UnixfsEntry, loadEntry } from '../../unixfs/entry.js'
import { writeNode } from '../../unixfs/node.js'

/** `files/write`: writes into a mutable file. */
export const filesWrite = defineCommand({
  description: 'Write to a file in MFS.',
  arguments: [pathArgument('path', 'File.'), fileArgument('data', 'Data to write.')],
  options: {
    ...flushOption,
    offset: { type: 'int64', aliases: ['o'], description: 'Byte offset to write at.' },
    create: { type: 'bool', aliases: ['e'], description: 'Create the file if it is missing.' },
    parents: { type: 'bool', aliases: ['p'], description: 'Create missing parent directories.' },
    truncate: { type: 'bool', aliases: ['t'], description: 'Truncate the file first.' },
    count: { type: 'int64', aliases: ['n'], description: 'Maximum number of bytes to write.' },
    'raw-leaves': { type: 'bool', description: 'Store chunks as raw blocks. Default: true with version 1.' },
    ...cidFormatOptions,
  },
  async run({ args: [arg = ''], options, upload, signal }, network) {
    const path = checkFilesPath(arg)
    const format = (await readCidFormat(options)) ?? network.filesSettings.cid
    const [offset, count] = [Number(options.offset ?? 0), Number(options.count ?? Infinity)]
    if (offset < 0) throw new FileNetworkError('cannot have negative write offset')
    const isNegative = count < 0
    let failure: Error | undefined = isNegative
      ? new FileNetworkError('cannot have negative byte count')
      : undefined
    const content = isNegative
      ? undefined
      : await openFileArgument(upload).catch((error: Error) => void (failure = error))
    await writeFile(network, {
      path,
      content: content ?? nothingToWrite(),
      offset: isNegative ? 0 : offset,
      count: isNegative ? 0 : count,
      create: options.create === true,
      parents: options.parents === true,
      truncate: options.truncate === true,
      flush: options.flush,
      rawLeaves: options['raw-leaves'] ?? network.filesSettings.configuredRawLeaves,
      format,
      signal,
    })
    if (options.flush) {
      const directory = splitPath(path).directory.join('/')
      await network.files.update(directory)
      await network.files.flushPath(directory)
    }
    // Kubo has already created or emptied the file by now.
    if (failure !== undefined) throw failure
    return nothing()
  },
})

async function* nothingToWrite(): AsyncGenerator<never> {}

/** A write to a mutable file. */
export interface FileWrite {
  /** Cleaned path. */
  path: string
  content: AsyncIterable<Uint8Array>
  /** Position of the first byte written; zeros fill a gap after the end of the file. */
  offset: number
  /** Maximum number of bytes to take from the content. */
  count: number
  create: boolean
  parents: boolean
  truncate: boolean
  /** Whether Kubo stores the file in its directory at once. */
  flush: boolean
  /** Whether new leaves are raw blocks; undefined: if Kubo read the file with a CIDv1. */
  rawLeaves: boolean | undefined
  /** CID format of a created file; undefined: that of its directory. */
  format: CidFormat | undefined
  /** Aborts the write, which then changes nothing. A gap may be terabytes long. */
  signal?: AbortSignal | undefined
}

/** Chunker for the zeros between the end of a file and the write offset (boxo, `expandSparse`). */
const gapChunker = 'size-4096'

/**
 * Writes into a file: overwrites in place, then appends, so that its layout and CID match Kubo's (boxo,
 * `ipld/unixfs/mod`). Writes to the same path run one after another.
 *
 * @throws {@link FileNotFoundError} if there is no such file and `create` is off
 */
async function writeFile(network: NetworkContext, write: FileWrite): Promise<void> {
  const { blockstore, files } = network
  const isDirectory = write.parents && write.path !== '/' && write.path.endsWith('/')
  const { directory, name } = splitPath(write.path.replace(/\/$/, ''))
  if (write.parents)
    await files.makeDirectory(isDirectory ? [...directory, name] : directory, {
      parents: true,
      format: write.format,
    })
  await files.pathMutex.run(write.path, async () => {
    const existing = await findFile(network, write)
    const parentFormat = await formatOf((await files.lookUp(directory.join('/'))).cid)
    const session = blockstore.openSession()
    let failure: DigestTooLargeError | undefined
    try {
      const format = existing ? await formatOf(existing.cid) : (write.format ?? parentFormat)
      const context = createEditContext(blockstore, session.put, await storableFormat(format))
      const root = existing?.cid ?? (await emptyFile(context, format))
      const rawLeaves = write.rawLeaves ?? files.rawLeavesOf(write.path, root)
      const changed = await edit(network, context, { root, write, format, rawLeaves }).catch(
        (error: unknown) => {
          // As in Kubo, a new file remains, empty, if its content cannot be stored.
          if (existing !== undefined || !(error instanceof DigestTooLargeError)) throw error
          failure = error
          return root
        },
      )
      await context.stored()
      const { cid, cumulativeSize: size } = await loadEntry(blockstore, changed)
      await files.change(directory, ({ links }) => {
        const link = { name, cid, size }
        // A new file is added empty first.
        if (!existing) links.set(link)
        if (write.flush) links.set(link)
        else links.refresh(link)
      })
      await files.lookUp(write.path)
      files.noteFile(write.path, { cid, rawLeaves })
      if (failure !== undefined) throw failure
    } finally {
      session.end()
    }
  })
}

async function findFile(
  { files }: NetworkContext,
  { path, create, parents }: FileWrite,
): Promise<UnixfsEntry | undefined> {
  const entry = await files.lookUp(path.replace(/(?<=.)\/$/, '')).catch((error: unknown) => {
    if (create && error instanceof FileNotFoundError) return undefined
    throw error
  })
  if (entry === undefined) {
    if (!parents && path.endsWith('/')) throw new FileNotFoundError()
    return undefined
  }
  if (entry.type === 'directory') throw new FileNetworkError(`${path} was not a file`)
  if (entry.type === 'symlink') throw new FileNetworkError('symlinks not yet supported')
  return entry
}

/** Replaces a format that would inline blocks in their CIDs with sha2-256. */
async function storableFormat(format: CidFormat): Promise<CidFormat> {
  const isInline = format.hash.code === IDENTITY_CODE
  return isInline ? { version: format.version, hash: await hashFunctionByName('sha2-256') } : format
}

async function emptyFile(context: EditContext, format: CidFormat): Promise<CID> {
  const message = { type: unixfsType.file, fileSize: 0, blockSizes: [] }
  const { cid } = await writeNode(context.writerOf(format), message)
  await context.stored()
  return cid
}

/** Applies a write to a file and returns its new root. */
async function edit(
  { filesSettings }: NetworkContext,
  context: EditContext,
  options: { root: CID; write: FileWrite; format: CidFormat; rawLeaves: boolean },
): Promise<CID> {
  const { root: original, write, format, rawLeaves } = options
  const { chunker, maxFileLinks: maxLinks } = filesSettings
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
    root = await append(context, root, zeros(write.offset - size, write.signal), {
      ...rule,
      chunker: gapChunker,
    })
    await context.stored()
  }
  const resized = root
  const content = new ByteQueue(limited(write.content, write.count))
  root = await overwrite(context, root, write.offset, content)
  await context.stored()
  const overwritten = root
  root = await append(context, root, content.rest(), rule)
  await context.stored()
  // Overwriting alone does not update the file's time, as in boxo 0.40.
  const isTimely = !root.equals(overwritten) || !resized.equals(original)
  if (before.modified === undefined || !isTimely) return rawLeaves ? collapse(context, root) : root
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

async function* zeros(length: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(65_536)
  for (let missing = length; missing > 0; missing -= piece.length) {
    signal?.throwIfAborted()
    yield piece.subarray(0, missing)
  }
}
