import { cleanSegments } from '../../cleanSegments.js'
import { FileNetworkError } from '../../errors.js'
import { cidFormatOptions, flushOption, readCidFormat } from '../../mfs/cidFormatOptions.js'
import { checkFilesPath } from '../../mfs/filesPath.js'
import { defineCommand } from '../../request/command.js'
import { nothing } from '../../request/output.js'

/** `files/chcid`: changes the CID format of a mutable directory, and of what will be made in it. */
export const filesChcid = defineCommand({
  description: 'Change the CID format of a mutable directory.',
  arguments: [
    { name: 'path', kind: 'string', required: false, variadic: false, description: 'Default: the root.' },
  ],
  options: { ...flushOption, ...cidFormatOptions },
  async run({ args: [arg = '/'], options }, { files }) {
    const path = checkFilesPath(arg)
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
