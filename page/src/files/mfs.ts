import { readFiles } from '../api/files.js'

/** An entry of a directory of the mutable files. */
export interface Entry {
  Name: string
  /** 0 is a file, 1 a directory. */
  Type: number
  Size: number
  Hash: string
}

/** Whether an entry is a directory. */
export function isDirectory({ Type }: Pick<Entry, 'Type'>): boolean {
  return Type === 1
}

/** Reads under way, by path: the tree and the table ask for the same directory at the same time. */
const reading = new Map<string, Promise<Entry[]>>()

/** Entries of a directory, directories first. */
export function readDirectory(path: string): Promise<Entry[]> {
  const known = reading.get(path)
  if (known !== undefined) return known
  const entries = readEntries(path).finally(() => reading.delete(path))
  reading.set(path, entries)
  return entries
}

async function readEntries(path: string): Promise<Entry[]> {
  const { Entries } = await readFiles<{ Entries: Entry[] | null }>('files/ls', { arg: path, long: true })
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
