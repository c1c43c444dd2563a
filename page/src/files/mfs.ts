import type { FileQuery } from '../api/files.js'
import { readFiles } from '../api/files.js'
import { beginRead, takeRead } from '../api/firstReads.js'

/** An entry of an MFS directory. */
export interface Entry {
  Name: string
  /** 0 is a file, 1 a directory. */
  Type: number
  Size: number
  /** CID; empty while only the name is known. */
  Hash: string
}

/** Whether more than the entry's name is known. */
export function isKnown({ Hash }: Pick<Entry, 'Hash'>): boolean {
  return Hash !== ''
}

/** Whether an entry is a directory. */
export function isDirectory({ Type }: Pick<Entry, 'Type'>): boolean {
  return Type === 1
}

/** Ongoing reads by path, which the tree and the table share. */
const reading = new Map<string, Promise<Entry[]>>()

/** Ongoing reads of names only, by path. */
const naming = new Map<string, Promise<Entry[]>>()

/** Reads the entries of a directory, subdirectories first. */
export function readDirectory(path: string): Promise<Entry[]> {
  const known = reading.get(path)
  if (known !== undefined) return known
  const entries = readEntries(path).finally(() => reading.delete(path))
  reading.set(path, entries)
  return entries
}

/** Reads only the names in a directory, which is fast because the node does not read the entries' blocks. */
export function readNames(path: string): Promise<Entry[]> {
  const names = takeRead(`names ${path}`, () => list({ arg: path })).finally(() => naming.delete(path))
  naming.set(path, names)
  return names
}

/** Starts the first read of the directory view. */
export function beginDirectory(names: readonly string[]): void {
  const path = joinPath(names)
  beginRead(`names ${path}`, () => list({ arg: path }))
}

async function readEntries(path: string): Promise<Entry[]> {
  // Waits for the names: concurrent reads would share the node's time and delay them.
  await naming.get(path)?.catch(() => undefined)
  return list({ arg: path, long: true })
}

async function list(query: FileQuery): Promise<Entry[]> {
  const { Entries } = await readFiles<{ Entries: Entry[] | null }>('files/ls', query)
  return (Entries ?? []).sort((a, b) => b.Type - a.Type || (a.Name < b.Name ? -1 : 1))
}

/** Joins names to an MFS path, such as `/a/b`. */
export function joinPath(names: readonly string[]): string {
  return `/${names.join('/')}`.replace(/\/+/g, '/')
}

/** Route of a directory. */
export function placeOf(names: readonly string[]): string {
  return ['files/mfs', ...names.map(encodeURIComponent)].join('/')
}
