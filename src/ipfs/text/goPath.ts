import { FileNetworkError } from '../errors.js'

/** The most segments of a path that is cleaned: far above real ones, yet cleaned in a few milliseconds. */
const MAX_SEGMENTS = 65_536

/**
 * Returns a path without empty, `.` and `..` segments where possible (Go, `path.Clean`). Node's `normalize` copies the
 * path for each `..`.
 *
 * @throws {@link FileNetworkError} for a path of too many segments
 */
export function goCleanPath(path: string): string {
  checkSegments(path)
  const isAbsolute = path.startsWith('/')
  const segments = path.split('/')
  let length = 0
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments[length++] = segment
    else if (length > 0 && segments[length - 1] !== '..') length--
    else if (!isAbsolute) segments[length++] = segment
  }
  segments.length = length
  const clean = segments.join('/')
  if (isAbsolute) return `/${clean}`
  return clean === '' ? '.' : clean
}

function checkSegments(path: string): void {
  let count = 1
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    if (++count > MAX_SEGMENTS) throw new FileNetworkError(`a path of more than ${MAX_SEGMENTS} segments`)
  }
}
