import type { FileQuery } from '../api/files.js'
import { readFiles } from '../api/files.js'
import { beginRead, takeRead } from '../api/firstReads.js'

/** An entry of a directory of the mutable files. */
export interface Entry {
  Name: string
  /** 0 is a file, 1 a directory. */
  Type: number
  Size: number
  /** Its CID; empty while no more than its name is known. */
  Hash: string
}

/** Whether more than its name is known. */
export function isKnown({ Hash }: Pick<Entry, 'Hash'>): boolean {
  return Hash !== ''
}

/** Whether an entry is a directory. */
export function isDirectory({ Type }: Pick<Entry, 'Type'>): boolean {
  return Type === 1
}

/** Reads under way, by path: the tree and the table ask for the same directory at the same time. */
const reading = new Map<string, Promise<Entry[]>>()

/** Reads of names alone that are under way, by path. */
const naming = new Map<string, Promise<Entry[]>>()

/** Entries of a directory, directories first. */
export function readDirectory(path: string): Promise<Entry[]> {
  const known = reading.get(path)
  if (known !== undefined) return known
  const entries = readEntries(path).finally(() => reading.delete(path))
  reading.set(path, entries)
  return entries
}

/** Names alone of the entries of a directory: the node reads no block of theirs, so that they are there at once. */
export function readNames(path: string): Promise<Entry[]> {
  const names = takeRead(`names ${path}`, () => list({ arg: path })).finally(() => naming.delete(path))
  naming.set(path, names)
  return names
}

/** Begins to read what the view of a directory shows at first. */
export function beginDirectory(names: readonly string[]): void {
  const path = joinPath(names)
  beginRead(`names ${path}`, () => list({ arg: path }))
}

async function readEntries(path: string): Promise<Entry[]> {
  // The node would give turns to both, and the names would be there little sooner than the sizes.
  await naming.get(path)?.catch(() => undefined)
  return list({ arg: path, long: true })
}

async function list(query: FileQuery): Promise<Entry[]> {
  const { Entries } = await readFiles<{ Entries: Entry[] | null }>('files/ls', query)
  return (Entries ?? []).sort((a, b) => b.Type - a.Type || (a.Name < b.Name ? -1 : 1))
}

/** A path of the mutable files: `/a/b`. */
export function joinPath(names: readonly string[]): string {
  return `/${names.join('/')}`.replace(/\/+/g, '/')
}

/** Where the page shows a directory. */
export function placeOf(names: readonly string[]): string {
  return ['files/mfs', ...names.map(encodeURIComponent)].join('/')
}
