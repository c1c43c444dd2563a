import { InsecureHashError, isComputed } from '../../cid/cidFormat.js'
import { FileNetworkError, FileNotFoundError } from '../../errors.js'
import type { DirectoryChange, MutableFiles } from '../../mfs/mutableFiles.js'
import { cidFormatOptions, flushOption, readCidFormat } from '../../mfs/filesPath.js'
import { defineCommand, nothing, optionalArgument, pathArgument, single } from '../../request/command.js'
import { trimBoth } from '../../text/trim.js'
import type { UnixfsEntry } from '../../unixfs/entry.js'

/** `files`: declares the option that its suboperations share. */
export const files = defineCommand({
  description: 'Work with the Mutable File System (MFS).',
  arguments: [],
  options: { ...flushOption },
  isGroup: true,
  run: () => nothing(),
})

/** `files/flush`: returns the CID of a mutable file or directory, which is always stored already. */
export const filesFlush = defineCommand({
  description: 'Flush an MFS path.',
  arguments: [optionalArgument('path', 'Path. Default: the root.')],
  options: { ...flushOption },
  async run({ args: [arg = '/'], encodeCid }, { files }) {
    const path = withoutOuterSlashes(arg)
    if (path !== '') await lookUpLiterally(files, path)
    await files.flushPath(path)
    return single({ Cid: encodeCid((await files.lookUp(path)).cid) })
  },
})

/** `files/chcid`: changes the CID format of a mutable directory and of its future entries. */
export const filesChcid = defineCommand({
  description: 'Change the CID version or hash function of an MFS directory.',
  arguments: [pathArgument('path', 'Directory other than the root.')],
  options: { ...flushOption, ...cidFormatOptions },
  async run({ args: [arg = ''], options }, { files }) {
    const path = withoutOuterSlashes(arg)
    if (path === '' && arg !== '') {
      throw new FileNetworkError(
        "cannot change CID format of the MFS root; use 'ipfs config Import.CidVersion' and 'ipfs config Import.HashFunction' instead",
      )
    }
    const format = await readCidFormat(options)
    if (format === undefined && !options.flush) return nothing()
    const entry = await lookUpLiterally(files, path)
    if (format !== undefined) {
      if (entry.type !== 'directory') throw new FileNetworkError('can only update directories')
      // If the new hash function cannot be computed, the directory stays as it is (boxo, `merkledag`).
      if (isComputed(format.hash)) {
        const change: DirectoryChange = (directory) => void (directory.format = format)
        await files.change(path.split('/'), change).catch((error: unknown) => {
          // Kubo finds out when it flushes the directory.
          if (options.flush || !(error instanceof InsecureHashError)) throw error
        })
      }
    }
    // Kubo then flushes the parent directory, which is `.` for a path without a leading slash.
    if (options.flush && !arg.startsWith('/')) throw new FileNotFoundError()
    if (options.flush) {
      await files.flushPath(path)
      await files.flushPath(path.split('/').slice(0, -1).join('/'))
    }
    return nothing()
  },
})

function withoutOuterSlashes(path: string): string {
  return trimBoth(path, '/')
}

/** Looks up a path taken literally: no entry is named `..`, and none has an empty name. */
async function lookUpLiterally(files: MutableFiles, path: string): Promise<UnixfsEntry> {
  const segments = path.split('/')
  const nameless = segments.findIndex((segment) => segment === '' || segment === '.' || segment === '..')
  if (nameless < 0) return files.lookUp(path)
  const above = await files.lookUp(segments.slice(0, nameless).join('/'))
  if (above.type === 'directory') throw new FileNotFoundError()
  throw new FileNetworkError(`cannot access ${segments.slice(0, nameless + 1).join('/')}: Not a directory`)
}
