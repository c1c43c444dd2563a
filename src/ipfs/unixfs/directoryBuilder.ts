import { TimeSlice } from '../../encoding/timeSlice.js'
import { byteLengthOfText } from '../../encoding/byteText.js'
import type { BlockWriter } from './blockWriter.js'
import { type UnixfsMetadata, encodeUnixfs, unixfsType } from './data.js'
import { writeHamt } from './hamt.js'
import type { LinkList } from './linkTable.js'
import { type StoredNode, type UnixfsLink, eachInSlices, sortByName, writeNode } from './node.js'
import type { DirectorySettings, DirectorySizeEstimation } from './settings.js'

/** Stores a directory, sharded if it is large enough. The order of the links does not matter. */
export async function buildDirectory(options: {
  links: LinkList
  settings: DirectorySettings
  writer: BlockWriter
  metadata?: UnixfsMetadata | undefined
}): Promise<StoredNode> {
  const { links, settings, writer, metadata = {} } = options
  if (await needsShards(links, settings, metadata)) {
    return writeHamt({ links, fanout: settings.fanout, writer, metadata })
  }
  // The codec also sorts links, but without yielding, and it encodes both names for every comparison.
  const sorted = await sortByName(links, ({ name }) => name)
  return writeNode(writer, { ...metadata, type: unixfsType.directory, blockSizes: [] }, sorted)
}

/**
 * Whether to shard a directory (boxo, `ipld/unixfs/io/directory.go`). Reads only as many links as needed to decide, and
 * yields between them.
 */
export async function needsShards(
  links: Iterable<UnixfsLink> | AsyncIterable<UnixfsLink>,
  settings: DirectorySettings,
  metadata: UnixfsMetadata,
): Promise<boolean> {
  const size = new DirectorySize(settings, metadata)
  await eachInSlices(links, new TimeSlice(), (link) => {
    size.add(link)
    return !size.isTooLarge
  })
  return size.isTooLarge
}

/** Adds up the estimated size of a directory in one block. */
class DirectorySize {
  readonly #settings: DirectorySettings
  #bytes: number
  #links = 0

  constructor(settings: DirectorySettings, metadata: UnixfsMetadata) {
    this.#settings = settings
    this.#bytes = settings.estimation === 'links' ? 0 : serializedLengthWithoutLinks(metadata)
  }

  get isTooLarge(): boolean {
    const { maxLinks, shardThreshold } = this.#settings
    return this.#bytes > shardThreshold || (maxLinks > 0 && this.#links > maxLinks)
  }

  add(link: UnixfsLink): void {
    this.#links++
    this.#bytes += linkSize(link, this.#settings.estimation)
  }
}

/** Returns what a link adds to the size of a directory. */
export function linkSize(link: UnixfsLink, estimation: DirectorySizeEstimation): number {
  return estimation === 'links' ? byteLengthOfText(link.name) + link.cid.byteLength : serializedLength(link)
}

function serializedLengthWithoutLinks(metadata: UnixfsMetadata): number {
  const data = encodeUnixfs({ ...metadata, type: unixfsType.directory, blockSizes: [] })
  return 1 + varintLength(data.length) + data.length
}

/** Returns the length of a link in a dag-pb block, in bytes. */
export function serializedLength({ name, cid, size }: UnixfsLink): number {
  const cidLength = cid.byteLength
  const nameLength = byteLengthOfText(name)
  const length =
    1 +
    varintLength(cidLength) +
    cidLength +
    1 +
    varintLength(nameLength) +
    nameLength +
    1 +
    varintLength(size)
  return 1 + varintLength(length) + length
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++
  return length
}
