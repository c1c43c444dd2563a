import { FileNetworkError, FileNotFoundError } from '../../errors.js'
import { checkFilesPath, flushOption, splitPath } from '../../mfs/filesPath.js'
import type { MutableFiles } from '../../mfs/mutableFiles.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, nothing, pathArgument } from '../../request/command.js'
import type { UnixfsEntry } from '../../unixfs/entry.js'

/** `files/mv`: moves a mutable file or directory; if the target is a directory, into it (boxo, `mfs/ops.go`). */
export const filesMv = defineCommand({
  description: 'Move a file in MFS.',
  arguments: [pathArgument('source', 'Source path.'), pathArgument('dest', 'Destination path.')],
  options: { ...flushOption },
  async run({ args: [sourceArg = '', targetArg = ''], options }, network) {
    const { files } = network
    const source = splitPath(checkFilesPath(sourceArg))
    const target = splitPath(checkFilesPath(targetArg))
    if (target.name === '') target.name = source.name
    await lookUpDirectory(files, target.directory)
    await lookUpDirectory(files, source.directory)
    if (source.name === '') throw new FileNotFoundError()
    const entry = await files.lookUpNode(joined(source))

    const existing = await findEntry(network, target)
    if (existing?.type === 'directory') {
      target.directory.push(target.name)
      target.name = source.name
      if (await findEntry(network, target)) {
        throw new FileNetworkError('directory already has entry by that name')
      }
    }
    if (entry.type === 'directory' && isWithin(target, source)) {
      throw new FileNetworkError('cannot move a directory into itself')
    }
    await moveEntry(network, { entry, source, target })
    if (options.flush) {
      const parents = [targetArg, sourceArg].map((path) =>
        splitPath(checkFilesPath(path)).directory.join('/'),
      )
      for (const parent of new Set(parents)) await files.flushPath(parent)
      await files.flush('/')
    }
    return nothing()
  },
})

interface Place {
  directory: string[]
  name: string
}

function joined({ directory, name }: Place): string {
  return [...directory, name].join('/')
}

async function findEntry({ files }: NetworkContext, place: Place): Promise<UnixfsEntry | undefined> {
  return files.lookUp(joined(place)).catch((error: unknown) => {
    if (error instanceof FileNotFoundError) return undefined
    throw error
  })
}

function isWithin(place: Place, ancestor: Place): boolean {
  return `${joined(place)}/`.startsWith(`${joined(ancestor)}/`)
}

async function moveEntry(
  { files, blockstore }: NetworkContext,
  { entry, source, target }: { entry: UnixfsEntry; source: Place; target: Place },
): Promise<void> {
  const session = blockstore.openSession()
  try {
    await files.change(target.directory, async ({ links }) => {
      if (await links.get(target.name)) links.delete(target.name)
      links.set({ name: target.name, cid: entry.cid, size: entry.cumulativeSize })
    })
    // boxo compares only the names, and leaves the source in a directory of the same name elsewhere.
    const isSameName = source.directory.at(-1) === target.directory.at(-1) && source.name === target.name
    if (isSameName) return
    await files.change(source.directory, ({ links }) => void links.delete(source.name))
  } finally {
    session.end()
  }
}

/**
 * Looks up a mutable directory.
 *
 * @throws {@link FileNetworkError} with Kubo's message if there is nothing at the path, or no directory
 */
async function lookUpDirectory(files: Pick<MutableFiles, 'lookUp'>, path: string[]): Promise<UnixfsEntry> {
  const entry = await files.lookUp(path.join('/'))
  if (entry.type === 'directory') return entry
  throw new FileNetworkError(`/${path.join('/')}/ is not a directory`)
}
