import { computed, signal } from '@preact/signals'
import { node } from '../api/node.js'

/** A place of the page, as the part of the address behind `#` says it. */
export interface Route {
  /** `['chain', 'transaction', '0x…']`. */
  path: readonly string[]
  query: URLSearchParams
}

/** Where the page is. */
export const route = signal<Route>(parseRoute(location.hash))

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

/** The network that the page shows: the one that the address names, or the node's first one. */
export const currentNetwork = computed(
  () => route.value.query.get('network') ?? node.value?.networks[0]?.name ?? 'local',
)

/** The address of a place; the network goes along. */
export function link(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const words = new URLSearchParams()
  const network = route.value.query.get('network')
  const all = { ...(network !== null && { network }), ...query }
  for (const [name, value] of Object.entries(all)) if (value) words.set(name, value)
  return `#/${path}${words.size === 0 ? '' : `?${words}`}`
}

/** Goes to a place. */
export function navigate(path: string, query: Readonly<Record<string, string | undefined>> = {}): void {
  location.hash = link(path, query)
}

/** Changes parts of the query where the page is; the step is not kept in the browser's history. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = route.value
  const words = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value) words.set(name, value)
    else words.delete(name)
  }
  history.replaceState(
    null,
    '',
    `#/${path.map(encodeURIComponent).join('/')}${words.size ? `?${words}` : ''}`,
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
