import { formatOf } from '../cid/cidFormat.js'
import { decodeDagPb, encodeDagPb } from '../dag/dagPb.js'
import type { Session } from '../store/blockstore.js'
import { bytesOfText } from '../text/byteText.js'
import { serializedLength } from '../unixfs/directoryBuilder.js'
import { type BlockSource, type UnixfsEntry, loadEntry, readEntry } from '../unixfs/entry.js'
import type { UnixfsLink } from '../unixfs/node.js'
import { isShardedEntry } from '../unixfs/readDirectory.js'
import { sessionWriter } from './directoryEdit.js'

/** Tags of a dag-pb node's fields. */
const tags = { data: 0x0a, link: 0x12 } as const

/** Whether a link gives the true size of an entry, and the entry, if it is a directory in one block, is canonical. */
export function isRegular(link: UnixfsLink, entry: UnixfsEntry): boolean {
  return link.size === entry.cumulativeSize && isCanonical(entry)
}

/** Returns the regular form of a link, for which its directory is stored in its canonical form (boxo, `mfs/dir.go`). */
export async function regularLink(
  source: BlockSource,
  { name, cid }: UnixfsLink,
  session: Session,
): Promise<UnixfsLink> {
  const entry = await loadEntry(source, cid)
  if (isCanonical(entry)) return { name, cid, size: entry.cumulativeSize }
  const { Data, Links } = decodeDagPb(entry.block)
  const links = Links.map(({ Hash, Name = '', Tsize = 0 }) => ({ Hash, Name, Tsize: Tsize < 0 ? 0 : Tsize }))
  const block = await encodeDagPb({ Links: links, ...(Data && { Data }) })
  const writer = sessionWriter(await formatOf(cid), session)
  const stored = await writer.write(cid.code, block)
  await writer.stored()
  return { name, cid: stored, size: (await readEntry(stored, block)).cumulativeSize }
}

/** Whether a directory in one block is encoded like those of builders: links sorted and complete, the data after them. */
function isCanonical(entry: UnixfsEntry): boolean {
  const { type, node, block } = entry
  if (type !== 'directory' || isShardedEntry(entry) || node === undefined || node.links.length === 0)
    return true
  if (block[0] !== tags.link) return false
  let length = 0
  let before = Buffer.alloc(0)
  for (const link of node.links) {
    const name = Buffer.from(bytesOfText(link.name))
    if (before.compare(name) > 0) return false
    before = name
    length += serializedLength(link)
  }
  return block[length] === tags.data
}
