import { formatOf } from '../cid/formatOf.js'
import type { CidFormat } from '../cid/makeCid.js'
import type { Session } from '../store/blockstore.js'
import { createBlockWriter } from '../unixfs/blockWriter.js'
import type { BlockWriter } from '../unixfs/blockWriter.js'
import { buildDirectory } from '../unixfs/directoryBuilder.js'
import type { BlockSource, UnixfsEntry } from '../unixfs/entry.js'
import type { StoredNode, UnixfsLink } from '../unixfs/node.js'
import { isShardedEntry, listDirectory } from '../unixfs/readDirectory.js'
import type { DirectorySettings } from '../unixfs/settings.js'

/** A directory whose entries can be changed. */
export interface EditableDirectory {
  entry: UnixfsEntry
  /** How the CIDs of the directory and of what is made in it are formed; may be changed. */
  format: CidFormat
  links: Map<string, UnixfsLink>
  /** Number of entries when it was read. */
  readonly originalSize: number
}

/** Reads all entries of a directory so that they can be changed. */
export async function openDirectory(source: BlockSource, entry: UnixfsEntry): Promise<EditableDirectory> {
  const links = new Map<string, UnixfsLink>()
  for await (const link of listDirectory(source, entry)) links.set(link.name, link)
  return { entry, format: await formatOf(entry.cid), links, originalSize: links.size }
}

/** Stores a directory after its entries were changed. */
export async function storeDirectory(
  directory: EditableDirectory,
  session: Session,
  settings: DirectorySettings,
): Promise<StoredNode> {
  const { entry, format, links, originalSize } = directory
  const writer = sessionWriter(format, session)
  const node = await buildDirectory({
    links: [...links.values()],
    settings,
    writer,
    metadata: { mode: entry.mode, modified: entry.modified },
    keepSharded: isShardedEntry(entry) && links.size >= originalSize,
  })
  await writer.stored()
  return node
}

/** A writer whose blocks are protected by a session. */
export function sessionWriter(format: CidFormat, session: Session): BlockWriter {
  return createBlockWriter(format, session.put)
}
