import { send } from './http.js'

const base = '/_standin'

/** Query parameters; undefined and empty ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** Reads JSON from a path of the control API. */
export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  const response = await send(`${base}${path}${formatQuery(query)}`, { signal: signal ?? null })
  return (await response.json()) as Answer
}

/** Sends a change to the control API. @returns the answer's JSON; undefined if it has no body */
export async function change<Answer>(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer | undefined> {
  const init: RequestInit = { method }
  if (body !== undefined) {
    init.headers = { 'content-type': 'application/json' }
    init.body = JSON.stringify(body)
  }
  const response = await send(`${base}${path}`, init)
  const text = await response.text()
  return text === '' ? undefined : (JSON.parse(text) as Answer)
}

function formatQuery(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
