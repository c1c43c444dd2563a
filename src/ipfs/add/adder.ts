import type { CID } from 'multiformats/cid'
import type { UploadEntry } from '../request/upload.js'
import type { BlockWriter } from '../unixfs/blockWriter.js'
import { unixfsType } from '../unixfs/data.js'
import type { UnixfsMetadata } from '../unixfs/data.js'
import { buildFile } from '../unixfs/fileBuilder.js'
import { writeNode } from '../unixfs/node.js'
import type { StoredNode } from '../unixfs/node.js'
import type { AddPlan } from './addOptions.js'
import { withProgress } from './progress.js'
import { TreeDirectory } from './tree.js'

/** Something that an `add` tells of. */
export interface AddEvent {
  /** Path of the entry below the top-level entry; empty for that itself. */
  path: string
  /** The stored node; undefined for news of progress. */
  node?: StoredNode
  /** Bytes read so far, for news of progress. */
  bytes?: number
}

/** The root that a top-level entry became. */
export interface AddedRoot {
  cid: CID
}

/** Stores a top-level entry of an upload: a file, a symlink, or a directory with all it has. */
export async function addEntry(options: {
  entry: UploadEntry
  plan: AddPlan
  writer: BlockWriter
  emit: (event: AddEvent) => Promise<void>
}): Promise<AddedRoot> {
  const { entry, plan, writer, emit } = options

  function metadataOf(attributes: { mode: number; modified: UnixfsMetadata['modified'] }): UnixfsMetadata {
    const { preserveMode, preserveTime, fixed } = plan.metadata
    return {
      mode: preserveMode ? attributes.mode || undefined : fixed.mode,
      modified: preserveTime ? attributes.modified : fixed.modified,
    }
  }

  async function storeLeaf(
    leaf: Exclude<UploadEntry, { kind: 'directory' }>,
    path: string,
  ): Promise<StoredNode> {
    const metadata = metadataOf(leaf)
    if (leaf.kind === 'symlink') {
      const { modified } = metadata
      return writeNode(writer, { type: unixfsType.symlink, data: leaf.target, blockSizes: [], modified })
    }
    const content = plan.progress
      ? withProgress(leaf.content, (bytes) => emit({ path, bytes }))
      : leaf.content
    return buildFile({ content, settings: plan.settings, writer, metadata })
  }

  async function fill(
    directory: TreeDirectory,
    children: AsyncIterable<UploadEntry>,
    path: string,
  ): Promise<void> {
    for await (const child of children) {
      const childPath = join(path, child.name)
      if (child.kind === 'directory') await enter(directory, child, childPath)
      else {
        const node = await storeLeaf(child, childPath)
        const name = child.name === '' ? node.cid.toString() : child.name
        directory.put(name, node)
        if (!plan.silent) await emit({ path: join(path, name), node })
      }
    }
  }

  async function enter(
    parent: TreeDirectory,
    child: Extract<UploadEntry, { kind: 'directory' }>,
    path: string,
  ): Promise<void> {
    const children = child.children[Symbol.asyncIterator]()
    const first = await children.next()
    if (first.done && !plan.includeEmptyDirectories) return
    const directory = parent.enter(child.name, metadataOf(child))
    await fill(directory, resume(first, children), path)
  }

  if (entry.kind !== 'directory') {
    const node = await storeLeaf(entry, '')
    if (!plan.silent) await emit({ path: '', node })
    return { cid: node.cid }
  }
  const root = new TreeDirectory(metadataOf(entry))
  await fill(root, entry.children, '')
  const stored = root.store({ path: '', settings: plan.settings.directory, writer })
  for (let step = await stored.next(); ; step = await stored.next()) {
    if (step.done) return { cid: step.value.cid }
    await emit(step.value)
  }
}

/** The rest of an iteration whose first result was already taken. */
async function* resume<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let result = first; !result.done; result = await rest.next()) yield result.value
}

function join(path: string, name: string): string {
  if (path === '') return name
  return name === '' ? path : `${path}/${name}`
}
