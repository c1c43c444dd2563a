import { TimeSlice } from '../../encoding/timeSlice.js'
import type { KeyLabels } from '../keys/keyLabels.js'
import { type Journal, type JournalFilter, type RecordedRequest, matchesEntry } from './journal.js'

/** A filter that looks into texts and times too. */
export interface JournalSearch extends JournalFilter {
  /** Found in the method, the key, the parameters, the error's message or a fault's id, in any case. */
  text?: string | undefined
  /** Milliseconds since 1970 of the first and last start of a request. */
  since?: number | undefined
  until?: number | undefined
}

type Recorded = RecordedRequest & { id: number }

/** Entries that are looked at between two looks at the clock. */
const entriesOfStep = 512

/**
 * The requests of a journal that a search finds, newest first. Other work has turns meanwhile.
 *
 * @param before - an id that they are older than
 * @param limit - how many are found at most
 */
export async function search(
  journal: Journal,
  wanted: JournalSearch,
  { before = Infinity, limit = Infinity }: { before?: number | undefined; limit?: number | undefined } = {},
): Promise<Recorded[]> {
  const found: Recorded[] = []
  const slice = new TimeSlice()
  const matches = matcherOf(wanted, journal.keyLabels)
  const { after = 0 } = wanted
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

/** Whether an entry is what a search looks for; what is not asked for is not looked at. */
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

/** A text as the pattern that stands for it alone. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
