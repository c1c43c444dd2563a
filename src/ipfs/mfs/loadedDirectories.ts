import type { UnixfsEntry } from '../unixfs/entry.js'
import { isShardedEntry } from '../unixfs/readDirectory.js'
import type { ShardedState } from './directoryEdit.js'
import { cleanSegments } from './filesPath.js'

/** What Kubo has in memory of a directory. */
export interface LoadedDirectory extends ShardedState {
  labelled: Set<string>
  /** Entries that were looked up, and are stored again with the directory. */
  entries: Set<string>
}

/** Maximum number of directories whose state in Kubo's memory is tracked. */
const MAX_DIRECTORIES = 1000
/** Maximum number of entries tracked in one of them. */
export const MAX_ENTRIES = 1000
/** Maximum length of their names together, in characters: a name may have megabytes. */
const MAX_CHARACTERS = 16 * 1024 * 1024
/** Maximum number of sharded directories known to be too large for one block. */
const MAX_LARGE_DIRECTORIES = 1000

/** Returns the state of a directory that Kubo has just read. */
export function unread(): LoadedDirectory {
  return { growth: 0, isListed: false, labelled: new Set(), entries: new Set() }
}

/** Returns the key of a directory. */
export function keyOf(path: readonly string[]): string {
  return `/${path.join('/')}`
}

/** The directories that Kubo would have in memory, by path, if they change when they are stored again. */
export class LoadedDirectories extends Map<string, LoadedDirectory> {
  /** CIDs of sharded directories too large for one block. */
  readonly #large = new Set<string>()
  /** Characters of the names that were noted since all were forgotten. */
  #characters = 0

  override clear(): void {
    this.#characters = 0
    super.clear()
  }

  /** Notes an entry of a directory. */
  note(key: string, name: string): void {
    if (this.#characters + name.length > MAX_CHARACTERS) this.clear()
    const { entries } = this.at(key)
    if (entries.size >= MAX_ENTRIES || entries.has(name)) return
    this.#characters += name.length
    entries.add(name)
  }

  /** Returns the state of a directory, and starts to track it. */
  at(key: string): LoadedDirectory {
    const known = this.get(key)
    if (known !== undefined) return known
    if (this.size >= MAX_DIRECTORIES) this.clear()
    const loaded = unread()
    this.set(key, loaded)
    return loaded
  }

  /** Returns the directories at a path and below, the deepest first. */
  below(path: string): [string, LoadedDirectory][] {
    const top = keyOf(cleanSegments(path))
    const front = top === '/' ? top : `${top}/`
    return [...this]
      .filter(([key]) => key === top || key.startsWith(front))
      .sort(([a], [b]) => b.length - a.length)
  }

  /** Returns the directories above a path as segments, the deepest first. */
  above(path: string): string[][] {
    const key = keyOf(cleanSegments(path))
    return [...this.keys()]
      .filter((above) => above !== key && (above === '/' || key.startsWith(`${above}/`)))
      .sort((a, b) => b.length - a.length)
      .map(cleanSegments)
  }

  /** Whether a directory is sharded, but may fit one block. */
  mayBecomeBlock(entry: UnixfsEntry): boolean {
    return isShardedEntry(entry) && !this.#large.has(entry.cid.toString())
  }

  /** Notes that a sharded directory is too large for one block. */
  noteLarge({ cid }: UnixfsEntry): void {
    if (this.#large.size >= MAX_LARGE_DIRECTORIES) this.#large.clear()
    this.#large.add(cid.toString())
  }
}
