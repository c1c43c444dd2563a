import { CID } from 'multiformats/cid'
import { keysOf } from '../../encoding/jsonKeys.js'
import { LargeSet } from '../../encoding/largeMap.js'
import {
  type Awaitable,
  type Steps,
  TimeSlice,
  runInSlices,
  runToCompletion,
} from '../../encoding/timeSlice.js'
import { type VisitedSet, cidKey, codecCode } from '../cid/cidFormat.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import type { BlockSource } from '../unixfs/entry.js'
import type { PBNode } from './dagPb.js'
import { LARGE_DATA, decodeInSlices, decoderOf } from './codecs.js'

/** A link of a node in any codec. */
export interface DagLink {
  cid: CID
  /** Its name in a dag-pb node; empty in other data, whose links have none (go-ipld-legacy, `node.go`). */
  name: string
}

/**
 * Returns the links of a block, in order. For a large block, returns a promise and yields meanwhile.
 *
 * @throws {@link FileNetworkError} if the codec is unknown or the block is malformed
 */
export function linksOf(cid: CID, bytes: Uint8Array): Awaitable<DagLink[]> {
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
  return decodeInSlices(codec, bytes)
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

/** Values visited between two yields. */
const VALUES_AT_ONCE = 4096

/** A path of keys, from the last to the first. */
interface KeyPath {
  readonly key: string | number
  readonly before: KeyPath | undefined
}

/** A list or map whose values are visited one after another. */
interface VisitedContainer {
  readonly values: Readonly<Record<string | number, unknown>>
  /** Keys of a map, in order; undefined for a list. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  readonly path: KeyPath | undefined
  next: number
}

function containerOf(value: object, path: KeyPath | undefined): VisitedContainer {
  const keys = Array.isArray(value) ? undefined : keysOf(value)
  const { length } = keys ?? (value as unknown[])
  return { values: value as VisitedContainer['values'], keys, length, path, next: 0 }
}

/** Visits the links of decoded data in order, without recursion, however deep it is nested. */
function* visitLinks(
  root: unknown,
  path: KeyPath | undefined,
  found: (cid: CID, path: KeyPath | undefined) => void,
): Steps<void> {
  const containers: VisitedContainer[] = []
  const visit = (value: object, path: KeyPath | undefined): void => {
    if (value instanceof Uint8Array) return
    const cid = CID.asCID(value)
    if (cid) found(cid, path)
    else containers.push(containerOf(value, path))
  }
  if (isObject(root)) visit(root, path)
  for (let seen = 1, top = containers.at(-1); top !== undefined; seen++, top = containers.at(-1)) {
    if (seen % VALUES_AT_ONCE === 0) yield
    const index = top.next++
    if (index >= top.length) {
      containers.pop()
      continue
    }
    const key = top.keys?.[index] ?? index
    const value = top.values[key]
    if (isObject(value)) visit(value, { key, before: top.path })
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function* linksOfValue(root: unknown): Steps<DagLink[]> {
  const links: DagLink[] = []
  yield* visitLinks(root, undefined, (cid) => links.push({ cid, name: '' }))
  return links
}

/** A block visited by a walk. */
export interface VisitedBlock {
  cid: CID
  bytes: Uint8Array
}

/** Result of visiting a CID, and the links to follow. */
interface Step<T> {
  visited: T
  links: readonly DagLink[]
}

/** Visits a DAG depth first, without recursion, however deep it is. */
async function* visitDag<T>(
  root: CID,
  seen: VisitedSet,
  visit: (cid: CID) => Promise<Step<T> | undefined>,
): AsyncGenerator<T> {
  const slice = new TimeSlice()
  const stack: Pick<DagLink, 'cid'>[] = [{ cid: root }]
  for (let link = stack.pop(); link; link = stack.pop()) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const key = cidKey(link.cid)
    if (seen.has(key)) continue
    seen.add(key)
    const step = await visit(link.cid)
    if (step === undefined) continue
    yield step.visited
    await runInSlices(pushReversed(stack, step.links), slice)
  }
}

/** Pushes items in reverse, so that the first is popped first. */
export function* pushReversed<T>(stack: T[], items: readonly T[]): Steps<void> {
  for (let index = items.length - 1; index >= 0; index--) {
    stack.push(items[index] as T)
    if (index % VALUES_AT_ONCE === VALUES_AT_ONCE - 1) yield
  }
}

async function readStep(source: BlockSource, cid: CID): Promise<Step<VisitedBlock>> {
  const bytes = await source.get(cid)
  return { visited: { cid, bytes }, links: await linksOf(cid, bytes) }
}

/**
 * Yields every block of a DAG, depth first in link order, each once unless `seen` forgets.
 *
 * `seen` may be shared between walks, or contain blocks to skip; its keys are those of {@link cidKey}.
 */
export function walkDag(
  source: BlockSource,
  root: CID,
  seen: VisitedSet = new LargeSet(),
): AsyncGenerator<VisitedBlock> {
  return visitDag(root, seen, (cid) => readStep(source, cid))
}

/**
 * Yields the CIDs of a DAG in the order of {@link walkDag}. Raw blocks have no links, so they are not read and may be
 * missing (boxo, `merkledag.GetLinksWithDAG`).
 */
export function walkCids(
  source: BlockSource,
  root: CID,
  seen: VisitedSet = new LargeSet(),
): AsyncGenerator<CID> {
  return visitDag(root, seen, async (cid) => {
    const links = cid.code === codecCode.raw ? [] : (await readStep(source, cid)).links
    return { visited: cid, links }
  })
}

/**
 * Yields the CIDs of a DAG like {@link walkCids}. A block whose links cannot be read is reported and counts as a leaf.
 */
export function walkReadable(
  source: BlockSource,
  root: CID,
  seen: VisitedSet,
  tell: (cid: CID, error: FileNetworkError) => void,
): AsyncGenerator<CID> {
  return visitDag(root, seen, async (cid) => {
    if (cid.code === codecCode.raw) return { visited: cid, links: [] }
    try {
      return { visited: cid, links: (await readStep(source, cid)).links }
    } catch (error) {
      if (!(error instanceof FileNetworkError)) throw error
      tell(cid, error)
      return { visited: cid, links: [] }
    }
  })
}

/** The longest block that is checked for being nothing but a link, in bytes: far above any CID. */
const MAX_LINK_LENGTH = 1024

/** Like {@link readStep}, but does not follow the link of a block that is nothing else (go-ipld-prime, `traversal`). */
async function readSelected(source: BlockSource, cid: CID): Promise<Step<VisitedBlock>> {
  const step = await readStep(source, cid)
  const { bytes } = step.visited
  if (step.links.length !== 1 || bytes.length > MAX_LINK_LENGTH || cid.code === codecCode.dagPb) return step
  return CID.asCID(decoderOf(cid).decode(bytes)) === null ? step : { ...step, links: [] }
}

/** Like {@link walkDag}, but visits what a selector of everything does. */
export function walkSelected(
  source: BlockSource,
  root: CID,
  seen: VisitedSet = new LargeSet(),
): AsyncGenerator<VisitedBlock> {
  return visitDag(root, seen, (cid) => readSelected(source, cid))
}

/** Yields the blocks of a DAG that are stored and readable, depth first; skips what is below any other. */
export function walkAvailable(source: BlockSource, root: CID): AsyncGenerator<VisitedBlock> {
  return visitDag(root, new LargeSet(), async (cid) => {
    try {
      return await readStep(source, cid)
    } catch (error) {
      if (error instanceof FileNetworkError) return undefined
      throw error
    }
  })
}

/** A link inside data, with the path of keys to it. */
interface PlacedLink {
  cid: CID
  path: KeyPath | undefined
}

/** Returns the keys of a path in order. */
function keysOfPath(path: KeyPath | undefined): string[] {
  const keys: string[] = []
  for (let rest = path; rest; rest = rest.before) keys.push(String(rest.key))
  return keys.reverse()
}

/**
 * Returns the keys by which a depth-first walk of a DAG first reaches a block. Computed after a walk has failed, so
 * that walks need not keep track of paths.
 */
export async function pathTo(source: BlockSource, root: CID, wanted: CID): Promise<readonly string[]> {
  const slice = new TimeSlice()
  const seen = new LargeSet()
  const stack: PlacedLink[] = [{ cid: root, path: undefined }]
  for (let link = stack.pop(); link; link = stack.pop()) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const { cid, path } = link
    if (cid.equals(wanted)) return keysOfPath(path)
    if (seen.has(cidKey(cid)) || cid.code === codecCode.raw) continue
    seen.add(cidKey(cid))
    const data = await decodeInSlices(decoderOf(cid), await source.get(cid))
    const links: PlacedLink[] = []
    const found = (cid: CID, path: KeyPath | undefined): void => void links.push({ cid, path })
    await runInSlices(visitLinks(data, path, found), slice)
    await runInSlices(pushReversed(stack, links), slice)
  }
  return []
}
