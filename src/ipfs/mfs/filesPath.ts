import { FileNetworkError } from '../errors.js'

/**
 * Cleans a path of the mutable files; a slash at the end stays.
 *
 * @throws {@link FileNetworkError} with Kubo's text when it is empty or not absolute
 */
export function checkFilesPath(path: string): string {
  if (path === '') throw new FileNetworkError('paths must not be empty')
  if (!path.startsWith('/')) throw new FileNetworkError('paths must start with a leading slash')
  const cleaned = `/${cleanSegments(path).join('/')}`
  return path.endsWith('/') && path !== '/' ? `${cleaned}/` : cleaned
}

/** A cleaned path in two: the segments of the directory, and the name in it (empty after a slash). */
export function splitPath(path: string): { directory: string[]; name: string } {
  const slash = path.lastIndexOf('/')
  return { directory: cleanSegments(path.slice(0, slash)), name: path.slice(slash + 1) }
}

/** The segments of a path, `.` and `..` resolved without leaving the root. */
export function cleanSegments(path: string): string[] {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}
