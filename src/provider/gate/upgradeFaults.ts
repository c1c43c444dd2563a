import type { Caller } from '../caller.js'
import type { Refusal } from '../door/refusal.js'
import { refuse } from '../door/refusal.js'
import { delayOf, wait } from '../faults/effects.js'
import type { FaultBook, FaultHit } from '../faults/faultBook.js'

/** What faults make of an upgrade: nothing, a refusal, or a connection that just ends. */
export type UpgradeFate = Refusal | 'close' | undefined

/** Holds a WebSocket upgrade that the door let in against the faults that are set. */
export async function meetUpgradeFaults(faults: FaultBook, { network, key }: Caller): Promise<UpgradeFate> {
  const hits = faults.meet({ network, key: key?.key, transport: 'upgrade' })
  const delay = delayOf(hits)
  if (delay > 0) await wait(delay)
  return hits.map(fateOf).find((fate) => fate !== undefined)
}

function fateOf({ action }: FaultHit): UpgradeFate {
  switch (action.type) {
    case 'status':
      return { status: action.status, headers: { 'content-type': action.contentType }, body: action.body }
    case 'quota':
      return action.span === 'day' ? refuse(402, 'Payment Required\n') : refuse(429, 'Too Many Requests\n')
    case 'outage':
      return refuse(503, 'service unavailable\n')
    case 'close':
    case 'cut':
    case 'close-websocket':
      return 'close'
    default:
      return undefined
  }
}
