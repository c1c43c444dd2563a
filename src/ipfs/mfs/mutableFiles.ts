import { CID } from 'multiformats/cid'
import { type Awaitable, KeyedMutex, Mutex } from '../../encoding/timeSlice.js'
import type { RowStore } from '../../storage/files/fileIndex.js'
import { type CidFormat, codecCode } from '../cid/cidFormat.js'
import { linksOf } from '../dag/links.js'
import { FileNetworkError, FileNotFoundError } from '../errors.js'
import type { Blockstore, Session } from '../store/blockstore.js'
import type { UnixfsMetadata } from '../unixfs/data.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import type { StoredNode, UnixfsLink } from '../unixfs/node.js'
import { isShardedEntry, lookUpLink } from '../unixfs/readDirectory.js'
import { collapse } from '../unixfs/edit/modify.js'
import type { ImportSettings } from '../unixfs/settings.js'
import { type EditableDirectory, emptyDirectory, openDirectory, storeDirectory } from './directoryEdit.js'
import { MutableDirectorySettings } from './directorySettings.js'
import { cleanSegments } from './filesPath.js'
import { LoadedDirectories, keyOf, MAX_ENTRIES, unread } from './loadedDirectories.js'
import { isCanonical, regularLink, storeCanonical } from './regularLink.js'

/** A change to the directory at a path, for which all its ancestors are rewritten. */
export type DirectoryChange = (directory: EditableDirectory, session: Session) => Awaitable<void>

/** Options for creating a directory. */
export interface NewDirectory {
  /** Whether to create missing parents; the directory may then also exist already. */
  parents: boolean
  /** CID format of created directories; undefined: that of their parent. */
  format: CidFormat | undefined
  metadata?: UnixfsMetadata
}

/** A path leads through something other than a directory: the entry at its first `depth` segments. */
class NotADirectoryError extends Error {
  readonly depth: number

  constructor(depth: number) {
    super('not a directory')
    this.depth = depth
  }
}

function cannotAccess(path: string[], depth: number): FileNetworkError {
  return new FileNetworkError(`cannot access ${path.slice(0, depth + 1).join('/')}: Not a directory`)
}

/** Loads an entry of a mutable directory. @throws {@link FileNetworkError} if it is data of another codec */
export async function loadChild(source: BlockSource, cid: CID): Promise<UnixfsEntry> {
  if (cid.code === codecCode.dagPb || cid.code === codecCode.raw) return loadEntry(source, cid)
  // An undecodable block is reported first.
  await linksOf(cid, await source.get(cid))
  throw new FileNetworkError('unrecognized node type in cache node')
}

const rootName = new TextEncoder().encode('files-root')

/** Returns the root of the mutable files; undefined if there never were any. */
export function loadFilesRoot(named: Pick<RowStore, 'get'>): CID | undefined {
  const stored = named.get(rootName)
  return stored && CID.decode(stored)
}

/** An entry of a directory that was loaded. */
interface LoadedEntry {
  link: UnixfsLink
  /** Undefined if another link has the same name, in a directory that no builder made. */
  child: UnixfsEntry | undefined
}

function isNamed(name: string): (link: UnixfsLink) => boolean {
  return (link) => link.name === name
}

/** What Kubo has in memory of a file. */
interface LoadedFile {
  /** The file's current version; a file with another one is not in memory. */
  cid: CID
  rawLeaves: boolean
}

/** Maximum number of files whose state in Kubo's memory is tracked. */
const LOADED_FILES = 1000

/** Dependencies of the mutable files. */
interface MutableFilesParts {
  blockstore: Blockstore
  named: RowStore
  importSettings: () => ImportSettings
}

/** The tree behind `files/…`. Its root persists, and every change is stored at once. */
export class MutableFiles {
  /** Serializes tasks on the same path. */
  readonly pathMutex = new KeyedMutex()
  readonly #parts: MutableFilesParts
  readonly #mutex = new Mutex()
  readonly #loaded = new LoadedDirectories()
  /** Files that Kubo would have in memory with other new leaves than their CIDs call for, by path. */
  readonly #files = new Map<string, LoadedFile>()
  readonly #settings: MutableDirectorySettings
  #root: CID

  private constructor(parts: MutableFilesParts, root: CID) {
    this.#parts = parts
    this.#settings = new MutableDirectorySettings(parts.importSettings().directory)
    this.#root = root
  }

