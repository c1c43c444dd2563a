import { signal } from '@preact/signals'
import { get } from './control.js'
import { messageOf } from './http.js'

/** What the node says about itself at `/_standin/node`. */
export interface NodeDescription {
  version: string
  mode: 'open' | 'guarded' | 'strict'
  urls: { url: string; wsUrl: string; ipfsUrl: string; controlUrl: string }
  networks: NetworkDescription[]
  /** Whether `--artifacts` names a folder. */
  artifacts: boolean
  journalSize: number
}

/** One network of the node. */
export interface NetworkDescription {
  name: string
  chainId: string
  /** Whether it has been used, so that its chain is there. */
  isOpen: boolean
  fork?: { url: string; number: string }
  /** Addresses that are impersonated by name. */
  impersonated: string[]
}

/** The node; undefined until it has answered. */
export const node = signal<NodeDescription | undefined>(undefined)

/** Why the node could not be read. */
export const nodeFailure = signal<string | undefined>(undefined)

/** Reads what the node is, again if it has been read before. */
export async function loadNode(): Promise<void> {
  try {
    node.value = await get<NodeDescription>('/node')
    nodeFailure.value = undefined
  } catch (error) {
    nodeFailure.value = messageOf(error)
  }
}

/** What stands before the paths of a network: nothing for the first one. */
export function networkPrefix(network: string): string {
  return network === node.value?.networks[0]?.name ? '' : `/${encodeURIComponent(network)}`
}

/** The JSON-RPC URL of a network for programs, with the key that the node names itself by; empty until it is known. */
export function rpcUrlOf(network: string): string {
  if (node.value === undefined) return ''
  const { origin, pathname } = new URL(node.value.urls.url)
  return `${origin}${networkPrefix(network)}${pathname}`
}
