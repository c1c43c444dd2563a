import { CID } from 'multiformats/cid'
import type { Awaitable } from '../../encoding/timeSlice.js'
import { codecCode, isComputed, makeCid } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import type { UploadEntries, UploadEntry } from '../request/upload.js'
import type { BlockWriter } from '../unixfs/blockWriter.js'
import { type UnixfsMetadata, permissionsOf, unixfsType } from '../unixfs/data.js'
import { buildDirectory, needsShards } from '../unixfs/directoryBuilder.js'
import { createFileBuilder } from '../unixfs/fileBuilder.js'
import { sortByHash } from '../unixfs/hamt.js'
import { LinkTable } from '../unixfs/linkTable.js'
import { type StoredNode, type UnixfsLink, sortByName, writeNode } from '../unixfs/node.js'
import type { DirectorySettings } from '../unixfs/settings.js'
import type { AddPlan } from './addOptions.js'

/** A directory whose subdirectories are being stored. */
interface OpenDirectory {
  directory: TreeDirectory
  /** Name in the parent directory. */
  name: string
  path: string
  /** Names of the subdirectories still to be stored. */
  names: Iterator<string, undefined>
}

/**
 * Maximum number of directories of a top-level entry: all of them are in memory until the last entry has arrived, and a
 * few bytes of a path name one.
 */
const MAX_DIRECTORIES = 262_144

/** A directory under construction; stored once all its entries are known. */
class TreeDirectory {
  readonly metadata: UnixfsMetadata
  /** Number of directories of the tree. */
  readonly #tree: { size: number }
  readonly #directories = new Map<string, TreeDirectory>()
  /** Files, symlinks, and subdirectories already stored. Most directories of a long path have none for long. */
  #table: LinkTable | undefined

  constructor(metadata: UnixfsMetadata = {}, tree = { size: 0 }) {
    this.metadata = metadata
    this.#tree = tree
    if (++tree.size > MAX_DIRECTORIES) throw new FileNetworkError(`more than ${MAX_DIRECTORIES} directories`)
  }

  get #links(): LinkTable {
    return (this.#table ??= new LinkTable())
  }

