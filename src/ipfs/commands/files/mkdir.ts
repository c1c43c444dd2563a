import {
  checkFilesPath,
  cidFormatOptions,
  cleanSegments,
  flushOption,
  readCidFormat,
} from '../../mfs/filesPath.js'
import { defineCommand, nothing, pathArgument } from '../../request/command.js'

/** `files/mkdir`: creates a mutable directory. */
export const filesMkdir = defineCommand({
  description: 'Create an MFS directory.',
  arguments: [pathArgument('path', 'Directory.')],
  options: {
    ...flushOption,
    parents: {
      type: 'bool',
      aliases: ['p'],
      description: "Create missing parent directories; don't fail if the directory exists.",
    },
    ...cidFormatOptions,
  },
  async run({ args: [arg = ''], options }, { files, filesSettings }) {
    const path = checkFilesPath(arg)
    const segments = cleanSegments(path)
    await files.makeDirectory(segments, {
      parents: options.parents === true,
      format: (await readCidFormat(options)) ?? filesSettings.cid,
    })
    await files.lookUp(path)
    if (options.flush && segments.length > 0) await files.flush(path)
    return nothing()
  },
})
