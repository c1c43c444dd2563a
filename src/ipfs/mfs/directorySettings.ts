import type { DirectorySettings } from '../unixfs/settings.js'
import { keyOf } from './loadedDirectories.js'

/** Maximum number of directories with settings of their own. */
const MAX_DIRECTORIES = 1000

/**
 * The settings with which mutable directories are sharded. As in Kubo, they are those of its start. A directory that
 * was created while others were configured has these, and so have the directories below it, until a directory above is
 * flushed (boxo, `mfs/option.go`).
 */
export class MutableDirectorySettings {
  readonly #started: DirectorySettings
  readonly #created = new Map<string, DirectorySettings>()

  constructor(started: DirectorySettings) {
    this.#started = started
  }

  /** Returns the settings of the directory at a path. */
  at(path: readonly string[]): DirectorySettings {
    const key = keyOf(path)
    let nearest = ''
    for (const above of this.#created.keys()) {
      const isAbove = above.length > nearest.length && (key === above || key.startsWith(`${above}/`))
      if (isAbove) nearest = above
    }
    return this.#created.get(nearest) ?? this.#started
  }

  /** Notes that a directory was created. Its fanout is always that of the start, and so is an unset limit of links. */
  noteCreated(path: readonly string[], { estimation, shardThreshold, maxLinks }: DirectorySettings): void {
    const { fanout, maxLinks: startedLinks } = this.#started
    const settings = {
      estimation,
      shardThreshold,
      fanout,
      maxLinks: maxLinks === 0 ? startedLinks : maxLinks,
    }
    const above = this.at(path.slice(0, -1))
    this.#created.delete(keyOf(path))
    if (isSame(settings, above)) return
    if (this.#created.size >= MAX_DIRECTORIES) this.#created.clear()
    this.#created.set(keyOf(path), settings)
  }

  /** Forgets the settings of directories below one that is flushed. */
  forgetBelow(key: string): void {
    const front = key === '/' ? key : `${key}/`
    for (const created of this.#created.keys()) if (created.startsWith(front)) this.#created.delete(created)
  }

  /** Forgets the settings of a directory that is removed, and of those below it. */
  forget(key: string): void {
    this.#created.delete(key)
    this.forgetBelow(key)
  }
}

function isSame(a: DirectorySettings, b: DirectorySettings): boolean {
  return a.estimation === b.estimation && a.shardThreshold === b.shardThreshold && a.maxLinks === b.maxLinks
}
