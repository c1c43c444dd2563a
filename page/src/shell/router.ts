import { computed, signal } from '@preact/signals'
import { node } from '../api/node.js'

/** A route of the page, from the URL fragment. */
export interface Route {
  /** `['chain', 'transaction', '0x…']`. */
  path: readonly string[]
  query: URLSearchParams
}

/** Current route. */
export const route = signal<Route>(parseRoute(location.hash))

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

/** Selected network: the one in the URL, or else the node's first one. */
export const currentNetwork = computed(
  () => route.value.query.get('network') ?? node.value?.networks[0]?.name ?? 'local',
)

/** Link to a route that keeps the network. */
export function link(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = new URLSearchParams()
  const network = route.value.query.get('network')
  const all = { ...(network !== null && { network }), ...query }
  for (const [name, value] of Object.entries(all)) if (value) parameters.set(name, value)
  return `#/${path}${parameters.size === 0 ? '' : `?${parameters}`}`
}

/** Opens a route. */
export function navigate(path: string, query: Readonly<Record<string, string | undefined>> = {}): void {
  location.hash = link(path, query)
}

/** Changes query parameters of the current route without a new entry in the browser's history. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = route.value
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value) parameters.set(name, value)
    else parameters.delete(name)
  }
  history.replaceState(
    null,
    '',
    `#/${path.map(encodeURIComponent).join('/')}${parameters.size ? `?${parameters}` : ''}`,
  )
  route.value = parseRoute(location.hash)
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return {
    path: path.split('/').filter(Boolean).map(decode),
    query: new URLSearchParams(query),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
