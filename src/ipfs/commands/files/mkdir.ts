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
  description: 'Make a mutable directory.',
  arguments: [pathArgument('path', 'The directory.')],
  options: {
    ...flushOption,
    parents: { type: 'bool', aliases: ['p'], description: 'Also those above it; no error if it exists.' },
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
