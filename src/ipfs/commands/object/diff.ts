import { posix } from 'node:path'
import type { NetworkContext } from '../../networkContext.js'
import { CID } from 'multiformats/cid'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { type CidEncoder, codecCode } from '../../cid/cidFormat.js'
import { type DagLink, linksOf } from '../../dag/links.js'
import { FileNetworkError } from '../../errors.js'
import { checkPaths, resolveText } from '../../names/nameSystem.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'
import type { BlockSource } from '../../unixfs/entry.js'
import { sortByName } from '../../unixfs/node.js'
import { goQuote } from '../../text/goQuote.js'

/** Kinds of changes, as boxo numbers them (`ipld/merkledag/dagutils/diff.go`). */
const changeType = { add: 0, remove: 1, modify: 2 } as const

/** Maximum number of changes: two DAGs can differ along more paths than they have nodes. */
const MOST_CHANGES = 1_000_000

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
    for (const change of Changes)
      yield `${verbose ? sentenceOf(change, encodeCid) : lineOf(change, encodeCid)}\n`
  },
  async run({ args: [before = '', after = ''], signal }, network) {
    checkPaths(before, after)
    const [from, to] = [await resolveNode(network, before), await resolveNode(network, after)]
    const link = (cid: CID | undefined): ListedLink => (cid === undefined ? null : { '/': String(cid) })
    const changes: ListedChange[] = []
    const slice = new TimeSlice()
    for await (const change of differences(network.blockstore, { before: from, after: to, path: '' })) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      signal.throwIfAborted()
      if (changes.length === MOST_CHANGES) throw new FileNetworkError('the objects differ in too many links')
      const { type, path } = change
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

/**
 * Yields the differences in boxo's order: within a node, first those below links that both have, then removed links,
 * then added ones, both sorted by name. If a name has several links, the first one is compared.
 */
async function* differences(
  source: BlockSource,
  { before, after, path }: { before: CID; after: CID; path: string },
): AsyncGenerator<Change> {
  const isSame: boolean = before.equals(after)
  if (isSame) return
  const [old, current] = [await readLinks(source, before), await readLinks(source, after)]
  const areNodes = before.code === codecCode.dagPb && after.code === codecCode.dagPb
  if (!areNodes || old.length + current.length === 0) {
    yield { type: changeType.modify, path, before, after }
    return
  }
  const slice = new TimeSlice()
  const [oldNames, names] = [await runInSlices(byName(old), slice), await runInSlices(byName(current), slice)]
  for (const { name, cid } of old) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const changed = names.get(name)
    if (changed === undefined || changed.equals(cid)) continue
    yield* differences(source, { before: cid, after: changed, path: joined(path, name) })
  }
  for (const { name, cid } of await sortByName(old, nameOf)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    if (names.has(name)) continue
    yield { type: changeType.remove, path: joined(path, name), before: cid, after: undefined }
  }
  for (const { name, cid } of await sortByName(current, nameOf)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    if (oldNames.has(name)) continue
    yield { type: changeType.add, path: joined(path, name), before: undefined, after: cid }
  }
}

function nameOf({ name }: DagLink): string {
  return name
}

/** The longest path of a change, in characters: each level of a DAG may add a name of megabytes. */
const LONGEST_PATH = 4 * 1024 * 1024

/** @throws {@link FileNetworkError} for a path that is too long */
function joined(path: string, name: string): string {
  if (path.length + name.length > LONGEST_PATH) {
    throw new FileNetworkError(`the objects differ at a path of more than ${LONGEST_PATH} characters`)
  }
  return path === '' ? name : posix.join(path, name)
}

async function readLinks(source: BlockSource, cid: CID): Promise<readonly DagLink[]> {
  return linksOf(cid, await source.get(cid))
}

/** Links indexed between two yields. */
const LINKS_AT_ONCE = 1024

function* byName(links: readonly DagLink[]): Steps<ReadonlyMap<string, CID>> {
  const names = new Map<string, CID>()
  for (const [index, { name, cid }] of links.entries()) {
    if (!names.has(name)) names.set(name, cid)
    if (index % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) yield
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

function lineOf({ Type, Path, Before, After }: ListedChange, encodeCid: CidEncoder): string {
  const cids = [Before, After].flatMap((link) => (link === null ? [] : [encodeCid(CID.parse(link['/']))]))
  return `${['+', '-', '~'][Type]} ${cids.join(' ')} ${goQuote(Path)}`
}

function sentenceOf({ Type, Path, Before, After }: ListedChange, encodeCid: CidEncoder): string {
  const [before, after] = [Before, After].map((link) =>
    link === null ? '' : encodeCid(CID.parse(link['/'])),
  )
  const path = goQuote(Path)
  if (Type === changeType.add) return `Added new link ${path} pointing to ${after}.`
  return Type === changeType.remove
    ? `Removed link ${path} (was ${before}).`
    : `Changed ${path} from ${before} to ${after}.`
}
