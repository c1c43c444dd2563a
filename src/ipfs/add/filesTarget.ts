import type { CID } from 'multiformats/cid'
import { errorText, FileNetworkError } from '../errors.js'
import { checkFilesPath } from '../mfs/filesPath.js'
import type { NetworkContext } from '../networkContext.js'
import type { UploadEntry } from '../request/upload.js'

/** Where in the mutable files the roots of an `add` are put. */
export interface FilesTarget {
  put(entry: UploadEntry, cid: CID): Promise<void>
}

/** The target for the option `to-files` (Kubo, `core/commands/add.go`). */
export function createFilesTarget({ files }: Pick<NetworkContext, 'files'>, path: string): FilesTarget {
  let filesPut = 0
  const fail = (reason: string): never => {
    throw new FileNetworkError(`to-files: ${reason}`)
  }
  return {
    async put(entry, cid) {
      if (entry.name === '') fail('cannot add unnamed files to MFS')
      const target = checkTarget(path === '' ? '/' : path)
      const isDirectory = target.endsWith('/')
      if (isDirectory) await checkDirectory(target)
      if (filesPut > 0 && !isDirectory) {
        fail(`MFS destination is a file: only one entry can be copied to ${JSON.stringify(target)}`)
      }
      const destination = isDirectory ? target + entry.name : target
      try {
        await files.put(destination, cid)
      } catch (error) {
        fail(`cannot put node in path ${JSON.stringify(destination)}: ${errorText(error)}`)
      }
      filesPut++
    },
  }

  function checkTarget(text: string): string {
    try {
      return checkFilesPath(text)
    } catch (error) {
      return fail(errorText(error))
    }
  }

  async function checkDirectory(target: string): Promise<void> {
    const quoted = JSON.stringify(target)
    const entry = await files.lookUp(target).catch((error: unknown) => {
      return fail(`MFS destination directory ${quoted} does not exist: ${errorText(error)}`)
    })
    if (entry.type !== 'directory') fail(`MFS destination ${quoted} is not a directory`)
  }
}
