import { effect, signal } from '@preact/signals'
import { currentNetwork } from '../shell/router.js'
import { loadNode, nodeFailure } from './node.js'

/** Counters from `/_standin/events`, which grow on every change. */
export interface NodeChanges {
  /** ID of the newest request. */
  requests: number
  /** Changes of the chosen network's chain. */
  chain: number
  /** Requests hit by faults. */
  faultHits: number
  /** Operations that may have changed the file network. */
  files: number
  /** Changes made through the control API. */
  controls: number
}

/** Latest counters; undefined until the first event. */
export const changes = signal<NodeChanges | undefined>(undefined)

/** Whether the event stream is open. */
export const connected = signal(false)

const isSeen = signal(!document.hidden)
document.addEventListener('visibilitychange', () => {
  isSeen.value = !document.hidden
})

/**
 * Follows the node's events for the chosen network; reconnects automatically. The stream is closed while the page is
 * hidden.
 */
export function startEvents(): void {
  effect(() => {
    if (!isSeen.value) return undefined
    const network = currentNetwork.value
    const source = new EventSource(`/_standin/events?network=${encodeURIComponent(network)}`)
    source.onopen = () => {
      connected.value = true
      if (nodeFailure.peek() !== undefined) void loadNode()
    }
    source.onerror = () => {
      connected.value = false
    }
    source.onmessage = (event: MessageEvent<string>) => {
      changes.value = JSON.parse(event.data) as NodeChanges
    }
    return () => source.close()
  })
}
