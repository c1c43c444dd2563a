import type { CID } from 'multiformats/cid'
import { type CidFormat, formatOf, IDENTITY_CODE, MAX_DIGEST_LENGTH } from '../../cid/cidFormat.js'
import { FileNetworkError } from '../../errors.js'
import { BlockWriter, type StoreBlock } from '../blockWriter.js'
import { allocate } from '../chunker.js'
import type { UnixfsData } from '../data.js'
import { type BlockSource, loadEntry } from '../entry.js'
import type { FileNode } from '../fileBuilder.js'
import { type UnixfsLink, writeNode } from '../node.js'

/** Where a file being edited is read from and written to. */
export interface EditContext {
  source: BlockSource
  /** Returns the CID format for the edited version of a node. */
  formatOf(cid: CID): Promise<CidFormat>
  /** Format of nodes that are inlined in their CIDs as long as they fit. */
  readonly inlineFormat: CidFormat
  /** Returns the writer for a format. Nodes keep their formats, so there may be several writers. */
  writerOf(format: CidFormat): BlockWriter
  /** Resolves once everything written so far is stored and readable. */
  stored(): Promise<void>
}

/**
 * Creates the context of an edit.
 *
 * @param fallback - format for inlined nodes that have outgrown their CIDs
 */
export function createEditContext(source: BlockSource, store: StoreBlock, fallback: CidFormat): EditContext {
  const writers = new Map<string, BlockWriter>()
  const inlineFormat = { ...fallback, inlineLimit: MAX_DIGEST_LENGTH }
  return {
    source,
    inlineFormat,
    async formatOf(cid) {
      return cid.multihash.code === IDENTITY_CODE ? inlineFormat : formatOf(cid)
    },
    writerOf(format) {
      const key = [format.version, format.hash.code, format.inlineLimit].join('/')
      let writer = writers.get(key)
      if (writer === undefined) {
        writer = new BlockWriter(format, store)
        writers.set(key, writer)
      }
      return writer
    },
    async stored() {
      for (const writer of writers.values()) await writer.stored()
    },
  }
}

/** A decoded dag-pb node of a file, open for editing. */
export interface EditableNode {
  format: CidFormat
  unixfs: UnixfsData
  links: UnixfsLink[]
}

/**
 * Loads a dag-pb node of a file.
 *
 * @throws {@link FileNetworkError} for a raw block, or if the numbers of links and block sizes differ
 */
export async function openNode(context: EditContext, cid: CID): Promise<EditableNode> {
  const { node } = await loadEntry(context.source, cid)
  if (node === undefined) throw new FileNetworkError('expected protobuf dag node')
  const { unixfs, links } = node
  if (links.length !== unixfs.blockSizes.length) {
    throw new FileNetworkError('not a valid UnixFS node: inconsistent number of links and block sizes')
  }
  return { format: await context.formatOf(cid), unixfs, links }
}

/** Stores a node, computing its file size from its contents. */
export async function storeNode(context: EditContext, node: EditableNode): Promise<FileNode> {
  const { unixfs, links } = node
  const fileSize = unixfs.blockSizes.reduce((sum, size) => sum + size, unixfs.data?.length ?? 0)
  const stored = await writeNode(context.writerOf(node.format), { ...unixfs, fileSize }, links)
  return { ...stored, fileSize }
}

/** A byte stream that can be read in pieces of any length. */
export class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>
  #piece: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Whether the stream has ended. */
  async isEmpty(): Promise<boolean> {
    while (this.#piece.length === 0) {
      const next = await this.#source.next()
      if (next.done) return true
      this.#piece = next.value
    }
    return false
  }

  /** Returns a copy of the next `length` bytes, fewer at the end of the stream. */
  async take(length: number): Promise<Uint8Array> {
    const taken = allocate(length)
    let filled = 0
    while (filled < length && !(await this.isEmpty())) {
      const part = this.#piece.subarray(0, length - filled)
      taken.set(part, filled)
      filled += part.length
      this.#piece = this.#piece.subarray(part.length)
    }
    return taken.subarray(0, filled)
  }

  /** Yields the remaining bytes in the pieces in which they arrive. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.isEmpty())) {
      const piece = this.#piece
      this.#piece = new Uint8Array()
      yield piece
    }
  }
}
