import { constants, copyFileSync, linkSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createDirectory } from '../directories.js'

/** Locks and LevelDB's info logs, which belong to a process rather than to the data. */
const ofProcess = /(^|\/)(lock(\..*)?|LOCK|LOG|LOG\.old)$/
/** Files that are immutable once written, or while they have another name (see hasOtherNames). */
const shareable = /\.(ldb|rec|blocks)$/

/**
 * The file that makes a directory a data directory. It is copied last, so that a partial copy does not count as one.
 */
export const DATA_MANIFEST = 'manifest.json'

/** Returns the data files of a data directory: relative paths with slashes, in order. */
export function dataFiles(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((name) => !ofProcess.test(name) && !isEmptyLog(directory, name))
  return [...names.filter((name) => name !== DATA_MANIFEST).sort(), ...names.filter(isDataManifest)]
}

function isDataManifest(name: string): boolean {
  return name === DATA_MANIFEST
}

/** Returns whether a file is a write-ahead file with nothing for LevelDB. */
function isEmptyLog(directory: string, name: string): boolean {
  return /(^|\/)write-ahead-\d+\.log$/.test(name) && statSync(join(directory, name)).size === 0
}

/**
 * Copies the files of one data directory to another. Immutable ones get a second name, which takes neither time nor
 * space.
 *
 * @param options.share - whether second names may be used; otherwise everything is copied
 */
export function copyData(
  from: string,
  to: string,
  names: readonly string[],
  { share }: { share: boolean },
): void {
  const created = new Set<string>()
  for (const name of names) {
    const target = join(to, name)
    const parent = dirname(target)
    if (!created.has(parent)) createDirectory(parent)
    created.add(parent)
    if (!share || !shareable.test(name) || !link(join(from, name), target)) {
      copyFileSync(join(from, name), target, constants.COPYFILE_FICLONE)
    }
  }
}

/**
 * Gives a file a second name. @returns false if the file system does not support it, or the paths are on different
 * ones
 */
function link(path: string, name: string): boolean {
  try {
    linkSync(path, name)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'].includes(code)) return false
    throw error
  }
}

/** Removes the files of an unfinished copy from a directory. */
export function removeData(directory: string): void {
  for (const name of [DATA_MANIFEST, 'chain', 'files']) {
    rmSync(join(directory, name), { recursive: true, force: true })
  }
}

/** Returns which files LevelDB currently uses. It changes when another process opens the directory. */
export function versionOf(directory: string): string {
  return ['chain/leveldb', 'chain/nodes', 'files/index']
    .map((name) => {
      try {
        return readFileSync(join(directory, name, 'CURRENT'), 'utf8')
      } catch {
        return ''
      }
    })
    .join()
}
