import type { Steps } from './timeSlice.js'

/** Items sorted or merged in one step. */
const RUN_LENGTH = 512
/** Characters of an item that take as long as another item. */
const CHARACTERS_LIKE_AN_ITEM = 64

/** Counts what a loop has done, to tell where a step ends: after many items, or a few with long texts. */
export class Portion {
  readonly #limit: number
  #done = 0

  /** @param limit - items without texts that make a step */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts an item with a text of some length; returns whether the step ends. */
  add(length: number): boolean {
    this.#done += 1 + length / CHARACTERS_LIKE_AN_ITEM
    if (this.#done < this.#limit) return false
    this.#done = 0
    return true
  }
}

/**
 * Incremental stable sort.
 *
 * @param lengthOf - returns the length of what is compared, if it may be thousands of characters
 */
export function* sortInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  lengthOf: (item: T) => number = () => 0,
): Steps<T[]> {
  const portion = new Portion(RUN_LENGTH)
  let runs: T[][] = []
  let run: T[] = []
  for (const item of items) {
    run.push(item)
    if (!portion.add(lengthOf(item))) continue
    runs.push(run.sort(compare))
    run = []
    yield
  }
  if (run.length > 0) runs.push(run.sort(compare))
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], { compare, lengthOf }))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Returns the entries of a map ordered by the UTF-16 code units of their keys, as Go sorts ASCII keys. */
export function* sortedEntries<Value>(map: Iterable<[string, Value]>): Steps<[string, Value][]> {
  const entries: [string, Value][] = []
  for (const entry of map) if (entries.push(entry) % RUN_LENGTH === 0) yield
  return yield* sortInSteps(entries, ([a], [b]) => (a < b ? -1 : 1))
}

interface Order<T> {
  compare: (a: T, b: T) => number
  lengthOf: (item: T) => number
}

/** Merges two sorted lists; equal items of the first list come first. */
function* merge<T>(first: T[], second: T[], { compare, lengthOf }: Order<T>): Steps<T[]> {
  const merged: T[] = []
  const portion = new Portion(RUN_LENGTH)
  let taken = 0
  for (const item of second) {
    for (; taken < first.length && compare(first[taken] as T, item) <= 0; taken++) {
      merged.push(first[taken] as T)
      if (portion.add(lengthOf(first[taken] as T))) yield
    }
    merged.push(item)
    if (portion.add(lengthOf(item))) yield
  }
  for (; taken < first.length; taken++) merged.push(first[taken] as T)
  return merged
}
