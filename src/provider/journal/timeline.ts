import type { Journal } from './journal.js'
import { type JournalSearch, search } from './search.js'

/** Requests in spans of equal length, oldest first. */
export interface Timeline {
  /** Milliseconds since 1970 at which the first span begins. */
  start: number
  /** Milliseconds of one span. */
  span: number
  /** Requests of each span. */
  count: number[]
  failed: number[]
  /** Milliseconds of the slowest request of each span. */
  slowest: number[]
}

/** Counts the requests that a search finds in spans between the oldest and the newest of them. */
export async function timeline(
  journal: Journal,
  wanted: JournalSearch,
  { spans }: { spans: number },
): Promise<Timeline> {
  const found = await search(journal, wanted)
  let earliest = Infinity
  let latest = 0
  for (const { time } of found) {
    if (time < earliest) earliest = time
    if (time > latest) latest = time
  }
  const end = wanted.until ?? latest
  const start = wanted.since ?? Math.min(earliest, end)
  const span = Math.max(1, Math.ceil((end - start + 1) / spans))
  const counts = (): number[] => new Array<number>(spans).fill(0)
  const count = counts()
  const failed = counts()
  const slowest = counts()
  for (const entry of found) {
    const at = Math.floor((entry.time - start) / span)
    count[at]! += 1
    if (entry.error !== undefined || entry.status >= 400) failed[at]! += 1
    if (entry.milliseconds > slowest[at]!) slowest[at] = entry.milliseconds
  }
  return { start, span, count, failed, slowest }
}
