import {
  type CidFormat,
  type HashFunction,
  UnregisteredHashError,
  hashFunctionByName,
} from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import type { OptionSpecs } from '../request/command.js'

/**
 * Cleans a path in the mutable files; keeps a trailing slash.
 *
 * @throws {@link FileNetworkError} with Kubo's message for an empty or relative path
 */
export function checkFilesPath(path: string): string {
  if (path === '') throw new FileNetworkError('paths must not be empty')
  if (!path.startsWith('/')) throw new FileNetworkError('paths must start with a leading slash')
  return cleanPath(path)
}

/** Cleans an absolute path; keeps a trailing slash. */
export function cleanPath(path: string): string {
  const cleaned = `/${cleanSegments(path).join('/')}`
  return path.endsWith('/') && path !== '/' ? `${cleaned}/` : cleaned
}

/** Splits a cleaned path into the segments of its directory and the name in it (empty after a trailing slash). */
export function splitPath(path: string): { directory: string[]; name: string } {
  const slash = path.lastIndexOf('/')
  return { directory: cleanSegments(path.slice(0, slash)), name: path.slice(slash + 1) }
}

/** Splits a path into segments, resolving `.` and `..` without leaving the root. */
export function cleanSegments(path: string): string[] {
  const segments = path.split('/')
  // In place: another list takes three times as long, and there may be half a million segments.
  let length = 0
  for (const segment of segments) {
    if (segment === '..') length = Math.max(0, length - 1)
    else if (segment !== '' && segment !== '.') segments[length++] = segment
  }
  segments.length = length
  return segments
}

/** Options of the mutable files that choose CID formats (Kubo, `getPrefix`). */
export const cidFormatOptions = {
  'cid-version': { type: 'int', aliases: ['cid-ver'], description: 'CID version.' },
  hash: { type: 'string', description: 'Hash function; implies version 1.' },
} as const satisfies OptionSpecs

/** Returns the requested CID format, if any. */
export async function readCidFormat(options: {
  'cid-version': number | undefined
  hash: string | undefined
}): Promise<CidFormat | undefined> {
  const { 'cid-version': given, hash: name } = options
  if (given === undefined && name === undefined) return undefined
  const version = name !== undefined && (given ?? 0) === 0 ? 1 : (given ?? 0)
  if (version !== 0 && version !== 1) throw new FileNetworkError(`unknown CID version: ${version}`)
  const hash = await hashFunctionByName((name ?? 'sha2-256').toLowerCase())
  return { version, hash: { ...hash, digest: (bytes) => digestOrReason(hash, bytes) } }
}

/** Hashes bytes; if the function cannot be computed, the error gives only the reason. */
function digestOrReason(hash: HashFunction, bytes: Uint8Array): Uint8Array {
  try {
    return hash.digest(bytes)
  } catch (error) {
    throw error instanceof UnregisteredHashError ? new FileNetworkError(error.reason) : error
  }
}

/**
 * The option of all operations on the mutable files. Every change is stored immediately either way; a flush only
 * decides when a sharded directory that fits a block becomes one, as in Kubo.
 */
export const flushOption = {
  flush: {
    type: 'bool',
    aliases: ['f'],
    default: true,
    inherited: true,
    description: 'Turn sharded directories that fit a block into one. Changes are always stored immediately.',
  },
} as const satisfies OptionSpecs
