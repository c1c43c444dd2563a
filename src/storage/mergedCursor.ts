import type { Cursor } from './cursor.js'
import type { Entry, Walk } from './walk.js'
import { type Change, firstNotBefore, keyBytes, keyString } from './memTable.js'

/** What a merged walk is made of. */
export interface MergedCursorParts {
  /** Without a limit of its own: what was removed since stands in it still. */
  level: Cursor
  /** The changes of the same range that have not reached LevelDB, each list in the order of keys, newest first. */
  changes: readonly (readonly Change[])[]
  reverse: boolean
  /** Unlimited if undefined. */
  limit: number | undefined
}

/** A walk over LevelDB and what has not reached it, as both were when the walk was opened. */
export class MergedCursor implements Walk {
  readonly #level: Cursor
  readonly #newer: readonly ChangeWalk[]
  readonly #reverse: boolean
  #left: number
  /** The next entry of LevelDB; undefined behind its last one. */
  #head: Entry | undefined
  #headName: string | undefined
  #isHeadRead = false

  constructor({ level, changes, reverse, limit = Infinity }: MergedCursorParts) {
    this.#level = level
    this.#newer = changes.map((list) => (reverse ? new BackwardWalk(list) : new ForwardWalk(list)))
    this.#reverse = reverse
    this.#left = limit
  }

  async next(): Promise<Entry | undefined> {
    while (this.#left > 0) {
      if (!this.#isHeadRead) await this.#readHead()
      const name = this.#firstName()
      if (name === undefined) return undefined
      const value = this.#take(name)
      if (value === null) continue
      this.#left--
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

  /** Passes a key, and gives its newest value. */
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

/** A place in a list of changes. */
interface ChangeWalk {
  /** Undefined behind the last one. */
  readonly current: Change | undefined
  advance(): void
  /** Goes to the first change that is not before `name` in the direction of the walk; never back. */
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
    const behind = firstNotBefore(this.#changes, name)
    const target = this.#changes[behind]?.name === name ? behind : behind - 1
    this.#position = Math.min(this.#position, target)
  }
}
