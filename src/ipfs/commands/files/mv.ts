import { FileNetworkError, FileNotFoundError } from '../../errors.js'
import { flushOption } from '../../mfs/cidFormatOptions.js'
import { checkFilesPath, splitPath } from '../../mfs/filesPath.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { nothing } from '../../request/output.js'
import type { UnixfsEntry } from '../../unixfs/entry.js'

/** `files/mv`: moves a mutable file or directory; into the target where that is a directory. */
export const filesMv = defineCommand({
  description: 'Move a mutable file.',
  arguments: [pathArgument('source', 'What to move.'), pathArgument('dest', 'Where to.')],
  options: { ...flushOption },
  async run({ args: [sourceArg = '', targetArg = ''] }, network) {
    const source = splitPath(checkFilesPath(sourceArg))
    if (source.name === '') throw new FileNotFoundError()
    const entry = await network.files.lookUp([...source.directory, source.name].join('/'))
    const target = await findTarget(network, checkFilesPath(targetArg), source.name)
    const from = [...source.directory, source.name]
    const to = [...target.directory, target.name]
    if (from.join('/') === to.join('/')) return nothing()
    if (isWithin(to, from)) throw new FileNetworkError('cannot move a directory into itself')
    await moveEntry(network, { entry, source, target })
    return nothing()
  },
})

interface SplitPath {
  directory: string[]
  name: string
}

async function findTarget({ files }: NetworkContext, path: string, sourceName: string): Promise<SplitPath> {
  const target = splitPath(path)
  if (target.name === '') return { directory: target.directory, name: sourceName }
  const existing = await files.lookUp(path).catch((error: unknown) => {
    if (error instanceof FileNotFoundError) return undefined
    throw error
  })
  if (existing?.type !== 'directory') return target
  return { directory: [...target.directory, target.name], name: sourceName }
}

function isWithin(path: string[], ancestor: string[]): boolean {
  return path.length > ancestor.length && ancestor.every((segment, index) => path[index] === segment)
}

async function moveEntry(
  { files, blockstore }: NetworkContext,
  options: { entry: UnixfsEntry; source: SplitPath; target: SplitPath },
): Promise<void> {
  const { entry, source, target } = options
  const session = blockstore.openSession()
  try {
    await files.change(target.directory, async ({ links }) => {
      const existing = links.get(target.name)
      if (existing && (await isDirectory(target))) {
        throw new FileNetworkError('directory already has entry by that name')
      }
      links.set(target.name, { name: target.name, cid: entry.cid, size: entry.cumulativeSize })
    })
    await files.change(source.directory, ({ links }) => void links.delete(source.name))
  } finally {
    session.end()
  }

  async function isDirectory({ directory, name }: SplitPath): Promise<boolean> {
    return (await files.lookUp([...directory, name].join('/'))).type === 'directory'
  }
}
