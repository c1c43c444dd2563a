import { formatOf } from '../cid/cidFormat.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices, runWithin } from '../../encoding/timeSlice.js'
import { LINKS_AT_ONCE, type PBLink, decodeDagPbInSteps, encodeDagPbInSteps } from '../dag/dagPb.js'
import type { Session } from '../store/blockstore.js'
import { bytesOfText } from '../../encoding/byteText.js'
import { Portion } from '../../encoding/sorting.js'
import { serializedLength } from '../unixfs/directoryBuilder.js'
import { type BlockSource, type UnixfsEntry, loadEntry, readEntry } from '../unixfs/entry.js'
import type { StoredNode, UnixfsLink, UnixfsNode } from '../unixfs/node.js'
import { isShardedEntry } from '../unixfs/readDirectory.js'
import { sessionWriter } from './directoryEdit.js'

/** Tags of a dag-pb node's fields. */
const tags = { data: 0x0a, link: 0x12 } as const

/** Returns the regular form of a link, for which its directory is stored in its canonical form (boxo, `mfs/dir.go`). */
export async function regularLink(
  source: BlockSource,
  { name, cid }: UnixfsLink,
  session: Session,
): Promise<UnixfsLink> {
  const entry = await loadEntry(source, cid)
  if (await isCanonical(entry)) return { name, cid, size: entry.cumulativeSize }
  return { name, ...(await storeCanonical(entry, session)) }
}

/** Stores a directory in one block in its canonical form, as Kubo does when it loads the directory. */
export async function storeCanonical(
  { cid, block: read }: UnixfsEntry,
  session: Session,
): Promise<StoredNode> {
  const slice = new TimeSlice()
  const { Data, Links } = await runInSlices(decodeDagPbInSteps(read), slice)
  const block = await runInSlices(
    encodeDagPbInSteps({ Links: completeLinks(Links), ...(Data && { Data }) }),
    slice,
  )
  const writer = sessionWriter(await formatOf(cid), session)
  const stored = await writer.write(cid.code, block)
  await writer.stored()
  return { cid: stored, size: (await readEntry(stored, block)).cumulativeSize }
}

function* completeLinks(links: readonly PBLink[]): Generator<PBLink> {
  for (const { Hash, Name = '', Tsize = 0 } of links) yield { Hash, Name, Tsize: Tsize < 0 ? 0 : Tsize }
}

/**
 * Whether an entry is not a directory in one block, or is encoded as builders do: sorted, complete links, then data.
 */
export function isCanonical(entry: UnixfsEntry): Awaitable<boolean> {
  const { type, node, block } = entry
  if (type !== 'directory' || isShardedEntry(entry) || node === undefined || node.links.length === 0)
    return true
  if (block[0] !== tags.link) return false
  const known = checked.get(node) ?? runWithin(hasCanonicalLinks(node.links, block), new TimeSlice())
  checked.set(node, known)
  return known
}

/** Directories that were checked: an operation asks for each several times. */
const checked = new WeakMap<UnixfsNode, Awaitable<boolean>>()

function* hasCanonicalLinks(links: readonly UnixfsLink[], block: Uint8Array): Steps<boolean> {
  let length = 0
  let before = Buffer.alloc(0)
  const portion = new Portion(LINKS_AT_ONCE)
  for (const link of links) {
    const name = Buffer.from(bytesOfText(link.name))
    if (before.compare(name) > 0) return false
    before = name
    length += serializedLength(link)
    if (portion.add(name.length)) yield
  }
  return block[length] === tags.data
}
