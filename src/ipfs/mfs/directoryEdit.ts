import { type CidFormat, formatOf } from '../cid/cidFormat.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { Session } from '../store/blockstore.js'
import { BlockWriter } from '../unixfs/blockWriter.js'
import { buildDirectory, linkSize, needsShards } from '../unixfs/directoryBuilder.js'
import { createEditContext } from '../unixfs/edit/editContext.js'
import { editHamt, slotLabel } from '../unixfs/hamt.js'
import type { BlockSource, UnixfsEntry } from '../unixfs/entry.js'
import { type StoredNode, type UnixfsLink, eachInSlices, writeNode } from '../unixfs/node.js'
import { type UnixfsMetadata, unixfsType } from '../unixfs/data.js'
import { isShardedEntry, listDirectory, listTogether, lookUpLink } from '../unixfs/readDirectory.js'
import type { DirectorySettings, DirectorySizeEstimation } from '../unixfs/settings.js'

/** A directory whose entries can be edited. */
export interface EditableDirectory {
  entry: UnixfsEntry
  /** CID format of the directory and of new entries in it; may be changed. */
  format: CidFormat
  links: EditableLinks
}

/** A link that was set, or removed if it is undefined. */
interface LinkEdit {
  name: string
  link: UnixfsLink | undefined
}

/** The links of a directory with pending changes. Reads only what is requested, since the directory may be large. */
class EditableLinks {
  /** Links that were set; undefined for removed ones. */
  readonly changes = new Map<string, UnixfsLink | undefined>()
  /** The edits that Kubo makes too, in order. */
  readonly edits: LinkEdit[] = []
  readonly #source: BlockSource
  readonly #entry: UnixfsEntry

  constructor(source: BlockSource, entry: UnixfsEntry) {
    this.#source = source
    this.#entry = entry
  }

