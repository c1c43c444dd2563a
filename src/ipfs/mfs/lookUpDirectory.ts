import { FileNetworkError } from '../errors.js'
import type { UnixfsEntry } from '../unixfs/entry.js'
import type { MutableFiles } from './mutableFiles.js'

/**
 * The mutable directory at a path.
 *
 * @throws {@link FileNetworkError} with Kubo's text when something else is there, or nothing
 */
export async function lookUpDirectory(
  files: Pick<MutableFiles, 'lookUp'>,
  path: string[],
): Promise<UnixfsEntry> {
  const entry = await files.lookUp(path.join('/'))
  if (entry.type === 'directory') return entry
  throw new FileNetworkError(`/${path.join('/')}/ is not a directory`)
}
