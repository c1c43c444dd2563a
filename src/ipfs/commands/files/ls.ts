import { LINES_AT_ONCE, inOrder } from '../../request/textForm.js'
import type { CID } from 'multiformats/cid'
import { LargeMap } from '../../../encoding/largeMap.js'
import { Portion } from '../../../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { checkFilesPath, cleanSegments, flushOption } from '../../mfs/filesPath.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, optionalArgument, single } from '../../request/command.js'
import type { ListingMemory } from '../../request/listingMemory.js'
import { loadChild } from '../../mfs/mutableFiles.js'
import type { UnixfsEntry } from '../../unixfs/entry.js'
import type { UnixfsLink } from '../../unixfs/node.js'
import { isShardedEntry, listDirectory } from '../../unixfs/readDirectory.js'

/** Entry types as numbered by the mutable files (boxo, `mfs`). */
const typeNumbers = { file: 0, symlink: 0, directory: 1 } as const

interface Listed {
  Name: string
  Type: number
  Size: number
  Hash: string
}

/** `files/ls`: lists a mutable directory; without `long`, only names. */
export const filesLs = defineCommand({
  description: 'List an MFS directory.',
  arguments: [optionalArgument('path', 'Path. Default: the root.')],
  options: {
    ...flushOption,
    long: { type: 'bool', aliases: ['l'], description: 'Also send types, sizes and CIDs.' },
    U: { type: 'bool', description: 'Text output only.' },
  },
  *text({ Entries }: { Entries: Listed[] | null }, { options: { long, U: isUnsorted } }) {
    const entries = Entries ?? []
    const sorted = isUnsorted ? entries : yield* inOrder(entries, ({ Name }) => Name)
    for (const { Name, Type, Hash, Size } of sorted) {
      yield long ? `${Name}${Type === typeNumbers.directory ? '/' : ''}\t${Hash}\t${Size}\n` : `${Name}\n`
    }
  },
  async run(input, network) {
    const { args, options, memory } = input
    const path = checkFilesPath(args[0] ?? '/')
    const entry = await network.files.lookUpRegular(path)
    const { encodeCid } = input
    const long = options.long === true
    if (entry.type !== 'directory') {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return single({ Entries: [describer(long, encodeCid)(name, entry)] })
    }
    // The CID base applies to a lone file only (Kubo, `files.go`).
    const describe = describer(long, String)
    const entries = long
      ? await loadEntries(network, entry, { path, describe, memory })
      : await listNames(network, entry, { describe, memory })
    network.files.noteListing(cleanSegments(path), entry)
    return single({ Entries: entries.length === 0 ? null : entries })
  },
})

type Describe = (name: string, entry: UnixfsEntry | undefined) => Listed

interface ListingRule {
  describe: Describe
  memory: ListingMemory
}

function describer(long: boolean, encodeCid: (cid: CID) => string): Describe {
  return (name, entry) => ({
    Name: name,
    Type: long && entry ? typeNumbers[entry.type] : 0,
    Size: long && entry ? entry.size : 0,
    Hash: long && entry ? encodeCid(entry.cid) : '',
  })
}

async function listNames(
  { blockstore }: NetworkContext,
  directory: UnixfsEntry,
  { describe, memory }: ListingRule,
): Promise<Listed[]> {
  const entries: Listed[] = []
  for await (const { name } of listDirectory(blockstore, directory)) {
    const pause = memory.add()
    if (pause !== undefined) await pause
    entries.push(describe(name, undefined))
  }
  return entries
}

/** Loads all entries of a directory. Kubo shows them as it would store them again. */
async function loadEntries(
  { blockstore, files }: NetworkContext,
  directory: UnixfsEntry,
  { path, describe, memory }: ListingRule & { path: string },
): Promise<Listed[]> {
  const segments = cleanSegments(path)
  const entries: Listed[] = []
  const known = new LargeMap<Listed>()
  for await (const link of listDirectory(blockstore, directory)) {
    const pause = memory.add()
    if (pause !== undefined) await pause
    const same = known.get(link.name)
    const child = same ? undefined : await loadChild(blockstore, link.cid)
    await files.noteEntry(segments, directory, { link, child })
    const entry = same ?? describe(link.name, child)
    entries.push(entry)
    known.set(link.name, entry)
  }
  if (isShardedEntry(directory)) return entries
  const stored = await files.lookUpNode(path)
  if (!stored.cid.equals(directory.cid)) {
    await runInSlices(replaceHashes(known, stored.node?.links ?? []), new TimeSlice())
  }
  return entries
}

/** Gives entries the CIDs of the links with their names. */
function* replaceHashes(entries: LargeMap<Listed>, links: readonly UnixfsLink[]): Steps<void> {
  const portion = new Portion(LINES_AT_ONCE)
  for (const { name, cid } of links) {
    if (portion.add(name.length)) yield
    const entry = entries.get(name)
    if (entry !== undefined) entry.Hash = String(cid)
  }
}
