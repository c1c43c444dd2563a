import { FileNetworkError } from '../../errors.js'
import { cidFormatOptions, flushOption, readCidFormat } from '../../mfs/options.js'
import { checkFilesPath, cleanSegments } from '../../mfs/filesPath.js'
import { defineCommand, nothing, pathArgument, single } from '../../request/command.js'

/** `files/flush`: the CID of a mutable file or directory, which is stored in any case. */
export const filesFlush = defineCommand({
  description: 'Flush a mutable path.',
  arguments: [
    { name: 'path', kind: 'string', required: false, variadic: false, description: 'Default: the root.' },
  ],
  options: { ...flushOption },
  async run({ args: [arg = '/'], encodeCid }, { files }) {
    const entry = await files.lookUp(checkFilesPath(arg))
    return single({ Cid: encodeCid(entry.cid) })
  },
})

/** `files/chcid`: changes the CID format of a mutable directory, and of what will be made in it. */
export const filesChcid = defineCommand({
  description: 'Change the CID format of a mutable directory.',
  arguments: [pathArgument('path', 'The directory; not the root.')],
  options: { ...flushOption, ...cidFormatOptions },
  async run({ args: [arg = ''], options }, { files }) {
    const path = checkFilesPath(arg)
    if (cleanSegments(path).length === 0) {
      throw new FileNetworkError(
        "cannot change CID format of the MFS root; use 'ipfs config Import.CidVersion' and 'ipfs config Import.HashFunction' instead",
      )
    }
    const format = await readCidFormat(options)
    if (format === undefined) return nothing()
    if ((await files.lookUp(path)).type !== 'directory') {
      throw new FileNetworkError('can only update directories')
    }
    await files.change(cleanSegments(path), (directory) => {
      directory.format = format
    })
    return nothing()
  },
})
