import { flushOption } from '../../mfs/cidFormatOptions.js'
import { checkFilesPath } from '../../mfs/filesPath.js'
import { defineCommand } from '../../request/command.js'
import { single } from '../../request/output.js'

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
