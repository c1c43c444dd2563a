import { FileNetworkError } from '../../errors.js'
import { cidFormatOptions, flushOption, readCidFormat } from '../../mfs/cidFormatOptions.js'
import { checkFilesPath } from '../../mfs/filesPath.js'
import { writeFile } from '../../mfs/writeFile.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { nothing } from '../../request/output.js'
import type { Upload } from '../../request/upload.js'

/** `files/write`: writes into a mutable file. */
export const filesWrite = defineCommand({
  description: 'Write to a mutable file.',
  arguments: [
    pathArgument('path', 'The file.'),
    { name: 'data', kind: 'file', required: true, variadic: false, description: 'What to write.' },
  ],
  options: {
    ...flushOption,
    offset: { type: 'int64', aliases: ['o'], description: 'Where in the file to begin.' },
    create: { type: 'bool', aliases: ['e'], description: 'Make the file if there is none.' },
    parents: { type: 'bool', aliases: ['p'], description: 'Make the directories above it.' },
    truncate: { type: 'bool', aliases: ['t'], description: 'Empty the file first.' },
    count: { type: 'int64', aliases: ['n'], description: 'Bytes to take, at most.' },
    'raw-leaves': { type: 'bool', description: 'Store chunks as they are. Default: with version 1.' },
    ...cidFormatOptions,
  },
  async run({ args: [arg = ''], options, upload }, network) {
    const path = checkFilesPath(arg)
    const format = await readCidFormat(options)
    const { offset = 0, count } = options
    if (offset < 0) throw new FileNetworkError('cannot have negative write offset')
    if (count !== undefined && count < 0) throw new FileNetworkError('cannot have negative byte count')
    await writeFile(network, {
      path,
      content: firstFile(upload),
      offset,
      count: count ?? Infinity,
      create: options.create === true,
      parents: options.parents === true,
      truncate: options.truncate === true,
      rawLeaves: options['raw-leaves'],
      format,
    })
    return nothing()
  },
})

async function* firstFile(upload: Upload): AsyncGenerator<Uint8Array> {
  for await (const entry of upload.entries()) {
    if (entry.kind !== 'file') break
    yield* entry.content
    return
  }
  throw new FileNetworkError('expected a regular file')
}
