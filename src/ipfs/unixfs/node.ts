import type { CID } from 'multiformats/cid'
import { joinInSteps, latin1 } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { codecCode } from '../cid/cidFormat.js'
import { LINKS_AT_ONCE, type PBLink, areFew, decodeDagPbInSteps, encodeDagPbInSteps } from '../dag/dagPb.js'
import { bytesOfText } from '../../encoding/byteText.js'
import type { BlockWriter } from './blockWriter.js'
import {
  type UnixfsData,
  decodeUnixfsInSteps,
  encodeLinklessNode,
  encodeUnixfs,
  linklessNodeParts,
} from './data.js'

/** A link of a dag-pb node. */
export interface UnixfsLink {
  name: string
  cid: CID
  /** Total length of all blocks in the linked DAG, in bytes, as counted when the link was made. */
  size: number
}

/** What a parent needs to know of a stored node. */
export interface StoredNode {
  cid: CID
  /** Total length of all blocks in its DAG, in bytes; repeated links count each time. */
  size: number
}

/** Stores a dag-pb node that holds a UnixFS message. */
export async function writeNode(
  writer: BlockWriter,
  message: UnixfsData,
  links: UnixfsLink[] = [],
): Promise<StoredNode> {
  if (links.length === 0) {
    const isLarge = (message.data?.length ?? 0) > LARGE_BLOCK
    const bytes = isLarge
      ? await runInSlices(joinInSteps(linklessNodeParts(message)), new TimeSlice())
      : encodeLinklessNode(message)
    return { cid: await writer.write(codecCode.dagPb, bytes), size: bytes.length }
  }
  const data = encodeUnixfs(message)
  const pieces = encodeDagPbInSteps({ Data: data, Links: pbLinksOf(links) })
  const isShort = areFew(links, ({ name }) => name) && data.length <= LARGE_BLOCK
  const bytes = isShort ? runToCompletion(pieces) : await runInSlices(pieces, new TimeSlice())
  const cid = await writer.write(codecCode.dagPb, bytes)
  return { cid, size: links.reduce((sum, link) => sum + link.size, bytes.length) }
}

/** Converts links one by one: an array of all of them takes a while if there are a million. */
function* pbLinksOf(links: readonly UnixfsLink[]): Generator<PBLink> {
  for (const { name, cid, size } of links) yield { Name: name, Hash: cid, Tsize: size }
}

/** A decoded dag-pb node that holds a UnixFS message. */
export interface UnixfsNode {
  unixfs: UnixfsData
  links: UnixfsLink[]
  /** Total length of all blocks in the DAG, in bytes; repeated links count each time, as in Kubo's CumulativeSize. */
  cumulativeSize: number
}

/** Blocks longer than this, in bytes, are decoded in steps. */
const LARGE_BLOCK = 64 * 1024

/** Decodes a dag-pb block that holds a UnixFS message. Throws if it is malformed. */
export async function readNode(bytes: Uint8Array): Promise<UnixfsNode> {
  const pieces = readNodeInSteps(bytes)
  return bytes.length <= LARGE_BLOCK ? runToCompletion(pieces) : runInSlices(pieces, new TimeSlice())
}

function* readNodeInSteps(bytes: Uint8Array): Steps<UnixfsNode> {
  const node = yield* decodeDagPbInSteps(bytes)
  const unixfs = yield* decodeUnixfsInSteps(node.Data ?? new Uint8Array())
  const links: UnixfsLink[] = []
  let cumulativeSize = bytes.length
  for (const link of node.Links) {
    const { Name = '', Hash } = link
    const size = sizeOfLink(link)
    cumulativeSize += size
    if (links.push({ name: Name, cid: Hash, size }) % LINKS_AT_ONCE === 0) yield
  }
  return { unixfs, links, cumulativeSize }
}

/** Returns the size that a link gives, an unsigned 64-bit integer in Kubo; inexact from 2^53. */
export function sizeOfLink({ Tsize = 0 }: PBLink): number {
  return Number(Tsize) + (Tsize < 0 ? 2 ** 64 : 0)
}

/**
 * Passes each item to `use`, until that returns false. Yields in between: a directory may have a million entries. Items
 * that are at hand cost no promises.
 */
export async function eachInSlices<T>(
  items: Iterable<T> | AsyncIterable<T>,
  slice: TimeSlice,
  use: (item: T) => unknown,
): Promise<void> {
  if (Symbol.iterator in items) {
    for (const item of items) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      if (use(item) === false) return
    }
    return
  }
  for await (const item of items) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    if (use(item) === false) return
  }
}

/** An item with its name's UTF-8 bytes as a string of characters, which compares twice as fast as the bytes. */
interface Named<T> {
  item: T
  key: string
}

/** Sorts items by the UTF-8 bytes of their names. Yields meanwhile. */
export async function sortByName<T>(
  items: Iterable<T> | AsyncIterable<T>,
  nameOf: (item: T) => string,
): Promise<T[]> {
  const slice = new TimeSlice()
  const named: Named<T>[] = []
  // Each name is a step of its own: it may have two megabytes.
  await eachInSlices(items, slice, (item) => named.push({ item, key: latin1(bytesOfText(nameOf(item))) }))
  const sorted = await runInSlices(
    sortInSteps(named, compareKeys, ({ key }) => key.length),
    slice,
  )
  return sorted.map(({ item }) => item)
}

function compareKeys(a: Named<unknown>, b: Named<unknown>): number {
  return a.key < b.key ? -1 : Number(a.key > b.key)
}
