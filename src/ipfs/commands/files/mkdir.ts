import { cleanSegments } from '../../cleanSegments.js'
import type { CidFormat } from '../../cid/makeCid.js'
import { FileNetworkError } from '../../errors.js'
import { cidFormatOptions, flushOption, readCidFormat } from '../../mfs/cidFormatOptions.js'
import { checkFilesPath } from '../../mfs/filesPath.js'
import { sessionWriter } from '../../mfs/directoryEdit.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, pathArgument } from '../../request/command.js'
import { nothing } from '../../request/output.js'
import { unixfsType } from '../../unixfs/data.js'
import type { UnixfsMetadata } from '../../unixfs/data.js'
import { loadEntry } from '../../unixfs/entry.js'
import { writeNode } from '../../unixfs/node.js'

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
  async run({ args: [arg = ''], options }, network) {
    const segments = cleanSegments(checkFilesPath(arg))
    const name = segments.pop()
    const parents = options.parents === true
    if (name === undefined) {
      if (parents) return nothing()
      throw new FileNetworkError("cannot create directory '/': Already exists")
    }
    const { mtime, 'mtime-nsecs': nanoseconds = 0 } = options
    await makeDirectory(network, {
      parent: segments,
      name,
      parents,
      format: await readCidFormat(options),
      metadata: {
        mode: options.mode === undefined ? undefined : parseMode(options.mode),
        modified: mtime ? { seconds: BigInt(mtime), nanoseconds } : undefined,
      },
    })
    return nothing()
  },
})

async function makeDirectory(
  { files, blockstore }: NetworkContext,
  options: {
    parent: string[]
    name: string
    parents: boolean
    format: CidFormat | undefined
    metadata: UnixfsMetadata
  },
): Promise<void> {
  const { parent, name, parents, format, metadata } = options
  await files.change(
    parent,
    async (directory, session) => {
      const existing = directory.links.get(name)
      if (existing) {
        const isDirectory = (await loadEntry(blockstore, existing.cid)).type === 'directory'
        if (parents && isDirectory) return
        throw new FileNetworkError('file already exists')
      }
      const writer = sessionWriter(format ?? directory.format, session)
      const node = await writeNode(writer, { ...metadata, type: unixfsType.directory, blockSizes: [] })
      await writer.stored()
      directory.links.set(name, { ...node, name })
    },
    parents ? { format } : undefined,
  )
}

function parseMode(text: string): number {
  if (/^0*[0-7]{1,4}$/.test(text)) return Number.parseInt(text, 8)
  throw new FileNetworkError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
}
