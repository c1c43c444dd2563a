import type { AppendFile } from './appendFile.js'
import type { KeyBounds } from './cursor.js'
import type { BatchOperation } from './writeBatch.js'

/** A key in the form that maps can look up: its bytes as Latin-1 characters. */
export function keyString(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

/** The bytes behind a key in the form of maps. */
export function keyBytes(name: string): Uint8Array {
  return Buffer.from(name, 'latin1')
}

/** A key in the form of maps, with its value or, if it was removed, null. It never changes. */
export interface Change {
  name: string
  value: Uint8Array | null
}

/** What was written and has not reached LevelDB: one write-ahead file and its contents by key. */
export class Overlay {
  readonly file: AppendFile
  /** Null stands for a key that was removed. Keys are kept as strings alone: there are many. */
  readonly #values = new Map<string, Uint8Array | null>()
  readonly #groups = new Map<number, Group>()

  constructor(file: AppendFile) {
    this.file = file
  }

  get size(): number {
    return this.#values.size
  }

  /** The value of a key, null if it was removed here, undefined if it was not written here. */
  find(name: string): Uint8Array | null | undefined {
    return this.#values.get(name)
  }

  add(operations: readonly BatchOperation[]): void {
    for (const { key, value } of operations) {
      const name = keyString(key)
      this.#values.set(name, value ?? null)
      this.#groupOf(groupNumber(name)).added.push(name)
    }
  }

  /** The last change of every key. */
  *operations(): Generator<BatchOperation, void, undefined> {
    for (const [name, value] of this.#values) yield { key: keyBytes(name), value: value ?? undefined }
  }

  /** The changes of a range as they are now, in the order of their keys. */
  changes({ gte, lt }: KeyBounds): readonly Change[] {
    const from = keyString(gte)
    const to = keyString(lt)
    const last = groupNumber(to)
    const found: Change[][] = []
    for (const [number, group] of this.#groups) {
      // A bound of two bytes stands before everything of its group.
      if (number < groupNumber(from) || number > last || (number === last && to.length <= 2)) continue
      const changes = this.#inOrder(group)
      const first = firstNotBefore(changes, from)
      const end = firstNotBefore(changes, to)
      if (first < end) found.push(changes.slice(first, end))
    }
    if (found.length <= 1) return found[0] ?? []
    return found.flat().sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #groupOf(number: number): Group {
    const known = this.#groups.get(number)
    if (known !== undefined) return known
    const group: Group = { changes: [], added: [] }
    this.#groups.set(number, group)
    return group
  }

  /** Few new keys are put where they belong; many are sorted with the others. */
  #inOrder(group: Group): Change[] {
    const { added } = group
    if (added.length > SORT_ABOVE) {
      const names = new Set(added)
      for (const { name } of group.changes) names.add(name)
      group.changes = [...names].sort().map((name) => this.#change(name))
    } else {
      for (const name of added) {
        const position = firstNotBefore(group.changes, name)
        const isKnown = group.changes[position]?.name === name
        group.changes.splice(position, isKnown ? 1 : 0, this.#change(name))
      }
    }
    group.added = []
    return group.changes
  }

  #change(name: string): Change {
    return { name, value: this.#values.get(name) ?? null }
  }
}

/** Keys that begin with the same two bytes. Most groups are never walked: they are put in order when one is. */
interface Group {
  /** In order, each key once. */
  changes: Change[]
  /** Keys that were written since. */
  added: string[]
}

const SORT_ABOVE = 64

/** Rises with the keys; a key of one byte stands before those that are longer. */
function groupNumber(name: string): number {
  return (name.charCodeAt(0) << 9) | (name.length > 1 ? 256 + name.charCodeAt(1) : 0)
}

/** The index of the first change whose key is not before `name`. */
export function firstNotBefore(changes: readonly Change[], name: string, from = 0): number {
  let low = from
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (changes[middle]!.name < name) low = middle + 1
    else high = middle
  }
  return low
}
