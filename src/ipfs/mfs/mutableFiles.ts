import { CID } from 'multiformats/cid'
import { KeyedMutex, Mutex } from '../../encoding/timeSlice.js'
import type { RecordStore } from '../../storage/files/indexDatabase.js'
import type { CidFormat } from '../cid/cidFormat.js'
import { FileNetworkError, FileNotFoundError, LinkNotFoundError } from '../errors.js'
import type { Blockstore, Session } from '../store/blockstore.js'
import { type UnixfsMetadata, unixfsType } from '../unixfs/data.js'
import { type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import { type StoredNode, type UnixfsLink, writeNode } from '../unixfs/node.js'
import { findLink } from '../unixfs/readDirectory.js'
import type { ImportSettings } from '../unixfs/settings.js'
import { type EditableDirectory, openDirectory, sessionWriter, storeDirectory } from './directoryEdit.js'
import { cleanSegments } from './filesPath.js'

/** A change to the directory that a path names, with all directories above it. */
export type DirectoryChange = (directory: EditableDirectory, session: Session) => Promise<void> | void

/** A directory to be made. */
export interface NewDirectory {
  /** Whether those above it are made too where they are missing; it may then also be there already. */
  parents: boolean
  /** The CID format of directories that are made, and then of this one in any case; undefined: as above them. */
  format: CidFormat | undefined
  metadata?: UnixfsMetadata
}

/** The tree behind `files/…`: its root is kept across restarts, and every change is stored at once. */
export interface MutableFiles {
  root(): CID
  /** @throws {@link FileNotFoundError} */
  lookUp(path: string): Promise<UnixfsEntry>
  /**
   * Changes a directory; changes come one after the other.
   *
   * @throws {@link FileNotFoundError} when there is no such directory and none is to be made
   */
  change(directory: string[], change: DirectoryChange): Promise<void>
  /** Makes a directory. */
  makeDirectory(path: string[], options: NewDirectory): Promise<void>
  /** For tasks that work on one path. */
  pathMutex: KeyedMutex
  /** Puts a stored node under a path that is still free. */
  put(path: string, cid: CID): Promise<void>
}

/** A path leads through something that is no directory: what its first `depth` segments name. */
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

/** The root of the mutable files; undefined if there never were any. */
export function loadFilesRoot(named: Pick<RecordStore, 'get'>): CID | undefined {
  const stored = named.get(rootName)
  return stored && CID.decode(stored)
}

/** Opens the mutable files; a new directory begins with an empty root. */
export async function openMutableFiles(options: {
  blockstore: Blockstore
  named: RecordStore
  importSettings: () => ImportSettings
}): Promise<MutableFiles> {
  const { blockstore, named, importSettings } = options
  const mutex = new Mutex()
  let root = await loadRoot()

  async function loadRoot(): Promise<CID> {
    const stored = loadFilesRoot(named)
    if (stored) return stored
    const session = blockstore.openSession()
    const { cid } = await emptyDirectory(session, importSettings().cid, {})
    await named.put(rootName, cid.bytes)
    session.end()
    return cid
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

  async function setRoot(cid: CID): Promise<void> {
    await named.put(rootName, cid.bytes)
    root = cid
  }

  async function lookUp(path: string): Promise<UnixfsEntry> {
    const segments = cleanSegments(path)
    let entry = await loadEntry(blockstore, root)
    for (const [index, segment] of segments.entries()) {
      if (entry.type !== 'directory') throw cannotAccess(segments, index)
      entry = await loadEntry(blockstore, (await childOf(entry, segment)).cid)
    }
    return entry
  }

  async function childOf(directory: UnixfsEntry, name: string): Promise<UnixfsLink> {
    try {
      return await findLink(blockstore, directory, name)
    } catch (error) {
      throw error instanceof LinkNotFoundError ? new FileNotFoundError() : error
    }
  }

  /** Changes a directory of the tree below `cid` and returns the link that replaces its own. */
  async function rebuild(
    cid: CID,
    path: string[],
    task: { change: DirectoryChange; parents?: NewDirectory; session: Session },
    depth = 0,
  ): Promise<Omit<UnixfsLink, 'name'>> {
    const entry = await loadEntry(blockstore, cid)
    if (entry.type !== 'directory') throw new NotADirectoryError(depth)
    const directory = await openDirectory(blockstore, entry)
    const name = path[depth]
    if (name === undefined) await task.change(directory, task.session)
    else {
      const below = (await directory.links.get(name))?.cid ?? (await makeParent(directory, task))
      directory.links.set({ ...(await rebuild(below, path, task, depth + 1)), name })
    }
    return store(directory, task.session)
  }

  function store(directory: EditableDirectory, session: Session): Promise<StoredNode> {
    return storeDirectory(blockstore, directory, { session, settings: importSettings().directory })
  }

  async function makeParent(
    above: EditableDirectory,
    { parents, session }: { parents?: NewDirectory; session: Session },
  ): Promise<CID> {
    if (parents === undefined) throw new FileNotFoundError()
    return (await emptyDirectory(session, parents.format ?? above.format, {})).cid
  }

  /** Changes come one after the other. */
  function rebuildRoot(path: string[], change: DirectoryChange, parents?: NewDirectory): Promise<void> {
    return mutex.run(async () => {
      const session = blockstore.openSession()
      try {
        const task = { change, session, ...(parents && { parents }) }
        await setRoot((await rebuild(root, path, task)).cid)
      } finally {
        session.end()
      }
    })
  }

  /** The directory that takes the place of an entry with a name; throws where there may be none. */
  async function placeDirectory(
    parent: EditableDirectory,
    name: string,
    { options, session }: { options: NewDirectory; session: Session },
  ): Promise<void> {
    const { parents, format, metadata = {} } = options
    const existing = await parent.links.get(name)
    if (existing === undefined) {
      const node = await emptyDirectory(session, format ?? parent.format, metadata)
      parent.links.set({ ...node, name })
      return
    }
    const entry = await loadEntry(blockstore, existing.cid)
    if (!parents || entry.type !== 'directory') throw new FileNetworkError('file already exists')
    if (format === undefined) return
    const directory = { ...(await openDirectory(blockstore, entry)), format }
    parent.links.set({ ...(await store(directory, session)), name })
  }

  const files: MutableFiles = {
    root: () => root,
    lookUp,
    async change(path, change) {
      try {
        await rebuildRoot(path, change)
      } catch (error) {
        if (!(error instanceof NotADirectoryError)) throw error
        if (error.depth === path.length) throw new FileNetworkError(`/${path.join('/')}/ is not a directory`)
        throw cannotAccess(path, error.depth)
      }
    },
    async makeDirectory(path, options) {
      const name = path.at(-1)
      if (name === undefined) {
        if (options.parents) return
        throw new FileNetworkError("cannot create directory '/': Already exists")
      }
      const change: DirectoryChange = (parent, session) => placeDirectory(parent, name, { options, session })
      try {
        await rebuildRoot(path.slice(0, -1), change, options.parents ? options : undefined)
      } catch (error) {
        if (!(error instanceof NotADirectoryError)) throw error
        throw new FileNetworkError(`${path.slice(0, error.depth - 1).join('/')} was not a directory`)
      }
    },
    pathMutex: new KeyedMutex(),
    async put(path, cid) {
      const entry = await loadEntry(blockstore, cid)
      const slash = path.lastIndexOf('/')
      const name = path.slice(slash + 1)
      if (name === '') throw new FileNetworkError('cannot create file with empty name')
      await files.change(cleanSegments(path.slice(0, slash)), async (directory) => {
        if (await directory.links.get(name)) {
          throw new FileNetworkError('directory already has entry by that name')
        }
        directory.links.set({ name, cid, size: entry.cumulativeSize })
      })
    },
  }
  return files
}
