import type { PBNode } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { keysOf } from '../../encoding/json.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { type VisitedSet, cidKey, codecCode } from '../cid/cidFormat.js'
import { FileNetworkError, errorText } from '../errors.js'
import type { BlockSource } from '../unixfs/entry.js'
import { LARGE_DATA, decodeInTurns, decoderOf } from './codecs.js'

/** A link of any node. */
export interface DagLink {
  cid: CID
  /** The name that a dag-pb node gives it; empty in other data, whose links have none (go-ipld-legacy, `node.go`). */
  name: string
}

/**
 * The links of a block, in the order in which they stand in it. Those of a large block come when other requests had their
 * turns.
 *
 * @throws {@link FileNetworkError} when the codec is not known or the block is malformed
 */
export function linksOf(cid: CID, bytes: Uint8Array): DagLink[] | Promise<DagLink[]> {
  if (cid.code === codecCode.raw) return []
  const codec = decoderOf(cid)
  const failure = (error: unknown): FileNetworkError =>
    error instanceof FileNetworkError ? error : new FileNetworkError(errorText(error))
  const find = cid.code === codecCode.dagPb ? linksOfNode : linksOfValue
  try {
    if (bytes.length <= LARGE_DATA) return runToCompletion(find(codec.decode(bytes)))
  } catch (error) {
    throw failure(error)
  }
  return decodeInTurns(codec, bytes)
    .then((data) => runInSlices(find(data), new TimeSlice()))
    .catch((error: unknown) => {
      throw failure(error)
    })
}

function* linksOfNode(node: unknown): Steps<DagLink[]> {
  const links: DagLink[] = []
  for (const { Hash, Name = '' } of (node as PBNode).Links) {
    if (links.push({ cid: Hash, name: Name }) % VALUES_AT_ONCE === 0) yield
  }
  return links
}

/** Values that are looked at at once. */
const VALUES_AT_ONCE = 4096

/** The links of decoded data, found without recursion, however deep it is nested. */
function* linksOfValue(root: unknown): Steps<DagLink[]> {
  const links: DagLink[] = []
  const stack: unknown[] = [root]
  let seen = 0
  while (stack.length > 0) {
    if (++seen % VALUES_AT_ONCE === 0) yield
    const value = stack.pop()
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue
    const cid = CID.asCID(value)
    if (cid) {
      links.push({ cid, name: '' })
      continue
    }
    const names = Array.isArray(value) ? undefined : keysOf(value)
    const below = value as Readonly<Record<string | number, unknown>>
    for (let index = (names ?? (value as unknown[])).length - 1; index >= 0; index--) {
      const item = below[names?.[index] ?? index]
      if (typeof item === 'object') stack.push(item)
      if (++seen % VALUES_AT_ONCE === 0) yield
    }
  }
  return links
}

/** A block that a walk came to. */
export interface VisitedBlock {
  cid: CID
  bytes: Uint8Array
}

/** What a walk finds at a CID, and where it goes on. */
interface Step<T> {
  visited: T
  links: readonly DagLink[]
}

/** Visits a DAG depth first. Without recursion, so that no depth is too much. */
async function* visitDag<T>(
  root: CID,
  seen: VisitedSet,
  visit: (cid: CID) => Promise<Step<T> | undefined>,
): AsyncGenerator<T> {
  const slice = new TimeSlice()
  const stack: CID[] = [root]
  for (let cid = stack.pop(); cid; cid = stack.pop()) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const key = cidKey(cid)
    if (seen.has(key)) continue
    seen.add(key)
    const step = await visit(cid)
    if (step === undefined) continue
    yield step.visited
    pushLinks(stack, step.links)
  }
}

/** So that the first link is the next one. */
function pushLinks(stack: CID[], links: readonly DagLink[]): void {
  for (let index = links.length - 1; index >= 0; index--) stack.push((links[index] as DagLink).cid)
}

async function readStep(source: BlockSource, cid: CID): Promise<Step<VisitedBlock>> {
  const bytes = await source.get(cid)
  return { visited: { cid, bytes }, links: await linksOf(cid, bytes) }
}

/**
 * Every block of a DAG, depth first in the order of the links, no block twice unless `seen` forgets them.
 *
 * `seen` may be shared between walks, or filled beforehand with what is not to be visited; it has the
 * CIDs as keys ({@link cidKey}).
 */
export function walkDag(
  source: BlockSource,
  root: CID,
  seen: VisitedSet = new Set(),
): AsyncGenerator<VisitedBlock> {
  return visitDag(root, seen, (cid) => readStep(source, cid))
}

/**
 * The CIDs of a DAG in the same order. Raw blocks have no links, and are neither read nor missed (boxo,
 * `merkledag.GetLinksWithDAG`).
 */
export function walkCids(source: BlockSource, root: CID, seen: VisitedSet = new Set()): AsyncGenerator<CID> {
  return visitDag(root, seen, async (cid) => {
    const links = cid.code === codecCode.raw ? [] : (await readStep(source, cid)).links
    return { visited: cid, links }
  })
}

/** The blocks of a DAG that are there and can be read, depth first; whatever hangs below another is left out. */
export function walkAvailable(source: BlockSource, root: CID): AsyncGenerator<VisitedBlock> {
  return visitDag(root, new Set(), async (cid) => {
    try {
      return await readStep(source, cid)
    } catch (error) {
      if (error instanceof FileNetworkError) return undefined
      throw error
    }
  })
}

/** The last key that leads to a value, and the keys before it. Many values share these. */
interface Way {
  key: string
  before: Way | undefined
}

/** A link inside data, with the keys that lead to it. */
interface PlacedLink {
  cid: CID
  way: Way | undefined
}

/** The keys in their order. */
function keysOfWay(way: Way | undefined): string[] {
  const keys: string[] = []
  for (let rest = way; rest; rest = rest.before) keys.push(rest.key)
  return keys.reverse()
}

/**
 * The keys by which a walk of a DAG comes to a block for the first time, depth first, from its root on. It is looked for
 * once the walk has failed, so that walks need not remember their ways.
 */
export async function wayTo(source: BlockSource, root: CID, wanted: CID): Promise<readonly string[]> {
  const slice = new TimeSlice()
  const seen = new Set<string>()
  const stack: PlacedLink[] = [{ cid: root, way: undefined }]
  for (let link = stack.pop(); link; link = stack.pop()) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const { cid, way } = link
    if (cid.equals(wanted)) return keysOfWay(way)
    if (seen.has(cidKey(cid)) || cid.code === codecCode.raw) continue
    seen.add(cidKey(cid))
    const data = await decodeInTurns(decoderOf(cid), await source.get(cid))
    for (const placed of (await runInSlices(placedLinks(data, way), slice)).reverse()) stack.push(placed)
  }
  return []
}

/** The links of data in their order. */
function* placedLinks(root: unknown, way: Way | undefined): Steps<PlacedLink[]> {
  const links: PlacedLink[] = []
  const stack: { value: unknown; way: Way | undefined }[] = [{ value: root, way }]
  for (let looked = 0, item = stack.pop(); item; item = stack.pop(), looked++) {
    if (looked % VALUES_AT_ONCE === VALUES_AT_ONCE - 1) yield
    const { value } = item
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue
    const cid = CID.asCID(value)
    if (cid) {
      links.push({ cid, way: item.way })
      continue
    }
    const keys = Array.isArray(value) ? [...value.keys()].map(String) : [...keysOf(value)]
    for (const key of keys.reverse()) {
      stack.push({ value: (value as Record<string, unknown>)[key], way: { key, before: item.way } })
    }
  }
  return links
}
