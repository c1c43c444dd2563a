import { signal } from '@preact/signals'
import { get } from './control.js'
import { messageOf } from './http.js'

/** The node's description from `/_standin/node`. */
export interface NodeDescription {
  version: string
  mode: 'open' | 'guarded' | 'strict'
  urls: { url: string; wsUrl: string; ipfsUrl: string; controlUrl: string }
  networks: NetworkDescription[]
  /** Whether `--artifacts` is set. */
  artifacts: boolean
  journalSize: number
}

/** One network of the node. */
export interface NetworkDescription {
  name: string
  chainId: string
  /** Whether its chain is open; networks open on first use. */
  isOpen: boolean
  fork?: { url: string; number: string }
  /** Addresses impersonated individually. */
  impersonated: string[]
}

/** The node's description; undefined until it is read. */
export const node = signal<NodeDescription | undefined>(undefined)

/** Error message of the last attempt to read it. */
export const nodeFailure = signal<string | undefined>(undefined)

/** Reads or refreshes the node's description. */
export async function loadNode(): Promise<void> {
  try {
    node.value = await get<NodeDescription>('/node')
    nodeFailure.value = undefined
  } catch (error) {
    nodeFailure.value = messageOf(error)
  }
}

/** Path prefix of a network; empty for the first one. */
export function networkPrefix(network: string): string {
  return network === node.value?.networks[0]?.name ? '' : `/${encodeURIComponent(network)}`
}

/** JSON-RPC URL of a network for programs, with the key from the node's own URL; empty until it is known. */
export function rpcUrlOf(network: string): string {
  if (node.value === undefined) return ''
  const { origin, pathname } = new URL(node.value.urls.url)
  return `${origin}${networkPrefix(network)}${pathname}`
}
