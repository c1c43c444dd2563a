import { TimeSlice } from '../../encoding/timeSlice.js'
import type { KeyLabels } from '../keys/apiKey.js'
import { type JournalFilter, type RecordedRequest, matchesEntry } from './journal.js'

/** A filter that looks into texts and times too. */
export interface JournalSearch extends JournalFilter {
  /** Found in the method, the key, the parameters, the error's message or a fault's id, in any case. */
  text?: string | undefined
  /** Milliseconds since 1970 of the first and last start of a request. */
  since?: number | undefined
  until?: number | undefined
}

type Recorded = RecordedRequest & { id: number }

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

/** Entries that are looked at between two looks at the clock. */
const entriesOfStep = 256

/**
 * The requests of a journal that a search finds, newest first. Other work has turns meanwhile.
 *
 * @param entries - newest first
 * @param limit - how many are found at most
 */
export async function search(
  entries: Iterable<Recorded>,
  wanted: JournalSearch,
  { keyLabels, limit = Infinity }: { keyLabels: KeyLabels; limit?: number | undefined },
): Promise<Recorded[]> {
  const found: Recorded[] = []
  if (limit === 0) return found
  const slice = new TimeSlice()
  const { after = 0, since = -Infinity, until = Infinity } = wanted
  const text = wanted.text === undefined ? undefined : new RegExp(escapePattern(wanted.text), 'i')
  let looked = 0
  for (const entry of entries) {
    if (++looked % entriesOfStep === 0) await slice.pause()
    if (entry.id <= after) break
    if (entry.time < since || entry.time > until) continue
    if (!matchesEntry(wanted, entry, keyLabels)) continue
    if (text !== undefined && !holdsText(entry, text)) continue
    found.push(entry)
    if (found.length === limit) break
  }
  return found
}

/** Counts the requests that a search finds in spans between the oldest and the newest of them. */
export async function timeline(
  entries: Iterable<Recorded>,
  wanted: JournalSearch,
  { keyLabels, spans }: { keyLabels: KeyLabels; spans: number },
): Promise<Timeline> {
  const found = await search(entries, wanted, { keyLabels })
  const end = wanted.until ?? found.reduce((latest, { time }) => Math.max(latest, time), 0)
  const start = wanted.since ?? found.reduce((earliest, { time }) => Math.min(earliest, time), end)
  const span = Math.max(1, Math.ceil((end - start + 1) / spans))
  const counts = (): number[] => new Array<number>(spans).fill(0)
  const result = { start, span, count: counts(), failed: counts(), slowest: counts() }
  for (const { time, milliseconds, error, status } of found) {
    const at = Math.floor((time - start) / span)
    result.count[at]! += 1
    if (error !== undefined || status >= 400) result.failed[at]! += 1
    result.slowest[at] = Math.max(result.slowest[at]!, milliseconds)
  }
  return result
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
