import type { NetworkContext } from '../../networkContext.js'
import { CID } from 'multiformats/cid'
import { partsOf } from '../../../encoding/jsonWriter.js'
import { LargeMap } from '../../../encoding/largeMap.js'
import { Portion } from '../../../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { type CidEncoder, codecCode } from '../../cid/cidFormat.js'
import { type DagLink, linksOf } from '../../dag/links.js'
import { FileNetworkError } from '../../errors.js'
import { checkPaths, resolveText } from '../../names/nameSystem.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'
import type { BlockSource } from '../../unixfs/entry.js'
import { sortByName } from '../../unixfs/node.js'
import { goCleanPath } from '../../text/goPath.js'
import { goEscape } from '../../text/goQuote.js'

/** Kinds of changes, as boxo numbers them (`ipld/merkledag/dagutils/diff.go`). */
const changeType = { add: 0, remove: 1, modify: 2 } as const

/** Maximum number of changes: two DAGs can differ along more paths than they have nodes. */
const MAX_CHANGES = 1_000_000
/** Maximum length of their paths together, in characters. */
const MAX_PATHS_LENGTH = 64 * 1024 * 1024

/** A node that differs between two DAGs. */
interface Change {
  type: number
  /** Link names from the root, joined by slashes. */
  path: string
  before: CID | undefined
  after: CID | undefined
}

/** `object/diff`: lists the links that were added, removed or changed between two DAGs. */
export const objectDiff = defineCommand({
  description: 'Show the differences between the links of two nodes.',
  arguments: [pathArgument('obj_a', 'Old node.'), pathArgument('obj_b', 'New node.')],
  options: { verbose: { type: 'bool', aliases: ['v'], description: 'Text output only.' } },
  *text({ Changes }: { Changes: ListedChange[] }, { options: { verbose }, encodeCid }) {
    for (const change of Changes) {
      yield* verbose ? sentenceOf(change, encodeCid) : lineOf(change, encodeCid)
      yield '\n'
    }
  },
  async run({ args: [before = '', after = ''], signal }, network) {
    checkPaths(before, after)
    const [from, to] = [await resolveNode(network, before), await resolveNode(network, after)]
    const link = (cid: CID | undefined): ListedLink => (cid === undefined ? null : { '/': String(cid) })
    const changes: ListedChange[] = []
    let pathLength = 0
    const slice = new TimeSlice()
    for await (const change of differences(network.blockstore, { before: from, after: to })) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      signal.throwIfAborted()
      const { type, path } = change
      pathLength += path.length
      if (changes.length === MAX_CHANGES || pathLength > MAX_PATHS_LENGTH) {
        throw new FileNetworkError('the objects differ in too many links')
      }
      changes.push({
        Type: type,
        Path: path,
        Before: link(change.before),
        After: link(change.after),
      })
    }
    return single({ Changes: changes })
  },
})

/** Resolves a path to a node, which must be decodable. */
async function resolveNode(network: NetworkContext, text: string): Promise<CID> {
  const { cid } = await resolveText(network, text)
  await linksOf(cid, await network.blockstore.get(cid))
  return cid
}

/** Two nodes with links to compare. */
interface OpenPair {
  /** Name of the links that lead to them; empty for the roots. */
  name: string
  /** Length of the path to them, in characters. */
  pathLength: number
  old: readonly DagLink[]
  current: readonly DagLink[]
  oldNames: LargeMap<CID>
  names: LargeMap<CID>
  /** Number of old links that have been compared. */
  next: number
}

/**
 * Yields the differences in boxo's order: within a node, first those below links that both have, then removed links,
 * then added ones, both sorted by name. If a name has several links, the first one is compared.
 *
 * An explicit stack, so that no depth is too much. It holds names, not paths: those of a long chain would take the
 * square of its length.
 */
async function* differences(
  source: BlockSource,
  { before, after }: { before: CID; after: CID },
): AsyncGenerator<Change> {
  const slice = new TimeSlice()
  const open: OpenPair[] = []

  /** Opens a pair of nodes that differ. @returns whether they have no links to compare */
  async function enter(before: CID, after: CID, name: string): Promise<boolean> {
    const pathLength = (open.at(-1)?.pathLength ?? 0) + name.length
    checkPathLength(pathLength)
    const [old, current] = [await readLinks(source, before), await readLinks(source, after)]
    const areNodes = before.code === codecCode.dagPb && after.code === codecCode.dagPb
    if (!areNodes || old.length + current.length === 0) return true
    const oldNames = await runInSlices(byName(old), slice)
    const names = await runInSlices(byName(current), slice)
    open.push({ name, pathLength, old, current, oldNames, names, next: 0 })
    return false
  }

  const pathOf = (name: string): string => joined([...open.slice(1).map((pair) => pair.name), name])

  if (before.equals(after)) return
  if (await enter(before, after, '')) yield { type: changeType.modify, path: '', before, after }
  for (let pair = open.at(-1); pair; pair = open.at(-1)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const link = pair.old[pair.next++]
    if (link === undefined) {
      yield* namesOfOne(pair, open.length === 1 ? undefined : () => pathOf(''), slice)
      open.pop()
      continue
    }
    const { name, cid } = link
    const changed = pair.names.get(name)
    if (changed === undefined || changed.equals(cid)) continue
    if (await enter(cid, changed, name)) {
      yield { type: changeType.modify, path: pathOf(name), before: cid, after: changed }
    }
  }
}

