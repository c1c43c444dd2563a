import type { DecodedGroup } from '../decode/request.js'

/** Decodes the percent-encoding in the query of a file operation. */
export function readableQuery(query: string): string {
  // A preview may end within an escape, which then remains as it is.
  return query.replace(/(%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** Decodes the query of a file operation, or the path of a gateway request; undefined if empty. */
export function decodeFileParams(method: string, params: unknown): DecodedGroup[] | undefined {
  if (typeof params !== 'string' || params === '') return undefined
  if (method === 'gateway') {
    return [{ title: 'Request', rows: [{ name: 'path', value: readableQuery(params) }] }]
  }
  const rows = [...new URLSearchParams(params)].map(([name, value]) => ({ name, value }))
  return [{ title: 'Options and arguments', rows }]
}
