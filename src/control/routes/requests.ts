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

/** Characters that may wait for a reader; who lets more come up is slower than what it follows. */
const mostWaiting = 1024 * 1024

/** Writes what there is, then what comes, until the reader goes away or reads too slowly. */
function follow(
  context: Context,
  entries: readonly JournalEntry[],
  listen: (tell: (entry: JournalEntry) => void) => () => void,
  filter: JournalFilter,
): Response {
  return stream(context, async (out) => {
    let waiting = 0
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    out.onAbort(() => end())
    async function write(text: string): Promise<void> {
      waiting += text.length
      if (waiting > mostWaiting) {
        end()
        return
      }
      await out.write(text)
      waiting -= text.length
    }
    const stop = listen((entry) => {
      if (matchesEntry(filter, entry, maskKey)) void write(toLine(entry))
    })
    await out.write(entries.map(toLine).join(''))
    await ended
    stop()
  })
}

function toLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`
}
