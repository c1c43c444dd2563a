import type { CID } from 'multiformats/cid'
import { LargeSet } from '../../../encoding/largeMap.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { cidKey } from '../../cid/cidFormat.js'
import { LINKS_AT_ONCE } from '../../dag/dagPb.js'
import { type DagLink, linksOf, pushReversed, walkDag } from '../../dag/links.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import { checkPaths, resolveText } from '../../names/nameSystem.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'
import type { BlockSource } from '../../unixfs/entry.js'
import { provideOptions } from '../../store/pins.js'

/** `pin/update`: pins a DAG similar to a pinned one, and unpins the old. */
export const pinUpdate = defineCommand({
  description: 'Update a recursive pin.',
  arguments: [pathArgument('from-path', 'Pinned object.'), pathArgument('to-path', 'Object to pin instead.')],
  options: {
    unpin: { type: 'bool', default: true, description: 'Remove the old pin.' },
    ...provideOptions,
  },
  text: ({ Pins: [from, to] }: { Pins: [string, string] }) => `updated ${from} to ${to}\n`,
  async run({ args: [fromPath = '', toPath = ''], options, encodeCid, signal }, network) {
    const { pins, blockstore, names, collectionLock } = network
    checkPaths(fromPath, toPath)
    const { cid: from } = await resolveText({ blockstore, names }, fromPath)
    const { cid: to } = await resolveText({ blockstore, names }, toPath)
    const old = pins.find(from)
    if (old?.mode !== 'recursive') {
      throw new FileNetworkError("'from' cid was not recursively pinned already")
    }
    if (!from.equals(to)) {
      if (pins.find(to)?.mode === 'recursive') {
        throw new FileNetworkError("'to' cid was already recursively pinned")
      }
      await collectionLock.share(async () => {
        await readDifference(blockstore, { from, to, signal })
        await pins.set({ cid: to, mode: 'recursive', name: old.name })
      })
      if (options.unpin) await pins.remove(from)
    }
    return single({ Pins: [encodeCid(from), encodeCid(to)] })
  },
})

/**
 * Reads the blocks of a DAG that a complete one may lack. Compares the links of both roots, and pairs those that only
 * one has, in order (boxo, `dagutils.DiffEnumerate`).
 *
 * @throws {@link FileNetworkError} for a block that is missing or cannot be decoded; if it is one of a pair, with the
 * prefix `get CID: `
 */
async function readDifference(
  source: BlockSource,
  { from, to, signal }: { from: CID; to: CID; signal: AbortSignal },
): Promise<void> {
  const slice = new TimeSlice()
  const compared = new LargeSet()
  const waiting: (() => Promise<void>)[] = [() => compareLinks(from, to)]

  async function compareLinks(before: CID, after: CID): Promise<void> {
    const pair = `${cidKey(before)} ${cidKey(after)}`
    if (compared.has(pair)) return
    compared.add(pair)
    const [old, updated] = [await linksOfPair(source, before), await linksOfPair(source, after)]
    const dropped = await runInSlices(without(old, updated), slice)
    const added = await runInSlices(without(updated, old), slice)
    const known = await runInSlices(keysOf(dropped.slice(0, added.length)), slice)
    const tasks = added.map(({ cid }, index) => {
      const replaced = dropped[index]?.cid
      return replaced ? () => compareLinks(replaced, cid) : () => walk(cid, known)
    })
    await runInSlices(pushReversed(waiting, tasks), slice)
  }

  async function walk(root: CID, known: LargeSet): Promise<void> {
    for await (const _ of walkDag(source, root, known)) signal.throwIfAborted()
  }

  for (let task = waiting.pop(); task !== undefined; task = waiting.pop()) {
    await slice.pause()
    signal.throwIfAborted()
    await task()
  }
}

/** Returns the links whose targets others do not link to. */
function* without(links: readonly DagLink[], others: readonly DagLink[]): Steps<DagLink[]> {
  const keys = yield* keysOf(others)
  const rest: DagLink[] = []
  for (const [index, link] of links.entries()) {
    if (index % LINKS_AT_ONCE === 0) yield
    if (!keys.has(cidKey(link.cid))) rest.push(link)
  }
  return rest
}

function* keysOf(links: readonly DagLink[]): Steps<LargeSet> {
  const keys = new LargeSet()
  for (const [index, { cid }] of links.entries()) {
    if (index % LINKS_AT_ONCE === 0) yield
    keys.add(cidKey(cid))
  }
  return keys
}

async function linksOfPair(source: BlockSource, cid: CID): Promise<readonly DagLink[]> {
  try {
    return await linksOf(cid, await source.get(cid))
  } catch (error) {
    throw error instanceof FileNetworkError ? new FileNetworkError(`get ${cid}: ${errorText(error)}`) : error
  }
}
