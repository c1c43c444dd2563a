import type { Journal } from './journal.js'
import { type JournalSearch, search } from './search.js'

/** Requests in consecutive spans of equal length, oldest first. */
export interface Timeline {
  /** Start of the first span in milliseconds since 1970. */
  start: number
  /** Length of a span in milliseconds. */
  span: number
  /** Number of requests per span. */
  count: number[]
  failed: number[]
  /** Duration of the slowest request per span, in milliseconds. */
  slowest: number[]
}

/** Aggregates the requests found by a search into spans from the oldest to the newest. */
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
