import type { CID } from 'multiformats/cid'
import { type CidFormat, formatOf, identityCode, longestIdentityDigest } from '../../cid/cidFormat.js'
import { FileNetworkError } from '../../errors.js'
import { BlockWriter, type StoreBlock } from '../blockWriter.js'
import { allocate } from '../chunker.js'
import type { UnixfsData } from '../data.js'
import { type BlockSource, loadEntry } from '../entry.js'
import type { FileNode } from '../fileBuilder.js'
import { type UnixfsLink, writeNode } from '../node.js'

/** Where a file that is being changed is read from and written to. */
export interface EditContext {
  source: BlockSource
  /** How the CID of a node is formed when the node was changed. */
  formatOf(cid: CID): Promise<CidFormat>
  /** The format of nodes that lie in their CIDs for as long as they fit. */
  readonly inlineFormat: CidFormat
  /** The writer for a format; nodes keep the formats that they have, so there may be several. */
  writerOf(format: CidFormat): BlockWriter
  /** Settled once everything written so far is stored and can be read. */
  stored(): Promise<void>
}

/**
 * The context of a change.
 *
 * @param fallback - the format of nodes that lay in their CIDs and have become too long for that
 */
export function createEditContext(source: BlockSource, store: StoreBlock, fallback: CidFormat): EditContext {
  const writers = new Map<string, BlockWriter>()
  const inlineFormat = { ...fallback, inlineLimit: longestIdentityDigest }
  return {
    source,
    inlineFormat,
    async formatOf(cid) {
      return cid.multihash.code === identityCode ? inlineFormat : formatOf(cid)
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

/** A dag-pb node of a file, taken apart to be changed. */
export interface EditableNode {
  format: CidFormat
  unixfs: UnixfsData
  links: UnixfsLink[]
}

/**
 * Loads a dag-pb node of a file.
 *
 * @throws {@link FileNetworkError} when it is a raw block, or not as many links as sizes are in it
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

/** Stores a node; the size of its file follows from what it has. */
export async function storeNode(context: EditContext, node: EditableNode): Promise<FileNode> {
  const { unixfs, links } = node
  const fileSize = unixfs.blockSizes.reduce((sum, size) => sum + size, unixfs.data?.length ?? 0)
  const stored = await writeNode(context.writerOf(node.format), { ...unixfs, fileSize }, links)
  return { ...stored, fileSize }
}

/** Bytes of a stream, taken in pieces of any length. */
export class ByteQueue {
  private readonly source: AsyncIterator<Uint8Array>
  private piece: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]()
  }

  /** Whether there are no more bytes. */
  async isEmpty(): Promise<boolean> {
    while (this.piece.length === 0) {
      const next = await this.source.next()
      if (next.done) return true
      this.piece = next.value
    }
    return false
  }

  /** The next bytes, copied: so many, or fewer where the stream ends. */
  async take(length: number): Promise<Uint8Array> {
    const taken = allocate(length)
    let filled = 0
    while (filled < length && !(await this.isEmpty())) {
      const part = this.piece.subarray(0, length - filled)
      taken.set(part, filled)
      filled += part.length
      this.piece = this.piece.subarray(part.length)
    }
    return taken.subarray(0, filled)
  }

  /** All that is left, in the pieces in which it comes. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.isEmpty())) {
      const { piece } = this
      this.piece = new Uint8Array()
      yield piece
    }
  }
}
