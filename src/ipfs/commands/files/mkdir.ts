import { cidFormatOptions, flushOption, readCidFormat } from '../../mfs/options.js'
import { checkFilesPath, cleanSegments, parseMode } from '../../mfs/filesPath.js'
import { defineCommand, nothing, pathArgument } from '../../request/command.js'

/** `files/mkdir`: makes a mutable directory. */
export const filesMkdir = defineCommand({
  description: 'Make a mutable directory.',
  arguments: [pathArgument('path', 'The directory.')],
  options: {
    ...flushOption,
    parents: { type: 'bool', aliases: ['p'], description: 'Also those above it; no error if it exists.' },
    mode: { type: 'string', description: 'Mode to store with it, in octal.' },
    mtime: { type: 'int64', description: 'Time to store with it, in seconds.' },
    'mtime-nsecs': { type: 'uint', description: 'Nanoseconds to go with `mtime`.' },
    ...cidFormatOptions,
  },
  async run({ args: [arg = ''], options }, { files }) {
    const { mtime, 'mtime-nsecs': nanoseconds = 0 } = options
    await files.makeDirectory(cleanSegments(checkFilesPath(arg)), {
      parents: options.parents === true,
      format: await readCidFormat(options),
      metadata: {
        mode: options.mode === undefined ? undefined : parseMode(options.mode),
        modified: mtime ? { seconds: BigInt(mtime), nanoseconds } : undefined,
      },
    })
    return nothing()
  },
})
