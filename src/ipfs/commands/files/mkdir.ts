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
    await files.makeDirectory(cleanSegments(path), {
      parents: options.parents === true,
      format: (await readCidFormat(options)) ?? filesSettings.cid,
    })
    if (options.flush) await files.flush(path)
    return nothing()
  },
})
