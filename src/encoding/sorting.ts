import type { Steps } from './timeSlice.js'

/** Items sorted or merged in one step. */
const RUN_LENGTH = 512

/** Incremental stable sort. */
export function* sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += RUN_LENGTH) {
    runs.push(items.slice(start, start + RUN_LENGTH).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Returns the entries of a map ordered by the UTF-16 code units of their keys, as Go sorts ASCII keys. */
export function* sortedEntries<Value>(map: Iterable<[string, Value]>): Steps<[string, Value][]> {
  const entries: [string, Value][] = []
  for (const entry of map) if (entries.push(entry) % RUN_LENGTH === 0) yield
  return yield* sortInSlices(entries, ([a], [b]) => (a < b ? -1 : 1))
}

/** Merges two sorted lists; equal items of the first list come first. */
function* merge<T>(first: T[], second: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = []
  let taken = 0
  for (const item of second) {
    for (; taken < first.length && compare(first[taken] as T, item) <= 0; taken++) {
      merged.push(first[taken] as T)
      if (merged.length % RUN_LENGTH === 0) yield
    }
    merged.push(item)
    if (merged.length % RUN_LENGTH === 0) yield
  }
  for (; taken < first.length; taken++) merged.push(first[taken] as T)
  return merged
}
