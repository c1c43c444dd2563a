import { type CidFormat, DigestTooLargeError, codecCode } from '../../cid/cidFormat.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError, FileNotFoundError } from '../../errors.js'
import { checkFilesPath, flushOption, splitPath } from '../../mfs/filesPath.js'
import type { MutableFiles } from '../../mfs/mutableFiles.js'
import { linksOf } from '../../dag/links.js'
import { resolveText } from '../../names/nameSystem.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, nothing, pathArgument } from '../../request/command.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from '../../unixfs/entry.js'
import type { UnixfsLink } from '../../unixfs/node.js'

/** `files/cp`: links a mutable file, or anything under `/ipfs/`, at a new path. No content is copied. */
export const filesCp = defineCommand({
  description: 'Copy files into MFS.',
  arguments: [pathArgument('source', 'Source path.'), pathArgument('dest', 'Destination path.')],
  options: {
    ...flushOption,
    parents: { type: 'bool', aliases: ['p'], description: 'Create missing parent directories.' },
    force: { type: 'bool', description: 'Replace an existing file, but never a directory.' },
  },
  async run({ args: [sourceArg = '', targetArg = ''], options }, network) {
    // Kubo reports an unusable configuration first, even if no directory is made.
    const format = network.filesSettings.cid
    const source = checkFilesPath(sourceArg).replace(/\/+$/, '')
    const given = checkFilesPath(targetArg)
    const target = given.endsWith('/') ? given + (source.split('/').at(-1) ?? '') : given
    await network.collectionLock.share(async () => {
      const entry = await loadSource(network, source)
      await putEntry(network, {
        entry,
        target,
        format,
        parents: options.parents === true,
        force: options.force === true,
      })
    })
    if (options.flush) {
      await network.files.flushPath(target)
      await network.files.flushPath(splitPath(target).directory.join('/'))
    }
    return nothing()
  },
})

async function loadSource(
  { files, blockstore, names }: NetworkContext,
  source: string,
): Promise<UnixfsEntry> {
  try {
    if (!source.startsWith('/ipfs/')) return await files.lookUpNode(source)
    const { cid } = await resolveText({ blockstore, names }, source)
    await linksOf(cid, await blockstore.get(cid))
    if (cid.code !== codecCode.dagPb && cid.code !== codecCode.raw) throw new WrongCodecError()
    return await loadEntry(blockstore, cid).catch((error: unknown) => {
      throw new WrongCodecError(`: ${errorText(error)}`)
    })
  } catch (error) {
    if (error instanceof WrongCodecError) throw error
    throw new FileNetworkError(`cp: cannot get node from path ${source}: ${errorText(error)}`, {
      cause: error,
    })
  }
}

/** The source is neither a file nor a directory. */
class WrongCodecError extends FileNetworkError {
  constructor(reason = '') {
    super(`cp: source must be a valid UnixFS (dag-pb or raw codec)${reason}`)
  }
}

/** `force` replaces files only: a directory may hold the only links to its contents. */
class CannotUnlinkError extends FileNetworkError {
  constructor(reason: string) {
    super(`cp: cannot unlink existing file: ${reason}`)
  }
}

/** Checks that the target's parent is a directory before anything is replaced. A missing one is fine. */
async function checkWay(files: MutableFiles, directory: readonly string[]): Promise<void> {
  const entry = await files.lookUp(directory.join('/')).catch((error: unknown) => {
    if (!(error instanceof FileNotFoundError)) throw new CannotUnlinkError(errorText(error))
  })
  if (entry && entry.type !== 'directory') {
    throw new CannotUnlinkError(`not a directory: /${directory.join('/')}/`)
  }
}

/** @throws {@link CannotUnlinkError} if the link leads to a directory (Kubo, `unlinkNodeIfExists`) */
async function checkReplaceable(source: BlockSource, { cid }: UnixfsLink, path: string): Promise<void> {
  if ((await loadEntry(source, cid)).type === 'directory') throw new CannotUnlinkError(`not a file: ${path}`)
}

async function putEntry(
  { files, blockstore }: NetworkContext,
  options: { entry: UnixfsEntry; target: string; format: CidFormat; parents: boolean; force: boolean },
): Promise<void> {
  const { entry, target, format, parents, force } = options
  const { directory, name } = splitPath(target)
  if (parents) await files.makeDirectory(directory, { parents, format })
  try {
    if (name === '') throw new FileNetworkError('cannot create file with empty name')
    if (force && !parents) await checkWay(files, directory)
    await files.change(directory, async ({ links }) => {
      const existing = await links.get(name)
      if (existing && force) {
        await checkReplaceable(blockstore, existing, target)
        links.delete(name)
      } else if (existing) throw new FileNetworkError('directory already has entry by that name')
      links.set({ name, cid: entry.cid, size: entry.cumulativeSize })
    })
  } catch (error) {
    // What is in the way was looked up.
    await files.lookUp(target).catch(() => undefined)
    if (error instanceof CannotUnlinkError) throw error
    // Kubo finds out when it flushes the file.
    if (error instanceof DigestTooLargeError) {
      throw new FileNetworkError(`cp: cannot flush the created file ${target}: ${errorText(error)}`)
    }
    throw new FileNetworkError(`cp: cannot put node in path ${target}: ${errorText(error)}`)
  }
}
