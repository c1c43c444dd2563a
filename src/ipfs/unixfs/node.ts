import type { CID } from 'multiformats/cid'
import { latin1 } from '../../encoding/hex.js'
import {
  type Steps,
  TimeSlice,
  runInSlices,
  runToCompletion,
  sortInSlices,
} from '../../encoding/timeSlice.js'
import { codecCode } from '../cid/cidFormat.js'
import { LINKS_AT_ONCE, decodeDagPbInPieces, encodeDagPb } from '../dag/dagPbInPieces.js'
import type { BlockWriter } from './blockWriter.js'
import { type UnixfsData, decodeUnixfsInPieces, encodeLinklessNode, encodeUnixfs } from './data.js'

/** A link of a dag-pb node. */
export interface UnixfsLink {
  name: string
  cid: CID
  /** Bytes of all blocks of the DAG below, as it was counted when the link was made. */
  size: number
}

/** A node that was stored, as its parent needs it. */
export interface StoredNode {
  cid: CID
  /** Bytes of all blocks of its DAG, every link counted. */
  size: number
}

/** Stores a dag-pb node with a UnixFS message. */
export async function writeNode(
  writer: BlockWriter,
  message: UnixfsData,
  links: UnixfsLink[] = [],
): Promise<StoredNode> {
  if (links.length === 0) {
    const bytes = encodeLinklessNode(message)
    return { cid: await writer.write(codecCode.dagPb, bytes), size: bytes.length }
  }
  const pbLinks = links.map(({ name, cid, size }) => ({ Name: name, Hash: cid, Tsize: size }))
  const bytes = await encodeDagPb({ Data: encodeUnixfs(message), Links: pbLinks })
  const cid = await writer.write(codecCode.dagPb, bytes)
  return { cid, size: links.reduce((sum, link) => sum + link.size, bytes.length) }
}

/** A decoded dag-pb node with a UnixFS message. */
export interface UnixfsNode {
  unixfs: UnixfsData
  links: UnixfsLink[]
  /** Bytes of the block itself. */
  blockLength: number
}

/** Blocks of more bytes are decoded in turns with other requests. */
const LARGE_BLOCK = 64 * 1024

/** Decodes a dag-pb block that holds a UnixFS message; throws on anything malformed. */
export async function readNode(bytes: Uint8Array): Promise<UnixfsNode> {
  const pieces = readNodeInPieces(bytes)
  return bytes.length <= LARGE_BLOCK ? runToCompletion(pieces) : runInSlices(pieces, new TimeSlice())
}

function* readNodeInPieces(bytes: Uint8Array): Steps<UnixfsNode> {
  const node = yield* decodeDagPbInPieces(bytes)
  const unixfs = yield* decodeUnixfsInPieces(node.Data ?? new Uint8Array())
  const links: UnixfsLink[] = []
  for (const { Name = '', Hash, Tsize = 0 } of node.Links) {
    if (links.push({ name: Name, cid: Hash, size: Tsize }) % LINKS_AT_ONCE === 0) yield
  }
  return { unixfs, links, blockLength: bytes.length }
}

/** Bytes of all blocks of a node's DAG, every link counted, as Kubo's CumulativeSize has it. */
export function cumulativeSize(node: UnixfsNode): number {
  return node.links.reduce((sum, link) => sum + link.size, node.blockLength)
}

/** An item with the bytes of its name in UTF-8 as characters, which are compared twice as fast as the bytes. */
interface Named<T> {
  item: T
  key: string
}

/**
 * Items in the order of the bytes of their names. Other requests have their turn meanwhile: a directory may have a
 * million entries.
 */
export async function sortByName<T>(
  items: Iterable<T> | AsyncIterable<T>,
  nameOf: (item: T) => string,
): Promise<T[]> {
  const slice = new TimeSlice()
  const named: Named<T>[] = []
  for await (const item of items) {
    named.push({ item, key: latin1(Buffer.from(nameOf(item))) })
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  const sorted = await runInSlices(sortInSlices(named, compareKeys), slice)
  return sorted.map(({ item }) => item)
}

function compareKeys(a: Named<unknown>, b: Named<unknown>): number {
  return a.key < b.key ? -1 : Number(a.key > b.key)
}
