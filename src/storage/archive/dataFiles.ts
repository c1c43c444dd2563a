import { constants, copyFileSync, linkSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createDirectory } from '../directories.js'

/** Locks and LevelDB's diary, which belong to a process rather than to the data. */
const ofProcess = /(^|\/)(lock(\..*)?|LOCK|LOG|LOG\.old)$/
/** Files that do not change once they are written, or not while they have another name (see hasOtherNames). */
const shareable = /\.(ldb|rec|blocks)$/

/** The file that makes a directory a data directory; it comes last, so that half a copy is none. */
export const DATA_MANIFEST = 'manifest.json'

/** The files of a data directory that make up its data, by their names relative to it, with slashes, in order. */
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

/** A write-ahead file that has nothing for LevelDB. */
function isEmptyLog(directory: string, name: string): boolean {
  return /(^|\/)write-ahead-\d+\.log$/.test(name) && statSync(join(directory, name)).size === 0
}

/**
 * Makes the files of one data directory those of another: immutable ones under a second name, so that they take neither
 * time nor space, the others as copies.
 *
 * @param options.share - whether names are enough; without, everything is copied
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

/** Gives a file a second name. @returns false where the file system cannot, or they are two */
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

/** Takes the files of a copy that was not finished out of a directory. */
export function removeData(directory: string): void {
  for (const name of [DATA_MANIFEST, 'chain', 'files']) {
    rmSync(join(directory, name), { recursive: true, force: true })
  }
}

/** Which files LevelDB and the write-ahead log are at: another process that opens the directory changes it. */
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
