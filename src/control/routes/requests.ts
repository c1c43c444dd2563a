import * as z from 'zod'
import { textChunks } from '../../encoding/textChunks.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { checkConfiguration } from '../../provider/configuration.js'
import {
  type Journal,
  type JournalEntry,
  type JournalFilter,
  type RecordedRequest,
  entryOf,
  matchesEntry,
} from '../../provider/journal/journal.js'
import { search } from '../../provider/journal/search.js'
import { timeline } from '../../provider/journal/timeline.js'
import type { ControlSetup } from '../app.js'
import { listPieces, sendJson, sendText } from '../jsonStream.js'
import type { ControlRoute } from '../route.js'
import { journalEntrySchema } from '../schemas.js'

/** The longest text to search for, in characters: the search takes time in proportion to its length. */
const MAX_TEXT_LENGTH = 256

const wholeNumber = z.string().regex(/^\d+$/, 'expected a whole number').transform(Number)

const querySchema = z.object({
  network: z.string().optional(),
  key: z.string().optional(),
  transport: z.enum(['http', 'websocket', 'upgrade', 'ipc', 'in-process', 'files']).optional(),
  method: z.string().optional(),
  status: wholeNumber.optional(),
  failed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  after: wholeNumber.optional(),
  before: wholeNumber.optional(),
  text: z.string().max(MAX_TEXT_LENGTH).optional(),
  since: wholeNumber.optional(),
  until: wholeNumber.optional(),
  summary: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  limit: wholeNumber.optional(),
  format: z.enum(['json', 'ndjson', 'stream']).default('json'),
})

const timelineSchema = querySchema
  .omit({ format: true, summary: true, limit: true, before: true })
  .extend({ spans: wholeNumber.pipe(z.int().min(1).max(1000)).default(120) })

const filterDescriptions = {
  network: 'name of the network',
  key: 'the key, whole or masked',
  transport: 'http, websocket, upgrade, ipc, in-process or files',
  method: 'JSON-RPC method or file operation; a trailing * matches anything',
  status: 'HTTP status',
  failed: 'true for requests that failed, false for the others',
  after: 'only entries with a greater id',
  text: 'only entries with this text in the method, key, parameters, error or faults',
  since: 'only requests that began at this time or later, in milliseconds since 1970',
  until: 'only requests that began at this time or earlier, in milliseconds since 1970',
}

const queryDescriptions = {
  ...filterDescriptions,
  before: 'only entries with a smaller id',
  summary: 'true to replace the parameters with a preview',
  limit: 'maximum number of entries; keeps the newest',
  format: 'json (an array), ndjson (one line each), or stream (ndjson that follows new requests)',
}

/** Routes of the journal. */
export function requestRoutes({ provider }: ControlSetup): ControlRoute[] {
  const { journal } = provider
  return [
    {
      method: 'get',
      path: '/requests',
      summary: 'List requests, oldest first',
      query: queryDescriptions,
      answer: 'Entries of the journal',
      answerSchema: z.array(journalEntrySchema),
      handle: async (context) => {
        const { limit, format, before, summary, ...wanted } = checkConfiguration(
          querySchema,
          context.req.query(),
          'the query',
        )
        const found = await search(journal, wanted, { before, limit })
        const entries = entriesOf(found.reverse(), { summary })
        if (format === 'json') return sendJson(context, listPieces(entries))
        context.header('content-type', 'application/x-ndjson')
        return sendText(context, (signal) =>
          format === 'stream'
            ? follow(journal, entries, { filter: wanted, signal })
            : textChunks(linesOf(entries), signal),
        )
      },
    },
    {
      method: 'get',
      path: '/requests/timeline',
      summary: 'Summarize requests over time, in spans of equal length',
      query: { ...filterDescriptions, spans: 'number of spans, up to 1000; defaults to 120' },
      answer: 'Start and length of the spans in milliseconds; all, failed and slowest requests of each',
      handle: async (context) => {
        const { spans, ...wanted } = checkConfiguration(timelineSchema, context.req.query(), 'the query')
        return context.json(await timeline(journal, wanted, { spans }))
      },
    },
    {
      method: 'get',
      path: '/requests/:id',
      summary: 'Get a request with its answer',
      answer: 'A journal entry with `answer`, the result or error data, while it is kept; or 404',
      handle: (context) => {
        const id = context.req.param('id') ?? ''
        const entry = /^\d+$/.test(id) ? journal.find(Number(id)) : undefined
        return entry === undefined
          ? context.json({ error: `the journal does not hold request ${id}` }, 404)
          : context.json(entry)
      },
    },
    {
      method: 'delete',
      path: '/requests',
      summary: 'Clear the journal',
      answer: 'Nothing',
      handle: (context) => {
        journal.clear()
        return context.body(null, 204)
      },
    },
  ]
}

/** Formats entries one by one, since their parameters may take many megabytes. */
function* entriesOf(
  found: readonly (RecordedRequest & { id: number })[],
  { summary }: { summary: boolean },
): Generator<JournalEntry> {
  for (const entry of found) yield summary ? summaryOf(entry) : entryOf(entry)
}

function* linesOf(entries: Iterable<JournalEntry>): Generator<string> {
  for (const entry of entries) yield toLine(entry)
}

/** Characters that may wait for a reader; one that lags further behind is disconnected. */
const MAX_WAITING = 1024 * 1024

/** Yields existing entries, then new ones, until the reader disconnects or lags too far behind. */
async function* follow(
  journal: Journal,
  entries: Iterable<JournalEntry>,
  { filter, signal }: { filter: JournalFilter; signal: AbortSignal },
): AsyncGenerator<string> {
  let waiting = ''
  let isLagging = false
  let wake = (): void => undefined
  const stop = journal.listen((entry) => {
    if (!matchesEntry(filter, entry, journal.keyLabels)) return
    waiting += lineOf(entry)
    isLagging ||= waiting.length > MAX_WAITING
    if (isLagging) waiting = ''
    wake()
  })
  signal.addEventListener('abort', () => wake())
  try {
    yield* textChunks(linesOf(entries), signal)
    while (!isLagging && !signal.aborted) {
      if (waiting === '') await new Promise<void>((resolve) => (wake = resolve))
      // Hundreds of readers may follow.
      await new TimeSlice().pause()
      const lines = waiting
      waiting = ''
      yield lines
    }
  } finally {
    stop()
  }
}

/** Characters of parameters in a summary. */
const PREVIEW_LENGTH = 160

/** Shortens an entry to a row of a list. */
function summaryOf(recorded: RecordedRequest & { id: number }): JournalEntry & { preview?: string } {
  const { params, ...entry } = entryOf(recorded)
  if (params === undefined) return entry
  const text = typeof params === 'string' ? params : JSON.stringify(params)
  return { ...entry, preview: text.slice(0, PREVIEW_LENGTH) }
}

/** Lines of new entries, made once for all readers that follow. */
const lines = new WeakMap<JournalEntry, string>()

function lineOf(entry: JournalEntry): string {
  const line = lines.get(entry) ?? toLine(entry)
  lines.set(entry, line)
  return line
}

function toLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`
}
