import { FileNetworkError } from '../../errors.js'
import { checkFilesPath, flushOption } from '../../mfs/filesPath.js'
import type { MutableFiles } from '../../mfs/mutableFiles.js'
import { bytes, defineCommand, pathArgument } from '../../request/command.js'
import { heldBack } from '../../request/heldBack.js'
import type { UnixfsEntry } from '../../unixfs/entry.js'
import { readRange } from '../../unixfs/readFile.js'

/** Looks up a path, prefixing errors with it like Kubo. */
async function lookUp(files: MutableFiles, path: string): Promise<UnixfsEntry> {
  try {
    return await files.lookUp(path)
  } catch (error) {
    throw error instanceof FileNetworkError ? new FileNetworkError(`${path}: ${error.message}`) : error
  }
}

/** `files/read`: returns the content of a mutable file. */
export const filesRead = defineCommand({
  description: 'Read a file in MFS.',
  arguments: [pathArgument('path', 'File.')],
  options: {
    ...flushOption,
    offset: { type: 'int64', aliases: ['o'], description: 'Byte offset to start at.' },
    count: { type: 'int64', aliases: ['n'], description: 'Maximum number of bytes to send.' },
  },
  async run({ args: [arg = ''], options }, { files, blockstore }) {
    const path = checkFilesPath(arg)
    const entry = await lookUp(files, path)
    if (entry.type === 'directory') throw new FileNetworkError(`${path} was not a file`)
    if (entry.type === 'symlink') throw new FileNetworkError('symlinks not yet supported')
    const [offset, count] = [Number(options.offset ?? 0), Number(options.count ?? Infinity)]
    if (offset < 0) throw new FileNetworkError('cannot specify negative offset')
    if (offset > entry.size) {
      throw new FileNetworkError(`offset was past end of file (${options.offset} > ${entry.size})`)
    }
    if (count < 0) throw new FileNetworkError("cannot specify negative 'count'")
    const range = { start: offset, end: Math.min(entry.size, offset + count) }
    return bytes(heldBack(readRange(blockstore, entry, range)), { reusesBuffer: true })
  },
})
