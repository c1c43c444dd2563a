import { changeMetadata } from '../../mfs/changeMetadata.js'
import { checkFilesPath } from '../../mfs/filesPath.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { nothing } from '../../request/output.js'
import { unixfsTimeNow } from '../../unixfs/data.js'

/** `files/touch`: stores a time with a mutable file or directory; without `mtime`, that of the request. */
export const filesTouch = defineCommand({
  description: 'Change the modification time of a mutable file.',
  arguments: [pathArgument('path', 'The file or directory.')],
  options: {
    mtime: { type: 'int64', description: 'Time to store, in seconds since 1970.' },
    'mtime-nsecs': { type: 'uint', description: 'Nanoseconds to go with `mtime`.' },
  },
  async run({ args: [path = ''], options }, network) {
    const { mtime = 0, 'mtime-nsecs': nanoseconds = 0 } = options
    const modified = mtime === 0 ? unixfsTimeNow() : { seconds: BigInt(mtime), nanoseconds }
    await changeMetadata(network, checkFilesPath(path), { modified })
    return nothing()
  },
})
