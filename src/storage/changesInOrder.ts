/** A key in the form of maps, with its value or, if it was removed, null. It never changes. */
export interface Change {
  name: string
  value: Uint8Array | null
}

/** Changes of keys that are close to one another. */
interface Bucket {
  /** In order, each key once. */
  changes: Change[]
  /** Keys that were written since. */
  added: string[]
}

/** So many new keys are put where they belong one by one; more are sorted with the others. */
const SORT_ABOVE = 64
/** The bytes of a key that tell its bucket stand behind those that the keys of a group have in common. */
const COMMON_BYTES = 2

/**
 * Changes of keys that begin with the same two bytes, which are put in order as far as they are walked: what was written
 * since the last walk is dealt out to buckets by the three bytes that follow, and a bucket is sorted when a walk enters
 * it. Of thousands of rows of an index, a walk over those of one value so sorts those alone.
 */
export class ChangesInOrder {
  readonly #valueOf: (name: string) => Uint8Array | null
  readonly #buckets = new Map<number, Bucket>()
  #added: string[] = []

  /** @param valueOf - the value that a written key has now */
  constructor(valueOf: (name: string) => Uint8Array | null) {
    this.#valueOf = valueOf
  }

  /** Takes note that a key was written. */
  add(name: string): void {
    this.#added.push(name)
  }

  /** The changes of keys from one to another, that one left out, in order; from the first, to the last if undefined. */
  between(from: string | undefined, to: string | undefined): Change[] {
    this.#dealOut()
    const first = from === undefined ? 0 : bucketNumber(from)
    const last = to === undefined ? Infinity : bucketNumber(to)
    return this.#bucketsBetween(first, last).flatMap((bucket) => {
      const changes = this.#inOrder(bucket)
      const start = from === undefined ? 0 : firstNotBefore(changes, from)
      return changes.slice(start, to === undefined ? undefined : firstNotBefore(changes, to, start))
    })
  }

  #dealOut(): void {
    for (const name of this.#added) {
      const number = bucketNumber(name)
      const bucket = this.#buckets.get(number)
      if (bucket === undefined) this.#buckets.set(number, { changes: [], added: [name] })
      else bucket.added.push(name)
    }
    this.#added = []
  }

  #bucketsBetween(first: number, last: number): Bucket[] {
    if (first === last) {
      const only = this.#buckets.get(first)
      return only === undefined ? [] : [only]
    }
    return [...this.#buckets]
      .filter(([number]) => number >= first && number <= last)
      .sort(([a], [b]) => a - b)
      .map(([, bucket]) => bucket)
  }

  #inOrder(bucket: Bucket): readonly Change[] {
    const { added } = bucket
    if (added.length > SORT_ABOVE) {
      const names = new Set(added)
      for (const { name } of bucket.changes) names.add(name)
      bucket.changes = [...names].sort().map((name) => this.#change(name))
    } else {
      for (const name of added) {
        const position = firstNotBefore(bucket.changes, name)
        const isKnown = bucket.changes[position]?.name === name
        bucket.changes.splice(position, isKnown ? 1 : 0, this.#change(name))
      }
    }
    if (added.length > 0) bucket.added = []
    return bucket.changes
  }

  #change(name: string): Change {
    return { name, value: this.#valueOf(name) }
  }
}

/** Never falls as keys rise: where a key is shorter, zeros stand for the bytes that it lacks. */
function bucketNumber(name: string): number {
  let number = 0
  for (let i = COMMON_BYTES; i < COMMON_BYTES + 3; i++) {
    number = (number << 8) | (i < name.length ? name.charCodeAt(i) : 0)
  }
  return number
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
