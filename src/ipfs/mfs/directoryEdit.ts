import { type CidFormat, formatOf } from '../cid/cidFormat.js'
import type { Session } from '../store/blockstore.js'
import { BlockWriter } from '../unixfs/blockWriter.js'
import { buildDirectory, needsShards } from '../unixfs/directoryBuilder.js'
import { editHamt } from '../unixfs/hamt.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from '../unixfs/entry.js'
import type { StoredNode, UnixfsLink } from '../unixfs/node.js'
import { isShardedEntry, listDirectory, lookUpLink } from '../unixfs/readDirectory.js'
import type { DirectorySettings } from '../unixfs/settings.js'

/** A directory whose entries can be edited. */
export interface EditableDirectory {
  entry: UnixfsEntry
  /** CID format of the directory and of new entries in it; may be changed. */
  format: CidFormat
  links: EditableLinks
}

/** The links of a directory with pending changes. Reads only what is requested, since the directory may be large. */
export class EditableLinks {
  /** Links that were set; undefined for removed ones. */
  readonly changes = new Map<string, UnixfsLink | undefined>()
  private readonly source: BlockSource
  private readonly entry: UnixfsEntry

  constructor(source: BlockSource, entry: UnixfsEntry) {
    this.source = source
    this.entry = entry
  }

  async get(name: string): Promise<UnixfsLink | undefined> {
    return this.changes.has(name) ? this.changes.get(name) : lookUpLink(this.source, this.entry, name)
  }

  set(link: UnixfsLink): void {
    this.changes.set(link.name, link)
  }

  delete(name: string): void {
    this.changes.set(name, undefined)
  }

  /** Returns all links, with changes applied. */
  async list(): Promise<UnixfsLink[]> {
    const links = new Map<string, UnixfsLink>()
    for await (const link of listDirectory(this.source, this.entry)) links.set(link.name, link)
    for (const [name, link] of this.changes) {
      if (link) links.set(name, link)
      else links.delete(name)
    }
    return [...links.values()]
  }

  /** Returns by how many entries the changes grow the directory. */
  async growth(): Promise<number> {
    let growth = 0
    for (const [name, link] of this.changes) {
      const before = await lookUpLink(this.source, this.entry, name)
      growth += Number(link !== undefined) - Number(before !== undefined)
    }
    return growth
  }
}

/** Opens a directory for editing. */
export async function openDirectory(source: BlockSource, entry: UnixfsEntry): Promise<EditableDirectory> {
  return { entry, format: await formatOf(entry.cid), links: new EditableLinks(source, entry) }
}

/** Stores an edited directory. */
export async function storeDirectory(
  source: BlockSource,
  directory: EditableDirectory,
  { session, settings }: { session: Session; settings: DirectorySettings },
): Promise<StoredNode> {
  const { entry, format, links } = directory
  const metadata = { mode: entry.mode, modified: entry.modified }
  const writer = sessionWriter(format, session)
  const isSharded = isShardedEntry(entry)
  // A sharded directory stays sharded when entries are added, whatever its size.
  const keepSharded = isSharded && (await links.growth()) >= 0
  if (isSharded && (await hasFormat(entry, format))) {
    const node = await editHamt({ source, root: entry, changes: links.changes, writer, metadata })
    await writer.stored()
    if (keepSharded) return node
    const left = listDirectory(source, await loadEntry(source, node.cid))
    if (await needsShards(left, settings, metadata)) return node
  }
  const node = await buildDirectory({ links: await links.list(), settings, writer, metadata, keepSharded })
  await writer.stored()
  return node
}

async function hasFormat({ cid }: UnixfsEntry, { version, hash }: CidFormat): Promise<boolean> {
  const own = await formatOf(cid)
  return own.version === version && own.hash.code === hash.code
}

/** Creates a writer whose blocks are protected by a session. */
export function sessionWriter(format: CidFormat, session: Session): BlockWriter {
  return new BlockWriter(format, session.put)
}
