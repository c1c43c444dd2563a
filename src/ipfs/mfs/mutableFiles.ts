import { CID } from 'multiformats/cid'
import { KeyedMutex, Mutex } from '../../encoding/timeSlice.js'
import type { RowStore } from '../../storage/files/fileIndex.js'
import type { CidFormat } from '../cid/cidFormat.js'
import { FileNetworkError, FileNotFoundError } from '../errors.js'
import type { Blockstore, Session } from '../store/blockstore.js'
import { type UnixfsMetadata, unixfsType } from '../unixfs/data.js'
import { type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import { type StoredNode, type UnixfsLink, writeNode } from '../unixfs/node.js'
import { lookUpLink } from '../unixfs/readDirectory.js'
import type { ImportSettings } from '../unixfs/settings.js'
import { type EditableDirectory, openDirectory, sessionWriter, storeDirectory } from './directoryEdit.js'
import { cleanSegments } from './filesPath.js'

/** A change to the directory at a path, for which all its ancestors are rewritten. */
export type DirectoryChange = (directory: EditableDirectory, session: Session) => Promise<void> | void

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

const rootName = new TextEncoder().encode('files-root')

/** Returns the root of the mutable files; undefined if there never were any. */
export function loadFilesRoot(named: Pick<RowStore, 'get'>): CID | undefined {
  const stored = named.get(rootName)
  return stored && CID.decode(stored)
}

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
  #root: CID

  private constructor(parts: MutableFilesParts, root: CID) {
    this.#parts = parts
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
    for (const [index, segment] of segments.entries()) {
      if (entry.type !== 'directory') throw cannotAccess(segments, index)
      const link = await lookUpLink(blockstore, entry, segment)
      if (link === undefined) throw new FileNotFoundError()
      entry = await loadEntry(blockstore, link.cid)
    }
    return entry
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
      this.#placeDirectory(parent, name, { options, session })
    try {
      await this.#rebuildRoot(path.slice(0, -1), change, options.parents ? options : undefined)
    } catch (error) {
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
    const directory = await openDirectory(blockstore, entry)
    const name = path[depth]
    if (name === undefined) await change(directory, session)
    else {
      let below = (await directory.links.get(name))?.cid
      if (below === undefined) {
        if (parents === undefined) throw new FileNotFoundError()
        below = (await emptyDirectory(session, parents.format ?? directory.format, {})).cid
      }
      directory.links.set({ ...(await this.#rebuild(below, path, task, depth + 1)), name })
    }
    return this.#store(directory, session)
  }

  #store(directory: EditableDirectory, session: Session): Promise<StoredNode> {
    const { blockstore, importSettings } = this.#parts
    return storeDirectory(blockstore, directory, { session, settings: importSettings().directory })
  }

  /** Adds an empty directory to a parent. Throws if the name is taken, except by a directory if `parents` is set. */
  async #placeDirectory(
    parent: EditableDirectory,
    name: string,
    { options, session }: { options: NewDirectory; session: Session },
  ): Promise<void> {
    const { blockstore } = this.#parts
    const { parents, format, metadata = {} } = options
    const existing = await parent.links.get(name)
    if (existing === undefined) {
      const node = await emptyDirectory(session, format ?? parent.format, metadata)
      parent.links.set({ ...node, name })
      return
    }
    const { type } = await loadEntry(blockstore, existing.cid)
    if (!parents || type !== 'directory') throw new FileNetworkError('file already exists')
  }
}

async function emptyDirectory(
  session: Session,
  format: CidFormat,
  metadata: UnixfsMetadata,
): Promise<StoredNode> {
  const writer = sessionWriter({ version: format.version, hash: format.hash }, session)
  const node = await writeNode(writer, { ...metadata, type: unixfsType.directory, blockSizes: [] })
  await writer.stored()
  return node
}
