import type { BlockWriter } from './blockWriter.js'
import { encodeUnixfs, unixfsType } from './data.js'
import type { UnixfsMetadata } from './data.js'
import { writeHamt } from './hamt.js'
import { writeNode } from './node.js'
import type { StoredNode, UnixfsLink } from './node.js'
import type { DirectorySettings } from './settings.js'

/** Stores a directory, sharded where its size asks for it. The order of the links does not matter. */
export async function buildDirectory(options: {
  links: UnixfsLink[]
  settings: DirectorySettings
  writer: BlockWriter
  metadata?: UnixfsMetadata | undefined
  /** Sharded whatever its size: a directory that already was stays so when entries are added. */
  keepSharded?: boolean | undefined
}): Promise<StoredNode> {
  const { links, settings, writer, metadata = {} } = options
  if (options.keepSharded || isSharded(links, settings, metadata)) {
    return writeHamt({ links, fanout: settings.fanout, writer, metadata })
  }
  return writeNode(writer, { ...metadata, type: unixfsType.directory, blockSizes: [] }, links)
}

/** Whether a directory is stored sharded (boxo, `ipld/unixfs/io/directory.go`). */
export function isSharded(
  links: UnixfsLink[],
  settings: DirectorySettings,
  metadata: UnixfsMetadata,
): boolean {
  if (settings.maxLinks > 0 && links.length > settings.maxLinks) return true
  return estimateSize(links, settings, metadata) > settings.shardThreshold
}

function estimateSize(links: UnixfsLink[], settings: DirectorySettings, metadata: UnixfsMetadata): number {
  if (settings.estimation === 'links') {
    return links.reduce((sum, { name, cid }) => sum + Buffer.byteLength(name) + cid.byteLength, 0)
  }
  const data = encodeUnixfs({ ...metadata, type: unixfsType.directory, blockSizes: [] })
  const ownSize = 1 + varintLength(data.length) + data.length
  return links.reduce((sum, link) => sum + serializedLength(link), ownSize)
}

/** Bytes that a link takes in a dag-pb block. */
function serializedLength({ name, cid, size }: UnixfsLink): number {
  const cidLength = cid.byteLength
  const nameLength = Buffer.byteLength(name)
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
