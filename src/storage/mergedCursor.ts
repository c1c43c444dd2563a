import type { Cursor } from './cursor.js'
import type { Entry, Walk } from './walk.js'
import { type Change, firstNotBefore, keyBytes, keyString } from './memTable.js'

/** Parts of a merged walk. */
export interface MergedCursorParts {
  /** Must have no limit of its own: it still contains entries that were removed since. */
  level: Cursor
  /** Changes of the same range that have not reached LevelDB, newest list first, each in key order. */
  changes: readonly (readonly Change[])[]
  reverse: boolean
  /** Unlimited if undefined. */
  limit: number | undefined
}

/** Walk over a snapshot of LevelDB and of the changes that have not reached it. */
export class MergedCursor implements Walk {
  readonly #level: Cursor
  readonly #newer: readonly ChangeWalk[]
  readonly #reverse: boolean
  #remaining: number
  /** LevelDB's next entry; undefined at the end. */
  #head: Entry | undefined
  #headName: string | undefined
  #isHeadRead = false

  constructor({ level, changes, reverse, limit = Infinity }: MergedCursorParts) {
    this.#level = level
    this.#newer = changes.map((list) => (reverse ? new BackwardWalk(list) : new ForwardWalk(list)))
    this.#reverse = reverse
    this.#remaining = limit
  }

  async next(): Promise<Entry | undefined> {
    while (this.#remaining > 0) {
      if (!this.#isHeadRead) await this.#readHead()
      const name = this.#firstName()
      if (name === undefined) return undefined
      const value = this.#take(name)
      if (value === null) continue
      this.#remaining--
      return [keyBytes(name), value]
    }
    return undefined
  }

  seek(key: Uint8Array): void {
    const name = keyString(key)
    for (const walk of this.#newer) walk.seek(name)
    if (this.#isHeadRead && (this.#headName === undefined || !this.#isBefore(this.#headName, name))) return
    this.#level.seek(key)
    this.#isHeadRead = false
  }

  async close(): Promise<void> {
    await this.#level.close()
  }

  async #readHead(): Promise<void> {
    this.#head = await this.#level.next()
    this.#headName = this.#head && keyString(this.#head[0])
    this.#isHeadRead = true
  }

  #firstName(): string | undefined {
    let first = this.#headName
    for (const { current } of this.#newer) {
      if (current !== undefined && (first === undefined || this.#isBefore(current.name, first)))
        first = current.name
    }
    return first
  }

  /** Moves past a key and returns its newest value. */
  #take(name: string): Uint8Array | null {
    let value: Uint8Array | null | undefined
    for (const walk of this.#newer) {
      if (walk.current?.name !== name) continue
      if (value === undefined) value = walk.current.value
      walk.advance()
    }
    if (this.#headName === name) {
      if (value === undefined) value = this.#head?.[1]
      this.#isHeadRead = false
    }
    return value ?? null
  }

  #isBefore(a: string, b: string): boolean {
    return this.#reverse ? a > b : a < b
  }
}

/** Position in a list of changes. */
interface ChangeWalk {
  /** Undefined at the end. */
  readonly current: Change | undefined
  advance(): void
  /** Advances to the first change that is not before `name` in walking direction; never goes back. */
  seek(name: string): void
}

class ForwardWalk implements ChangeWalk {
  readonly #changes: readonly Change[]
  #position = 0

  constructor(changes: readonly Change[]) {
    this.#changes = changes
  }

  get current(): Change | undefined {
    return this.#changes[this.#position]
  }

  advance(): void {
    this.#position++
  }

  seek(name: string): void {
    this.#position = firstNotBefore(this.#changes, name, this.#position)
  }
}

class BackwardWalk implements ChangeWalk {
  readonly #changes: readonly Change[]
  #position: number

  constructor(changes: readonly Change[]) {
    this.#changes = changes
    this.#position = changes.length - 1
  }

  get current(): Change | undefined {
    return this.#changes[this.#position]
  }

  advance(): void {
    this.#position--
  }

  seek(name: string): void {
    const next = firstNotBefore(this.#changes, name)
    const target = this.#changes[next]?.name === name ? next : next - 1
    this.#position = Math.min(this.#position, target)
  }
}