  /** Returns the named subdirectory, creating it if missing. An existing one keeps its metadata. */
  enter(name: string, metadata: UnixfsMetadata): TreeDirectory {
    const existing = this.#directories.get(name)
    if (existing) return existing
    if (this.#table?.has(name) === true) throw new FileNetworkError('file already exists')
    const directory = new TreeDirectory(metadata, this.#tree)
    this.#directories.set(name, directory)
    return directory
  }

  /** Adds a stored file or symlink. */
  put(name: string, node: StoredNode): void {
    if (this.#links.has(name) || this.#directories.has(name)) {
      throw new FileNetworkError('directory already has entry by that name')
    }
    this.#links.put(name, node)
  }

  /**
   * Stores the directory and everything below it, and yields each directory after its children. Siblings come in the
   * order in which they are stored: by name, or by name hash if the parent is sharded.
   */
  async *store(options: {
    path: string
    settings: DirectorySettings
    writer: BlockWriter
  }): AsyncGenerator<{ path: string; node: StoredNode }, StoredNode> {
    const { path, settings, writer } = options
    // An explicit stack: in nested generators, each step would pass through every level above it.
    const open: OpenDirectory[] = [
      { directory: this, name: '', path, names: (await this.#directoryNames(settings)).values() },
    ]
    for (;;) {
      const innermost = open.at(-1) as OpenDirectory
      const { directory } = innermost
      const { value: name, done } = innermost.names.next()
      if (!done) {
        const child = directory.#directories.get(name) as TreeDirectory
        open.push({
          directory: child,
          name,
          path: innermost.path === '' ? name : `${innermost.path}/${name}`,
          names: (await child.#directoryNames(settings)).values(),
        })
        continue
      }
      const { metadata } = directory
      const node = await buildDirectory({ links: directory.#links, settings, writer, metadata })
      yield { path: innermost.path, node }
      open.pop()
      const parent = open.at(-1)?.directory
      if (parent === undefined) return node
      parent.#links.put(innermost.name, node)
      parent.#directories.delete(innermost.name)
    }
  }

  async #directoryNames(settings: DirectorySettings): Promise<string[]> {
    if (this.#directories.size < 2) return [...this.#directories.keys()]
    const names = await sortByName(this.#directories.keys(), (name) => name)
    const links = this.#links
    function* all(): Generator<UnixfsLink> {
      yield* links
      // The links to these subdirectories do not exist yet.
      for (const name of names) yield { name, cid: emptyDirectoryCid, size: 0 }
    }
    return (await needsShards(all(), settings, this.metadata)) ? sortByHash(names) : names
  }
}

/** The CID of an empty directory. */
const emptyDirectoryCid = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')

/** Bytes between two progress reports (Kubo, `coreunix/add.go`). */
const INCREMENT = 256 * 1024

/** Passes bytes through and reports the running total every 256 KiB and at the end. */
async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  tell: (bytes: number) => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const bytes of source) {
    for (let start = 0; start < bytes.length;) {
      const piece = bytes.subarray(start, start + INCREMENT - (total % INCREMENT))
      start += piece.length
      total += piece.length
      yield piece
      if (total % INCREMENT === 0) await tell(total)
    }
  }
  await tell(total)
}

/** A report of an `add`. */
export interface AddEvent {
  /** Path relative to the top-level entry; empty for that entry itself. */
  path: string
  /** The stored node; undefined in a progress report. */
  node?: StoredNode
  /** Bytes read so far, in a progress report. */
  bytes?: number
}

/** The root of a stored top-level entry. */
export interface AddedRoot {
  cid: CID
}

/** Stores a top-level entry of an upload: a file, a symlink, or a directory with its contents. */
export async function addEntry(options: {
  entry: UploadEntry
  plan: AddPlan
  writer: BlockWriter
  /** Reports an event. Resolves when the next may be sent; undefined if that is at once. */
  emit: (event: AddEvent) => Promise<void> | undefined
}): Promise<AddedRoot> {
  const { entry, plan, writer, emit } = options
  const buildFile = createFileBuilder(plan.settings, writer)

  function metadataOf(attributes: { mode: number; modified: UnixfsMetadata['modified'] }): UnixfsMetadata {
    const { preserveMode, preserveTime, fixed } = plan.metadata
    return {
      mode: preserveMode ? permissionsOf(attributes.mode) : fixed.mode,
      modified: preserveTime ? attributes.modified : fixed.modified,
    }
  }

  function storeLeaf(leaf: Exclude<UploadEntry, { kind: 'directory' }>, path: string): Awaitable<StoredNode> {
    const metadata = metadataOf(leaf)
    if (leaf.kind === 'symlink') {
      const { modified } = metadata
      return writeNode(writer, { type: unixfsType.symlink, data: leaf.target, blockSizes: [], modified })
    }
    const content = plan.progress
      ? withProgress(leaf.content, (bytes) => emit({ path, bytes }))
      : leaf.content
    return buildFile(content, metadata)
  }

  /** Kubo makes an empty directory before its entries arrive, which fails if its hash function is missing. */
  function checkEmptyDirectory(): void {
    const { cid: format } = plan.settings
    if (format.inlineLimit === undefined) makeCid(format, codecCode.dagPb, new Uint8Array())
    else checkInlining()
  }

  /** Even if all blocks are inlined, Kubo hashes a longer one when it makes the root (go-merkledag, SetCidBuilder). */
  function checkInlining(): void {
    const { cid: format } = plan.settings
    if (format.inlineLimit !== undefined && !isComputed(format.hash)) {
      makeCid(format, codecCode.dagPb, new Uint8Array(format.inlineLimit + 1))
    }
  }

  /** Awaits only real promises: a directory may have a million small files. */
  async function fill(directory: TreeDirectory, children: UploadEntries, path: string): Promise<void> {
    for (;;) {
      const next = children.next()
      const child = next instanceof Promise ? await next : next
      if (child === undefined) return
      const adding = addChild(directory, child, path)
      if (adding) await adding
    }
  }

  function addChild(directory: TreeDirectory, child: UploadEntry, path: string): Promise<void> | undefined {
    const childPath = join(path, child.name)
    if (child.kind === 'directory') return enter(directory, child, childPath)
    const storing = storeLeaf(child, childPath)
    if (storing instanceof Promise) return storing.then((node) => putLeaf(directory, child, { path, node }))
    return putLeaf(directory, child, { path, node: storing })
  }

  function putLeaf(
    directory: TreeDirectory,
    child: UploadEntry,
    { path, node }: { path: string; node: StoredNode },
  ): Promise<void> | undefined {
    checkInlining()
    const name = child.name === '' ? node.cid.toString() : child.name
    directory.put(name, node)
    const telling = plan.silent ? undefined : emit({ path: join(path, name), node })
    return telling ? telling.then(() => writer.room()) : writer.room()
  }

  async function enter(
    parent: TreeDirectory,
    child: Extract<UploadEntry, { kind: 'directory' }>,
    path: string,
  ): Promise<void> {
    const { children } = child
    const first = await children.next()
    if (first === undefined && !plan.includeEmptyDirectories) return
    if (path === '') throw new FileNetworkError('no path given to Mkdir')
    checkEmptyDirectory()
    const directory = parent.enter(child.name, metadataOf(child))
    if (first === undefined) return
    await addChild(directory, first, path)
    await fill(directory, children, path)
  }

  if (plan.onlyHash) checkEmptyDirectory()
  if (entry.kind !== 'directory') {
    const node = await storeLeaf(entry, '')
    checkInlining()
    await writer.room()
    if (!plan.silent) await emit({ path: '', node })
    return { cid: node.cid }
  }
  const root = new TreeDirectory(metadataOf(entry))
  await fill(root, entry.children, '')
  checkInlining()
  const stored = root.store({ path: '', settings: plan.settings.directory, writer })
  for (let step = await stored.next(); ; step = await stored.next()) {
    if (step.done) return { cid: step.value.cid }
    await emit(step.value)
  }
}

function join(path: string, name: string): string {
  if (path === '') return name
  return name === '' ? path : `${path}/${name}`
}