/** Yields the links that only one of two nodes has. @param path - returns that of the nodes; undefined for the roots */
async function* namesOfOne(
  { old, current, oldNames, names, pathLength }: OpenPair,
  path: (() => string) | undefined,
  slice: TimeSlice,
): AsyncGenerator<Change> {
  let above: string | undefined
  const pathTo = (name: string): string => {
    checkPathLength(pathLength + name.length)
    above ??= path?.()
    return above === undefined ? name : below(above, name)
  }
  for (const { name, cid } of await sortByName(old, nameOf)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    if (names.get(name) !== undefined) continue
    yield { type: changeType.remove, path: pathTo(name), before: cid, after: undefined }
  }
  for (const { name, cid } of await sortByName(current, nameOf)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    if (oldNames.get(name) !== undefined) continue
    yield { type: changeType.add, path: pathTo(name), before: undefined, after: cid }
  }
}

function nameOf({ name }: DagLink): string {
  return name
}

/** The longest path of a change, in characters: each level of a DAG may add a name of megabytes. */
const MAX_PATH_LENGTH = 4 * 1024 * 1024

/** @throws {@link FileNetworkError} for a path that is too long */
function checkPathLength(length: number): void {
  if (length <= MAX_PATH_LENGTH) return
  throw new FileNetworkError(`the objects differ at a path of more than ${MAX_PATH_LENGTH} characters`)
}

/** A name that stands in a path as it is. */
const plainName = /^(?!\.{1,2}$)[^/]*$/

/** Joins the names that lead to a change (Go, `path.Join`). */
function joined(names: readonly string[]): string {
  const path = names.filter((name) => name !== '').join('/')
  const isClean = names.every((name) => plainName.test(name))
  return isClean ? path : goCleanPath(path)
}

/** Adds a name to a path of any length. */
function below(path: string, name: string): string {
  return path !== '' && name !== '' && plainName.test(name) ? `${path}/${name}` : joined([path, name])
}

async function readLinks(source: BlockSource, cid: CID): Promise<readonly DagLink[]> {
  return linksOf(cid, await source.get(cid))
}

/** Links indexed between two yields. */
const LINKS_AT_ONCE = 1024

function* byName(links: readonly DagLink[]): Steps<LargeMap<CID>> {
  const names = new LargeMap<CID>()
  const portion = new Portion(LINKS_AT_ONCE)
  for (const { name, cid } of links) {
    if (names.get(name) === undefined) names.set(name, cid)
    if (portion.add(name.length)) yield
  }
  return names
}

type ListedLink = { '/': string } | null

/** A change in the answer. */
interface ListedChange {
  Type: number
  Path: string
  Before: ListedLink
  After: ListedLink
}

function* lineOf({ Type, Path, Before, After }: ListedChange, encodeCid: CidEncoder): Generator<string> {
  const cids = [Before, After].flatMap((link) => (link === null ? [] : [encodeCid(CID.parse(link['/']))]))
  yield `${['+', '-', '~'][Type]} ${cids.join(' ')} `
  yield* quoted(Path)
}

function* sentenceOf({ Type, Path, Before, After }: ListedChange, encodeCid: CidEncoder): Generator<string> {
  const [before, after] = [Before, After].map((link) =>
    link === null ? '' : encodeCid(CID.parse(link['/'])),
  )
  yield Type === changeType.add
    ? 'Added new link '
    : Type === changeType.remove
      ? 'Removed link '
      : 'Changed '
  yield* quoted(Path)
  if (Type === changeType.add) yield ` pointing to ${after}.`
  else yield Type === changeType.remove ? ` (was ${before}).` : ` from ${before} to ${after}.`
}

/** Quotes a path in pieces, as it may have megabytes. */
function* quoted(path: string): Generator<string> {
  yield '"'
  for (const part of partsOf(path)) yield goEscape(part)
  yield '"'
}