  /** Opens the mutable files; a new data directory gets an empty root. */
  static async open(parts: MutableFilesParts): Promise<MutableFiles> {
    const stored = loadFilesRoot(parts.named)
    if (stored) return new MutableFiles(parts, stored)
    const session = parts.blockstore.openSession()
    const { cid } = await emptyDirectory(session, parts.importSettings().cid, {})
    await parts.named.put(rootName, cid.bytes)
    session.end()
    return new MutableFiles(parts, cid)
  }

  root(): CID {
    return this.#root
  }

  /** @throws {@link FileNotFoundError} */
  async lookUp(path: string): Promise<UnixfsEntry> {
    const { blockstore } = this.#parts
    const segments = cleanSegments(path)
    let entry = await loadEntry(blockstore, this.#root)
    for (const [depth, segment] of segments.entries()) {
      if (entry.type !== 'directory') throw cannotAccess(segments, depth)
      const link = await lookUpLink(blockstore, entry, segment)
      if (link === undefined) throw new FileNotFoundError()
      const child = await loadChild(blockstore, link.cid)
      const isRepeated = !isShardedEntry(entry) && entry.node?.links.findLast(isNamed(segment)) !== link
      await this.noteEntry(segments.slice(0, depth), entry, { link, child: isRepeated ? undefined : child })
      entry = child
    }
    return entry
  }

  /** Looks up the node that Kubo has for a path once it has settled the directories there. */
  async lookUpNode(path: string): Promise<UnixfsEntry> {
    await this.lookUp(path)
    await this.settle(path)
    return this.lookUp(path)
  }

  /** Looks up an entry as Kubo has it in memory, where a directory has its canonical form. */
  async lookUpRegular(path: string): Promise<UnixfsEntry> {
    await this.lookUp(path)
    await this.#settleEntry(path)
    return this.lookUp(path)
  }

  /**
   * Notes that Kubo would have an entry of a directory in memory, if to store it again can change the directory. A
   * directory that it loads is stored in its canonical form at once.
   */
  async noteEntry(path: string[], directory: UnixfsEntry, { link, child }: LoadedEntry): Promise<void> {
    const isRegular =
      child !== undefined && !(await this.#makeCanonical(child)) && link.size === child.cumulativeSize
    const isChanged = isShardedEntry(directory) ? this.#loaded.mayBecomeBlock(directory) : !isRegular
    if (isChanged) this.#loaded.note(keyOf(path), link.name)
  }

  /** Stores the canonical form of a directory that has another one. @returns whether it has */
  async #makeCanonical(entry: UnixfsEntry): Promise<boolean> {
    if (await isCanonical(entry)) return false
    const session = this.#parts.blockstore.openSession()
    try {
      await storeCanonical(entry, session)
    } finally {
      session.end()
    }
    return true
  }

  /** Notes that Kubo would have listed a directory. */
  noteListing(path: string[], directory: UnixfsEntry): void {
    if (!this.#loaded.mayBecomeBlock(directory)) return
    const loaded = this.#loaded.at(keyOf(path))
    loaded.isListed = true
    loaded.labelled.clear()
  }

  /** Notes that Kubo would have read a directory again, but kept its entries. */
  noteReading(path: string): void {
    const key = keyOf(cleanSegments(path))
    const entries = this.#loaded.get(key)?.entries
    if (entries) this.#loaded.set(key, { ...unread(), entries })
  }

  /**
   * Stores entries that are in memory in their directories again, at a path and below. Kubo does so whenever it needs
   * the node of a directory. A sharded one that fits a block becomes one, and what no builder made is made regular:
   * links get their true sizes, and directories their canonical encoding.
   */
  async settle(path: string): Promise<void> {
    for (const [key, { entries }] of this.#loaded.below(path)) {
      if (entries.size > 0) await this.#storeAgain(cleanSegments(key), entries)
    }
    await this.#settleEntry(path)
  }

  /** Makes the entry at a path regular, unless its directory is sharded. */
  async #settleEntry(path: string): Promise<void> {
    const directory = cleanSegments(path)
    const name = directory.pop()
    if (name === undefined || !this.#loaded.get(keyOf(directory))?.entries.has(name)) return
    await this.#storeAgain(directory, [name], { inShards: false })
  }

  /** Stores an entry in its directory again, and so all directories above. */
  async update(path: string): Promise<void> {
    const segments = cleanSegments(path)
    for (const directory of this.#loaded.above(path)) {
      if (!this.#loaded.has(keyOf(directory))) continue
      await this.#storeAgain(directory, [segments[directory.length] as string])
    }
  }

  /** Sets links of a directory to what they are. If it is gone, what needs it reports that. */
  async #storeAgain(
    directory: string[],
    names: Iterable<string>,
    { inShards } = { inShards: true },
  ): Promise<void> {
    const { blockstore } = this.#parts
    const change: DirectoryChange = async ({ entry, links }, session) => {
      if (isShardedEntry(entry) && !(inShards && this.#loaded.mayBecomeBlock(entry))) return
      for (const name of names) {
        const link = await links.get(name)
        if (link) links.set(await regularLink(blockstore, link, session))
      }
    }
    await this.change(directory, change).catch((error: unknown) => {
      if (!(error instanceof FileNotFoundError)) throw error
    })
  }

  /**
   * Returns whether new leaves of a file are raw blocks. Kubo decides that when it reads the file, by the version of
   * its CID, and keeps to it until the directory is flushed (boxo, `mfs/file.go`).
   */
  rawLeavesOf(path: string, cid: CID): boolean {
    const loaded = this.#files.get(keyOf(cleanSegments(path)))
    return loaded?.cid.equals(cid) ? loaded.rawLeaves : cid.version === 1
  }

  /** Notes the new version of a file that Kubo would have in memory, and what its new leaves are. */
  noteFile(path: string, file: LoadedFile): void {
    const key = keyOf(cleanSegments(path))
    this.#files.delete(key)
    if (file.rawLeaves === (file.cid.version === 1)) return
    if (this.#files.size >= LOADED_FILES) this.#files.clear()
    this.#files.set(key, file)
  }

  /** Looks up and flushes an entry (boxo, `mfs.FlushPath`). */
  async flushPath(path: string): Promise<void> {
    const entry = await this.lookUp(path)
    if (entry.type === 'file') await this.#collapse(path, entry)
    await this.flush(path)
  }

  /** Puts the only raw leaf of a file in its place, as Kubo does when it flushes the file. */
  async #collapse(path: string, { cid, node }: UnixfsEntry): Promise<void> {
    const { blockstore: source } = this.#parts
    if (node?.links.length !== 1 || !this.rawLeavesOf(path, cid)) return
    const leaf = await collapse({ source }, cid)
    const entry = leaf.equals(cid) ? undefined : await loadEntry(source, leaf).catch(() => undefined)
    if (entry === undefined) return
    const segments = cleanSegments(path)
    const name = segments.pop() as string
    await this.change(segments, ({ links }) => links.refresh({ name, cid: leaf, size: entry.cumulativeSize }))
  }

  /** Flushes an entry. If it is a directory, Kubo then forgets its entries and all directories below it. */
  async flush(path: string): Promise<void> {
    await this.settle(path)
    const top = keyOf(cleanSegments(path))
    const front = top === '/' ? top : `${top}/`
    for (const key of this.#files.keys()) if (key.startsWith(front)) this.#files.delete(key)
    this.#settings.forgetBelow(top)
    for (const [key, { entries }] of this.#loaded.below(path)) {
      if (key === top) entries.clear()
      else this.#loaded.delete(key)
    }
    await this.update(path)
  }

  /**
   * Changes a directory; changes run one after another.
   *
   * @throws {@link FileNotFoundError} if the directory does not exist
   */
  async change(directory: string[], change: DirectoryChange): Promise<void> {
    try {
      await this.#rebuildRoot(directory, change)
    } catch (error) {
      if (!(error instanceof NotADirectoryError)) throw error
      if (error.depth === directory.length) {
        throw new FileNetworkError(`/${directory.join('/')}/ is not a directory`)
      }
      throw cannotAccess(directory, error.depth)
    }
  }

  /** Creates a directory. */
  async makeDirectory(path: string[], options: NewDirectory): Promise<void> {
    const name = path.at(-1)
    if (name === undefined) {
      if (options.parents) return
      throw new FileNetworkError("cannot create directory '/': Already exists")
    }
    const change: DirectoryChange = (parent, session) =>
      this.#placeDirectory(parent, path, { options, session })
    try {
      await this.#rebuildRoot(path.slice(0, -1), change, options.parents ? options : undefined)
    } catch (error) {
      // Kubo has looked up what is in the way, and so has it in memory.
      await this.lookUp(path.join('/')).catch(() => undefined)
      if (!(error instanceof NotADirectoryError)) throw error
      throw new FileNetworkError(`${path.slice(0, error.depth - 1).join('/')} was not a directory`)
    }
  }

  /** Links a stored node at an unused path. */
  async put(path: string, cid: CID): Promise<void> {
    const entry = await loadEntry(this.#parts.blockstore, cid)
    const slash = path.lastIndexOf('/')
    const name = path.slice(slash + 1)
    if (name === '') throw new FileNetworkError('cannot create file with empty name')
    await this.change(cleanSegments(path.slice(0, slash)), async (directory) => {
      if (await directory.links.get(name)) {
        throw new FileNetworkError('directory already has entry by that name')
      }
      directory.links.set({ name, cid, size: entry.cumulativeSize })
    })
  }

  #rebuildRoot(path: string[], change: DirectoryChange, parents?: NewDirectory): Promise<void> {
    const { blockstore, named } = this.#parts
    return this.#mutex.run(async () => {
      const session = blockstore.openSession()
      try {
        const { cid } = await this.#rebuild(this.#root, path, { change, parents, session })
        await named.put(rootName, cid.bytes)
        this.#root = cid
      } finally {
        session.end()
      }
    })
  }

  /** Changes a directory in the tree below `cid` and returns the link to its new version. */
  async #rebuild(
    cid: CID,
    path: string[],
    task: { change: DirectoryChange; parents: NewDirectory | undefined; session: Session },
    depth = 0,
  ): Promise<Omit<UnixfsLink, 'name'>> {
    const { blockstore } = this.#parts
    const { change, parents, session } = task
    const entry = await loadEntry(blockstore, cid)
    if (entry.type !== 'directory') throw new NotADirectoryError(depth)
    await this.#makeCanonical(entry)
    const directory = await openDirectory(blockstore, entry)
    const name = path[depth]
    if (name === undefined) await change(directory, session)
    else {
      let below = (await directory.links.get(name))?.cid
      const isNew = below === undefined
      if (below === undefined) {
        if (parents === undefined) throw new FileNotFoundError()
        below = (await emptyDirectory(session, parents.format ?? directory.format, {})).cid
        this.#settings.noteCreated(path.slice(0, depth + 1), this.#parts.importSettings().directory)
      }
      const link = { ...(await this.#rebuild(below, path, task, depth + 1)), name }
      if (isNew) directory.links.set(link)
      else directory.links.refresh(link)
    }
    return this.#store(directory, path.slice(0, depth), session)
  }

  async #store(directory: EditableDirectory, place: string[], session: Session): Promise<StoredNode> {
    const { blockstore } = this.#parts
    const { entry, links } = directory
    const path = keyOf(place)
    const { growth, isLarge, ...node } = await storeDirectory(blockstore, directory, {
      session,
      settings: this.#settings.at(place),
      state: this.#loaded.get(path) ?? unread(),
    })
    for (const { name, link } of links.edits) {
      if (link !== undefined) continue
      for (const [key] of this.#loaded.below(`${path}/${name}`)) this.#loaded.delete(key)
      this.#settings.forget(keyOf([...place, name]))
    }
    if (!isShardedEntry(entry)) {
      const entries = this.#loaded.get(path)?.entries
      for (const name of links.changes.keys()) entries?.delete(name)
      if (!entries?.size) this.#loaded.delete(path)
      return node
    }
    const loaded = this.#loaded.at(path)
    loaded.growth = growth
    for (const { name, link } of links.edits) {
      if (link === undefined) loaded.entries.delete(name)
      else if (loaded.isListed && loaded.labelled.size < MAX_ENTRIES) loaded.labelled.add(name)
    }
    // Entries that were stored again and left the directory as it was did not make it one block.
    if (isLarge && node.cid.equals(entry.cid)) this.#loaded.noteLarge(entry)
    return node
  }

  /** Adds an empty directory to a parent. Throws if the name is taken, except by a directory if `parents` is set. */
  async #placeDirectory(
    parent: EditableDirectory,
    path: string[],
    { options, session }: { options: NewDirectory; session: Session },
  ): Promise<void> {
    const { blockstore } = this.#parts
    const { parents, format, metadata = {} } = options
    const name = path.at(-1) as string
    const existing = await parent.links.get(name)
    if (existing === undefined) {
      const node = await emptyDirectory(session, format ?? parent.format, metadata)
      parent.links.set({ ...node, name })
      this.#settings.noteCreated(path, this.#parts.importSettings().directory)
      return
    }
    const { type } = await loadEntry(blockstore, existing.cid)
    if (!parents || type !== 'directory') throw new FileNetworkError('file already exists')
  }
}
