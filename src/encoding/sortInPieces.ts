import type { Pieces } from './timeSlice.js'

/** Items that are sorted, or merged, at once. */
const itemsAtOnce = 512

/** Sorts a list in pieces; what is equal keeps its order. */
export function* sortInPieces<T>(items: readonly T[], compare: (a: T, b: T) => number): Pieces<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    runs.push(items.slice(start, start + itemsAtOnce).sort(compare))
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

/** One sorted list from two; of what is equal, the first list's comes first. */
function* merge<T>(first: T[], second: T[], compare: (a: T, b: T) => number): Pieces<T[]> {
  const merged: T[] = []
  let taken = 0
  for (const item of second) {
    for (; taken < first.length && compare(first[taken] as T, item) <= 0; taken++) {
      merged.push(first[taken] as T)
      if (merged.length % itemsAtOnce === 0) yield
    }
    merged.push(item)
    if (merged.length % itemsAtOnce === 0) yield
  }
  for (; taken < first.length; taken++) merged.push(first[taken] as T)
  return merged
}
