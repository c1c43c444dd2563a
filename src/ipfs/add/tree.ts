import { FileNetworkError } from '../errors.js'
import type { BlockWriter } from '../unixfs/blockWriter.js'
import type { UnixfsMetadata } from '../unixfs/data.js'
import { buildDirectory } from '../unixfs/directoryBuilder.js'
import { LinkTable } from '../unixfs/linkTable.js'
import type { StoredNode } from '../unixfs/node.js'
import type { DirectorySettings } from '../unixfs/settings.js'

/** A directory that is being put together; it is stored once all its entries are known. */
export class TreeDirectory {
  readonly metadata: UnixfsMetadata
  private readonly directories = new Map<string, TreeDirectory>()
  /** Files and symlinks, and directories once they are stored. */
  private readonly links = new LinkTable()

  constructor(metadata: UnixfsMetadata = {}) {
    this.metadata = metadata
  }

  /** The directory with a name, made when there is none; the metadata of one that exists stays. */
  enter(name: string, metadata: UnixfsMetadata): TreeDirectory {
    const existing = this.directories.get(name)
    if (existing) return existing
    if (this.links.has(name)) throw new FileNetworkError('file already exists')
    const directory = new TreeDirectory(metadata)
    this.directories.set(name, directory)
    return directory
  }

  /** Adds a stored file or symlink. */
  put(name: string, node: StoredNode): void {
    if (this.links.has(name) || this.directories.has(name)) {
      throw new FileNetworkError('directory already has entry by that name')
    }
    this.links.put(name, node)
  }

  /** Stores the directory and those below it, and tells of each, children before parents, by name. */
  async *store(options: {
    path: string
    settings: DirectorySettings
    writer: BlockWriter
  }): AsyncGenerator<{ path: string; node: StoredNode }, StoredNode> {
    const { path, settings, writer } = options
    for (const name of [...this.directories.keys()].sort(compareBytes)) {
      const child = this.directories.get(name) as TreeDirectory
      const childPath = path === '' ? name : `${path}/${name}`
      this.links.put(name, yield* child.store({ path: childPath, settings, writer }))
      this.directories.delete(name)
    }
    const node = await buildDirectory({ links: this.links, settings, writer, metadata: this.metadata })
    yield { path, node }
    return node
  }
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
