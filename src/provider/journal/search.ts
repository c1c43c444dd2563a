import { TimeSlice } from '../../encoding/timeSlice.js'
import {
  type Journal,
  type JournalFilter,
  type KeyLabels,
  type RecordedRequest,
  matchesEntry,
} from './journal.js'

/** A filter with text search and a time range. */
export interface JournalSearch extends JournalFilter {
  /** Case-insensitive text in the method, key, parameters, error message or fault ids. */
  text?: string | undefined
  /** Start times of the first and last request, in milliseconds since 1970. */
  since?: number | undefined
  until?: number | undefined
}

type Recorded = RecordedRequest & { id: number }

/** Entries filtered between checks of the clock. In search of a text, one of 16,384 characters may take milliseconds. */
const ENTRIES_OF_STEP = 16

/**
 * Finds matching requests in a journal, newest first. Yields to other work in between.
 *
 * @param before - returns only requests with smaller ids
 * @param limit - maximum number of results
 */
export async function search(
  journal: Journal,
  wanted: JournalSearch,
  { before = Infinity, limit = Infinity }: { before?: number | undefined; limit?: number | undefined } = {},
): Promise<Recorded[]> {
  const found: Recorded[] = []
  const slice = new TimeSlice()
  const matches = matcherOf(wanted, journal.keyLabels)
  const { after = 0, text } = wanted
  const entriesOfStep = text === undefined ? ENTRIES_OF_STEP : 1
  let next = Math.min(before - 1, journal.newestId)
  while (next > Math.max(after, journal.oldestId - 1) && found.length < limit) {
    const end = Math.max(after, next - entriesOfStep)
    for (; next > end && found.length < limit; next -= 1) {
      const entry = journal.at(next)
      if (entry !== undefined && matches(entry)) found.push(entry)
    }
    await slice.pause()
  }
  return found
}

/** Creates a predicate for a search that checks only the given criteria. */
function matcherOf(wanted: JournalSearch, keyLabels: KeyLabels): (entry: Recorded) => boolean {
  const { text, since = -Infinity, until = Infinity, ...filter } = wanted
  const pattern = text === undefined ? undefined : new RegExp(escapePattern(text), 'i')
  return (entry) =>
    entry.time >= since &&
    entry.time <= until &&
    matchesEntry(filter, entry, keyLabels) &&
    (pattern === undefined || holdsText(entry, pattern))
}

function holdsText({ method, key, text, params, error, faults }: Recorded, wanted: RegExp): boolean {
  const holds = (part: string | undefined): boolean => part !== undefined && wanted.test(part)
  return (
    holds(method) ||
    holds(text) ||
    holds(error?.message) ||
    holds(key) ||
    faults?.some(holds) === true ||
    (text === undefined && params !== undefined && holds(JSON.stringify(params)))
  )
}

/** Escapes a text for use as a pattern. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
