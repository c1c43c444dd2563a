import { CID } from 'multiformats/cid'
import type { RecordStore } from '../../storage/files/recordStore.js'
import { cleanSegments } from '../cleanSegments.js'
import type { CidFormat } from '../cid/makeCid.js'
import { FileNetworkError, FileNotFoundError, LinkNotFoundError } from '../errors.js'
import type { Blockstore, Session } from '../store/blockstore.js'
import { createMutex } from '../../storage/files/mutex.js'
import { unixfsType } from '../unixfs/data.js'
import type { UnixfsMetadata } from '../unixfs/data.js'
import { loadEntry } from '../unixfs/entry.js'
import type { UnixfsEntry } from '../unixfs/entry.js'
import { writeNode } from '../unixfs/node.js'
import type { UnixfsLink } from '../unixfs/node.js'
import { findLink } from '../unixfs/readDirectory.js'
import type { ImportSettings } from '../unixfs/settings.js'
import { openDirectory, sessionWriter, storeDirectory } from './directoryEdit.js'
import type { EditableDirectory } from './directoryEdit.js'

/** A change to the directory that a path names, with all directories above it. */
export type DirectoryChange = (directory: EditableDirectory, session: Session) => Promise<void> | void

/** How directories that a change needs and that are not there are made. */
export interface MissingDirectories {
  /** Undefined: as in the directory above. */
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
  change(directory: string[], change: DirectoryChange, missing?: MissingDirectories): Promise<void>
  /** Puts a stored node under a path that is still free. */
  put(path: string, cid: CID): Promise<void>
}

const rootName = new TextEncoder().encode('files-root')

/** Opens the mutable files; a new directory begins with an empty root. */
export async function openMutableFiles(options: {
  blockstore: Blockstore
  named: RecordStore
  importSettings: ImportSettings
}): Promise<MutableFiles> {
  const { blockstore, named, importSettings } = options
  const exclusively = createMutex()
  let root = await loadRoot()

  async function loadRoot(): Promise<CID> {
    const stored = named.get(rootName)
    if (stored) return CID.decode(stored)
    const session = blockstore.openSession()
    const cid = await emptyDirectory(session, importSettings.cid, {})
    await named.put(rootName, cid.bytes)
    session.end()
    return cid
  }

  async function emptyDirectory(session: Session, format: CidFormat, metadata: UnixfsMetadata): Promise<CID> {
    const writer = sessionWriter({ version: format.version, hash: format.hash }, session)
    const node = await writeNode(writer, { ...metadata, type: unixfsType.directory, blockSizes: [] })
    await writer.stored()
    return node.cid
  }

  async function setRoot(cid: CID): Promise<void> {
    await named.put(rootName, cid.bytes)
    root = cid
  }

  async function lookUp(path: string): Promise<UnixfsEntry> {
    const segments = cleanSegments(path)
    let entry = await loadEntry(blockstore, root)
    for (const [index, segment] of segments.entries()) {
      if (entry.type !== 'directory') {
        throw new FileNetworkError(`cannot access ${segments.slice(0, index).join('/')}: Not a directory`)
      }
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
    task: { change: DirectoryChange; missing: MissingDirectories | undefined; session: Session },
  ): Promise<Omit<UnixfsLink, 'name'>> {
    const entry = await loadEntry(blockstore, cid)
    if (entry.type !== 'directory') throw new FileNetworkError('not a directory')
    const directory = await openDirectory(blockstore, entry)
    const [name, ...rest] = path
    if (name === undefined) await task.change(directory, task.session)
    else {
      const below = directory.links.get(name)?.cid ?? (await makeMissing(directory, task))
      directory.links.set(name, { ...(await rebuild(below, rest, task)), name })
    }
    return storeDirectory(directory, task.session, importSettings.directory)
  }

  async function makeMissing(
    parent: EditableDirectory,
    { missing, session }: { missing: MissingDirectories | undefined; session: Session },
  ): Promise<CID> {
    if (missing === undefined) throw new FileNotFoundError()
    return emptyDirectory(session, missing.format ?? parent.format, missing.metadata ?? {})
  }

  const files: MutableFiles = {
    root: () => root,
    lookUp,
    change: (path, change, missing) =>
      exclusively(async () => {
        const session = blockstore.openSession()
        try {
          await setRoot((await rebuild(root, path, { change, missing, session })).cid)
        } finally {
          session.end()
        }
      }),
    async put(path, cid) {
      const entry = await loadEntry(blockstore, cid)
      const slash = path.lastIndexOf('/')
      const name = path.slice(slash + 1)
      if (name === '') throw new FileNetworkError('cannot create file with empty name')
      await files.change(cleanSegments(path.slice(0, slash)), (directory) => {
        if (directory.links.has(name)) {
          throw new FileNetworkError('directory already has entry by that name')
        }
        directory.links.set(name, { name, cid, size: entry.cumulativeSize })
      })
    },
  }
  return files
}
