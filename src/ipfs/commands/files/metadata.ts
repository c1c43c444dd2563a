import { formatOf } from '../../cid/cidFormat.js'
import { FileNetworkError } from '../../errors.js'
import { checkFilesPath, splitPath } from '../../mfs/filesPath.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, nothing, pathArgument } from '../../request/command.js'
import { type UnixfsMetadata, permissionsOf, unixfsTimeNow } from '../../unixfs/data.js'
import { createEditContext } from '../../unixfs/edit/editContext.js'
import { setMetadata } from '../../unixfs/edit/modify.js'
import { goQuote } from '../../text/goQuote.js'

/** `files/chmod`: sets the mode of a mutable file or directory. */
export const filesChmod = defineCommand({
  description: 'Change the mode of a file in MFS.',
  arguments: [pathArgument('mode', 'Mode, in octal.'), pathArgument('path', 'File or directory.')],
  options: {},
  async run({ args: [mode = '', path = ''] }, network) {
    await changeMetadata(network, checkFilesPath(path), { mode: permissionsOf(parseMode(mode)) ?? 0 })
    return nothing()
  },
})

/**
 * Parses a mode in octal.
 *
 * @throws {@link FileNetworkError} with the message of Go's `strconv.ParseInt`
 */
function parseMode(text: string): number {
  const mode = Number.parseInt(text, 8)
  const problem = !/^[+-]?[0-7]+$/.test(text)
    ? 'invalid syntax'
    : mode < -(2 ** 31) || mode >= 2 ** 31
      ? 'value out of range'
      : undefined
  if (problem === undefined) return mode
  throw new FileNetworkError(`strconv.ParseInt: parsing ${goQuote(text)}: ${problem}`)
}

/** `files/touch`: sets the time of a mutable file or directory; without `mtime`, to now. */
export const filesTouch = defineCommand({
  description: 'Change the modification time of a file in MFS.',
  arguments: [pathArgument('path', 'File or directory.')],
  options: {
    mtime: { type: 'int64', description: 'Modification time, in Unix seconds.' },
    'mtime-nsecs': { type: 'uint', description: 'Nanoseconds of `mtime`.' },
  },
  async run({ args: [path = ''], options }, network) {
    const { mtime = 0n, 'mtime-nsecs': nanoseconds = 0 } = options
    const seconds = mtime + BigInt(Math.floor(nanoseconds / 1e9))
    const modified = mtime === 0n ? unixfsTimeNow() : { seconds, nanoseconds: nanoseconds % 1e9 }
    await changeMetadata(network, checkFilesPath(path), { modified })
    return nothing()
  },
})

/** Sets the mode or time of the entry at a cleaned path in the mutable files; undefined keeps the old. */
async function changeMetadata(
  { files, blockstore }: Pick<NetworkContext, 'files' | 'blockstore'>,
  path: string,
  metadata: UnixfsMetadata,
): Promise<void> {
  const { directory, name } = splitPath(path.replace(/(?<=.)\/$/, ''))
  if (name === '') {
    await files.change([], (root) => {
      root.entry = { ...root.entry, ...definedOf(metadata) }
    })
    return
  }
  await files.pathMutex.run(path, async () => {
    const { cid } = await files.lookUpNode(path)
    const parent = await files.lookUp(directory.join('/'))
    const session = blockstore.openSession()
    try {
      const context = createEditContext(blockstore, session.put, await formatOf(parent.cid))
      const node = await setMetadata(context, cid, metadata)
      await context.stored()
      const rawLeaves = files.rawLeavesOf(path, cid)
      await files.change(directory, ({ links }) => void links.set({ ...node, name }))
      await files.update(directory.join('/'))
      files.noteFile(path, { cid: node.cid, rawLeaves })
      files.noteReading(path)
    } finally {
      session.end()
    }
  })
}

function definedOf({ mode, modified }: UnixfsMetadata): UnixfsMetadata {
  return { ...(mode !== undefined && { mode }), ...(modified && { modified }) }
}
