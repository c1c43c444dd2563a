import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError, FileNotFoundError } from '../../errors.js'
import { checkFilesPath, flushOption, splitPath } from '../../mfs/filesPath.js'
import { loadChild } from '../../mfs/mutableFiles.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, pathArguments, values } from '../../request/command.js'

/** `files/rm`: removes mutable files. Each that cannot be removed gets a line with the error, like Kubo. */
export const filesRm = defineCommand({
  description: 'Remove files from MFS.',
  arguments: [pathArguments('path', 'Files.')],
  options: {
    ...flushOption,
    recursive: { type: 'bool', aliases: ['r'], description: 'Also remove directories.' },
    force: { type: 'bool', description: "Remove files and directories; don't fail if one is missing." },
  },
  run({ args, options }, network) {
    if (!options.flush) {
      throw new FileNetworkError(
        'files rm always flushes for safety. The --flush flag cannot be set to false for this command',
      )
    }
    const rule = { recursive: options.recursive === true, force: options.force === true }
    return values(
      (async function* () {
        let failures = 0
        for (const arg of args) {
          const problem = await tryToRemove(network, arg, rule)
          if (problem === undefined) continue
          failures++
          yield problem
        }
        if (failures > 0) throw new FileNetworkError("can't remove some files")
      })(),
    )
  },
})

interface RemovalRule {
  recursive: boolean
  force: boolean
}

/** @returns the error, if any */
async function tryToRemove(
  network: NetworkContext,
  arg: string,
  rule: RemovalRule,
): Promise<string | undefined> {
  let path: string
  try {
    path = checkFilesPath(arg)
  } catch (error) {
    return `${arg} is not a valid path: ${errorText(error)}`
  }
  try {
    await removeFile(network, path.replace(/\/$/, ''), rule)
    return undefined
  } catch (error) {
    return `${path}: ${errorText(error)}`
  }
}

async function removeFile(
  { files, blockstore }: NetworkContext,
  path: string,
  rule: RemovalRule,
): Promise<void> {
  if (path === '') throw new FileNetworkError('cannot delete root')
  const { directory, name } = splitPath(path)
  try {
    if ((await files.lookUp(directory.join('/'))).type !== 'directory') {
      throw new FileNetworkError("expected *mfs.Directory, didn't get it. This is likely a race condition")
    }
    // Kubo loads what it removes unless it is told not to ask.
    if (!rule.force) await files.lookUp(path).catch(() => undefined)
    await files.change(directory, async ({ links }) => {
      const link = await links.get(name)
      if (link === undefined) throw new FileNotFoundError()
      if (!rule.force && !rule.recursive && (await loadChild(blockstore, link.cid)).type === 'directory') {
        throw new FileNetworkError('path is a directory, use -r to remove directories')
      }
      links.delete(name)
    })
    await files.flush(directory.join('/'))
  } catch (error) {
    // What is not removed was looked up.
    await files.lookUp(path).catch(() => undefined)
    if (!rule.force || !(error instanceof FileNotFoundError)) throw error
  }
}
