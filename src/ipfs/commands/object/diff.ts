import type { CID } from 'multiformats/cid'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import { codecCode } from '../../cid/cidFormat.js'
import { type DagLink, linksOf } from '../../dag/links.js'
import { FileNetworkError } from '../../errors.js'
import { checkPaths, resolveText } from '../../names/nameSystem.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'
import type { BlockSource } from '../../unixfs/entry.js'

/** What happened to a link, as boxo numbers it (`ipld/merkledag/dagutils/diff.go`). */
const changeType = { add: 0, remove: 1, modify: 2 } as const

/** Most changes that are told: two DAGs can differ along more paths than they have nodes. */
const mostChanges = 1_000_000

/** A node of two DAGs that is not the same in both. */
interface Change {
  type: number
  /** Names of links from the root on. */
  path: readonly string[]
  before: CID | undefined
  after: CID | undefined
}

/** `object/diff`: which links of a DAG another one lacks, has more, or has with other content. */
export const objectDiff = defineCommand({
  description: 'Show how the links of two nodes differ.',
  arguments: [pathArgument('obj_a', 'The node before.'), pathArgument('obj_b', 'The node after.')],
  options: { verbose: { type: 'bool', aliases: ['v'], description: 'For command lines.' } },
  async run({ args: [before = '', after = ''], encodeCid, signal }, network) {
    checkPaths(before, after)
    const { cid: from } = await resolveText(network, before)
    const { cid: to } = await resolveText(network, after)
    for (const cid of [from, to]) await linksOf(cid, await network.blockstore.get(cid))
    const link = (cid: CID | undefined): unknown => (cid === undefined ? null : { '/': encodeCid(cid) })
    const changes: unknown[] = []
    const slice = new TimeSlice()
    for await (const change of differences(network.blockstore, { before: from, after: to, path: [] })) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      signal.throwIfAborted()
      if (changes.length === mostChanges) throw new FileNetworkError('the objects differ in too many links')
      const { type, path } = change
      changes.push({
        Type: type,
        Path: path.join('/'),
        Before: link(change.before),
        After: link(change.after),
      })
    }
    return single({ Changes: changes })
  },
})

/**
 * In boxo's order: within a node first what lies below links that both have, then links that are gone, then new ones.
 * Of several links of one name the first counts.
 */
async function* differences(
  source: BlockSource,
  { before, after, path }: { before: CID; after: CID; path: readonly string[] },
): AsyncGenerator<Change> {
  const isSame: boolean = before.equals(after)
  if (isSame) return
  const [old, current] = [await readLinks(source, before), await readLinks(source, after)]
  const areNodes = before.code === codecCode.dagPb && after.code === codecCode.dagPb
  if (!areNodes || old.length + current.length === 0) {
    yield { type: changeType.modify, path, before, after }
    return
  }
  const [oldNames, names] = [byName(old), byName(current)]
  for (const [name, cid] of oldNames) {
    const changed = names.get(name)
    if (changed === undefined) continue
    yield* differences(source, { before: cid, after: changed, path: [...path, name] })
  }
  for (const [name, cid] of oldNames) {
    if (!names.has(name)) {
      yield { type: changeType.remove, path: [...path, name], before: cid, after: undefined }
    }
  }
  for (const [name, cid] of names) {
    if (!oldNames.has(name)) {
      yield { type: changeType.add, path: [...path, name], before: undefined, after: cid }
    }
  }
}

async function readLinks(source: BlockSource, cid: CID): Promise<readonly DagLink[]> {
  return linksOf(cid, await source.get(cid))
}

function byName(links: readonly DagLink[]): ReadonlyMap<string, CID> {
  const names = new Map<string, CID>()
  for (const { name, cid } of links) if (!names.has(name)) names.set(name, cid)
  return names
}
