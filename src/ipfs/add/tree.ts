import { FileNetworkError } from '../errors.js'
import type { BlockWriter } from '../unixfs/blockWriter.js'
import type { UnixfsMetadata } from '../unixfs/data.js'
import { CompactLink } from '../unixfs/compactLink.js'
import { buildDirectory } from '../unixfs/directoryBuilder.js'
import type { StoredNode, UnixfsLink } from '../unixfs/node.js'
import type { DirectorySettings } from '../unixfs/settings.js'

/** A directory that is being put together; it is stored once all its entries are known. */
export class TreeDirectory {
  readonly metadata: UnixfsMetadata
  private readonly directories = new Map<string, TreeDirectory>()
  private readonly leaves = new Map<string, CompactLink>()

  constructor(metadata: UnixfsMetadata = {}) {
    this.metadata = metadata
  }

  /** The directory with a name, made when there is none; the metadata of one that exists stays. */
  enter(name: string, metadata: UnixfsMetadata): TreeDirectory {
    const existing = this.directories.get(name)
    if (existing) return existing
    if (this.leaves.has(name)) throw new FileNetworkError('file already exists')
    const directory = new TreeDirectory(metadata)
    this.directories.set(name, directory)
    return directory
  }

  /** Adds a stored file or symlink. */
  put(name: string, node: StoredNode): void {
    if (this.leaves.has(name) || this.directories.has(name)) {
      throw new FileNetworkError('directory already has entry by that name')
    }
    this.leaves.set(name, new CompactLink(name, node))
  }

  /** Stores the directory and those below it, and tells of each, children before parents, by name. */
  async *store(options: {
    path: string
    settings: DirectorySettings
    writer: BlockWriter
  }): AsyncGenerator<{ path: string; node: StoredNode }, StoredNode> {
    const { path, settings, writer } = options
    const links: UnixfsLink[] = []
    for (const name of [...this.directories.keys()].sort(compareBytes)) {
      const child = this.directories.get(name) as TreeDirectory
      const childPath = path === '' ? name : `${path}/${name}`
      links.push({ ...(yield* child.store({ path: childPath, settings, writer })), name })
    }
    for (const leaf of this.leaves.values()) links.push(leaf)
    const node = await buildDirectory({ links, settings, writer, metadata: this.metadata })
    yield { path, node }
    return node
  }
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
