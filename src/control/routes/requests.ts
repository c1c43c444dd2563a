import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import * as z from 'zod'
import { checkConfiguration } from '../../provider/checkConfiguration.js'
import type { JournalEntry, JournalFilter } from '../../provider/journal/entry.js'
import { matchesEntry } from '../../provider/journal/entry.js'
import { maskKey } from '../../provider/keys/apiKey.js'
import type { ControlSetup } from '../setup.js'
import type { ControlRoute } from '../route.js'

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
  limit: wholeNumber.optional(),
  format: z.enum(['json', 'ndjson', 'stream']).default('json'),
})

const queryWords = {
  network: 'name of the network',
  key: 'the key, whole or masked',
  transport: 'http, websocket, upgrade, ipc, in-process or files',
  method: 'JSON-RPC method or file operation; * at the end stands for anything',
  status: 'HTTP status',
  failed: 'true for requests that failed, false for the others',
  after: 'only entries with a greater id',
  limit: 'at most so many, the newest',
  format: 'json (an array), ndjson (a line each), or stream (a line each, and on as they come)',
}

/** The journal. */
export function requestRoutes({ provider }: ControlSetup): ControlRoute[] {
  const { journal } = provider
  return [
    {
      method: 'get',
      path: '/requests',
      summary: 'Requests that were made, oldest first',
      query: queryWords,
      answer: 'Entries of the journal',
      handle: (context) => {
        const { limit, format, ...filter } = checkConfiguration(querySchema, context.req.query(), 'the query')
        const entries = journal.list(filter, limit)
        if (format === 'json') return context.json(entries)
        context.header('content-type', 'application/x-ndjson')
        if (format === 'ndjson') return context.body(entries.map(toLine).join(''))
        return follow(context, entries, (tell) => journal.listen(tell), filter)
      },
    },
    {
      method: 'delete',
      path: '/requests',
      summary: 'Forget all requests',
      answer: 'Nothing',
      handle: (context) => {
        journal.clear()
        return context.body(null, 204)
      },
    },
  ]
}

/** Writes what there is, then what comes, until the reader goes away. */
function follow(
  context: Context,
  entries: readonly JournalEntry[],
  listen: (tell: (entry: JournalEntry) => void) => () => void,
  filter: JournalFilter,
): Response {
  return stream(context, async (out) => {
    const gone = new Promise<void>((resolve) => out.onAbort(resolve))
    const stop = listen((entry) => {
      if (matchesEntry(filter, entry, maskKey)) void out.write(toLine(entry))
    })
    await out.write(entries.map(toLine).join(''))
    await gone
    stop()
  })
}

function toLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`
}
