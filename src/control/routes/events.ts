import { setTimeout as sleep } from 'node:timers/promises'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { ControlSetup } from '../app.js'
import { sendText } from '../jsonStream.js'
import type { ControlRoute } from '../route.js'

/** Milliseconds between checks for changes, and so between messages to a reader. */
const INTERVAL = 200

/** Checks without a change after which a comment keeps the connection open. */
const QUIET_POLLS = 75

/** File operations that change the file network's content. */
const fileChanges = [
  'add',
  'block/put',
  'block/rm',
  'dag/import',
  'dag/put',
  'files/chcid',
  'files/chmod',
  'files/cp',
  'files/mkdir',
  'files/mv',
  'files/rm',
  'files/touch',
  'files/write',
  'pin/add',
  'pin/rm',
  'pin/update',
  'repo/gc',
]

function countFileChanges(tallies: ReadonlyMap<string, { readonly calls: number }>): number {
  return fileChanges.reduce((total, operation) => total + (tallies.get(operation)?.calls ?? 0), 0)
}

/**
 * Routes that tell readers that something changed, but not what: they fetch what they show. So a thousand requests a
 * second cost five messages, and no request waits for a reader.
 */
export function eventRoutes(
  { provider, chains, networks }: ControlSetup,
  countChanges: () => number,
): ControlRoute[] {
  const { journal, faults, usage } = provider
  return [
    {
      method: 'get',
      path: '/events',
      summary:
        'Stream counters that increase on every change, as server-sent events, at most five per second',
      query: { network: 'network whose chain to follow; defaults to the default network' },
      answer:
        'JSON of each event: `requests`, the newest id in the journal; `chain`, changes of the chain; `faultHits`, hits of faults; `files`, operations that may have changed the file network; `controls`, changes made through this API',
      handle: (context) => {
        const network = context.req.query('network') ?? networks[0] ?? ''
        const look = (): string => {
          return JSON.stringify({
            requests: journal.newestId,
            chain: chains.version(network),
            faultHits: faults.hits,
            files: countFileChanges(usage.tallies()),
            controls: countChanges(),
          })
        }
        context.header('content-type', 'text/event-stream')
        context.header('cache-control', 'no-cache')
        return sendText(context, (signal) => eventsOf(look, signal))
      },
    },
  ]
}

let nextCheck: Promise<void> | undefined

/** Resolves when readers next check for changes: all at the same time, with one timer. */
function untilNextCheck(): Promise<void> {
  nextCheck ??= sleep(INTERVAL).then(() => {
    nextCheck = undefined
  })
  return nextCheck
}

/** Yields what `look` returns, as server-sent events, whenever it has changed. A slow reader misses events. */
async function* eventsOf(look: () => string, signal: AbortSignal): AsyncGenerator<string> {
  let lastEvent = ''
  let quiet = 0
  while (!signal.aborted) {
    // Hundreds of readers check at the same time.
    await new TimeSlice().pause()
    const now = look()
    if (now !== lastEvent || ++quiet >= QUIET_POLLS) {
      yield now === lastEvent ? ': still here\n\n' : `data: ${now}\n\n`
      lastEvent = now
      quiet = 0
    }
    await untilNextCheck()
  }
}