  async get(name: string): Promise<UnixfsLink | undefined> {
    return this.changes.has(name) ? this.changes.get(name) : lookUpLink(this.#source, this.#entry, name)
  }

  set(link: UnixfsLink): void {
    this.changes.set(link.name, link)
    this.edits.push({ name: link.name, link })
  }

  delete(name: string): void {
    this.changes.set(name, undefined)
    this.edits.push({ name, link: undefined })
  }

  /** Sets a link to a new version that Kubo still has in memory only. */
  refresh(link: UnixfsLink): void {
    this.changes.set(link.name, link)
  }

  /** Returns the removals of links that were then set again. A shard that they leave with one link is written again. */
  removals(): [name: string, link: undefined][] {
    const again = this.edits.filter(({ name, link }) => link === undefined && this.changes.get(name))
    return again.map(({ name }) => [name, undefined])
  }

  /** Returns all links, with changes applied. */
  async list(): Promise<UnixfsLink[]> {
    const links: UnixfsLink[] = []
    const { node } = this.#entry
    const listed = isShardedEntry(this.#entry)
      ? listDirectory(this.#source, this.#entry)
      : (node?.links ?? [])
    await eachInSlices(listed, new TimeSlice(), (link) => {
      if (!this.changes.has(link.name)) links.push(link)
    })
    for (const link of this.changes.values()) if (link) links.push(link)
    return links
  }
}

/** Opens a directory for editing. */
export async function openDirectory(source: BlockSource, entry: UnixfsEntry): Promise<EditableDirectory> {
  return { entry, format: await formatOf(entry.cid), links: new EditableLinks(source, entry) }
}

/** What Kubo has learned about a sharded directory since it read it. */
export interface ShardedState {
  /** Bytes by which it has grown. */
  growth: number
  /** Whether its links were listed, so that their names are kept without labels. */
  isListed: boolean
  /** Names of links that were set after that. */
  labelled: ReadonlySet<string>
}

/** A directory that was stored. */
export interface StoredDirectory extends StoredNode {
  /** Bytes by which a sharded directory has grown since it was read; 0 for one that is not sharded. */
  growth: number
  /** Whether a sharded directory was measured, and is too large for one block. */
  isLarge: boolean
}

/** Stores a directory after its entries were changed. */
export async function storeDirectory(
  source: BlockSource,
  directory: EditableDirectory,
  options: { session: Session; settings: DirectorySettings; state: ShardedState },
): Promise<StoredDirectory> {
  const { entry, format, links } = directory
  const { session, settings } = options
  const metadata = { mode: entry.mode, modified: entry.modified }
  const context = createEditContext(source, session.put, format)
  const writer = context.writerOf(format)
  const growth = isShardedEntry(entry) ? await measureGrowth(source, directory, options) : undefined
  const node =
    growth === undefined
      ? await buildDirectory({ links: await links.list(), settings, writer, metadata })
      : await editHamt({
          source,
          root: entry,
          changes: [...links.removals(), ...links.changes],
          writer,
          writerOf: async (cid) => context.writerOf(await context.formatOf(cid)),
          metadata,
        })
  await context.stored()
  return { ...node, growth: growth?.growth ?? 0, isLarge: growth?.isLarge === true }
}

/**
 * Returns by how much a sharded directory has grown after edits; undefined if it is to be one block. Kubo measures a
 * directory only when an edit shrinks it by more than it has grown since it was read. It counts a replaced link with
 * the label of its slot and the new one without its name, so storing any entry again counts as shrinking (boxo,
 * `ipld/unixfs/io/directory.go`).
 */
async function measureGrowth(
  source: BlockSource,
  { entry, links }: EditableDirectory,
  { state, settings }: { state: ShardedState; settings: DirectorySettings },
): Promise<{ growth: number; isLarge: boolean } | undefined> {
  const { estimation } = settings
  const label = slotLabel(0, entry.node?.unixfs.fanout ?? 256)
  const edited = new Map<string, UnixfsLink | undefined>()
  let { growth } = state
  let insufficient = 0
  let count = entry.node?.links.length ?? 0
  for (const { name, link } of links.edits) {
    const replaced = edited.has(name) ? edited.get(name) : await lookUpLink(source, entry, name)
    const isLabelled = !state.isListed || edited.has(name) || state.labelled.has(name)
    edited.set(name, link)
    const labelled = replaced && { ...replaced, name: isLabelled ? label + name : name }
    const shrinkage = sizeOf(labelled, estimation) - sizeOf(link && { ...link, name: '' }, estimation)
    count += Number(link !== undefined) - Number(replaced !== undefined)
    if (growth < shrinkage && shrinkage > insufficient) {
      if (await fitsBlock({ source, entry, shrinkage, count, settings })) return undefined
      insufficient = shrinkage
    }
    growth += sizeOf(link, 'links') - sizeOf(labelled, 'links')
  }
  return { growth, isLarge: insufficient > 0 }
}

function sizeOf(link: UnixfsLink | undefined, estimation: DirectorySizeEstimation): number {
  return link === undefined ? 0 : linkSize(link, estimation)
}

/** Checks whether a sharded directory fits one block after it shrinks. */
async function fitsBlock(options: {
  source: BlockSource
  entry: UnixfsEntry
  /** Bytes by which it shrinks. */
  shrinkage: number
  /** Number of its links afterwards. */
  count: number
  settings: DirectorySettings
}): Promise<boolean> {
  const { source, entry, shrinkage, count, settings } = options
  const { shardThreshold, maxLinks } = settings
  if (maxLinks > 0 && count > maxLinks) return false
  if (shardThreshold === Infinity) return maxLinks > 0
  const limit = { ...settings, shardThreshold: shardThreshold + shrinkage, maxLinks: 0 }
  return !(await needsShards(listTogether(source, entry), limit, entry))
}

/** Creates a writer whose blocks are protected by a session. */
export function sessionWriter(format: CidFormat, session: Session): BlockWriter {
  return new BlockWriter(format, session.put)
}

/** Stores an empty directory. */
export async function emptyDirectory(
  session: Session,
  { version, hash }: CidFormat,
  metadata: UnixfsMetadata,
): Promise<StoredNode> {
  const writer = sessionWriter({ version, hash }, session)
  const node = await writeNode(writer, { ...metadata, type: unixfsType.directory, blockSizes: [] })
  await writer.stored()
  return node
}
