import { effect, signal } from '@preact/signals'
import { currentNetwork } from '../shell/router.js'
import { loadNode, nodeFailure } from './node.js'

/** What `/_standin/events` tells: numbers that grow when something changes. */
export interface NodeChanges {
  /** Id of the newest request. */
  requests: number
  /** Changes of the chosen network's chain. */
  chain: number
  /** Requests that faults happened to. */
  faultHits: number
  /** Operations that may have changed the file network. */
  files: number
  /** Changes made through the control API. */
  controls: number
}

/** The newest changes; undefined until the node has told of any. */
export const changes = signal<NodeChanges | undefined>(undefined)

/** Whether the node is heard. */
export const connected = signal(false)

const isSeen = signal(!document.hidden)
document.addEventListener('visibilitychange', () => {
  isSeen.value = !document.hidden
})

/**
 * Follows the node's events, of another network when another one is chosen; reconnects by itself. A hidden page closes the
 * stream, and opens it again when it is shown.
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
