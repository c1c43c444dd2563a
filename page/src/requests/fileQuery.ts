import type { DecodedGroup } from '../decode/request.js'

/** The query of a file operation as a person reads it: without the escapes of an address. */
export function readableQuery(query: string): string {
  // A preview may be cut within an escape: that end stays as it is.
  return query.replace(/(%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** What a file operation, or a request to the gateway, asked for; undefined if there is no more than its name. */
export function decodeFileParams(method: string, params: unknown): DecodedGroup[] | undefined {
  if (typeof params !== 'string' || params === '') return undefined
  if (method === 'gateway') {
    return [{ title: 'Request', rows: [{ name: 'path', value: readableQuery(params) }] }]
  }
  const rows = [...new URLSearchParams(params)].map(([name, value]) => ({ name, value }))
  return [{ title: 'Options and arguments', rows }]
}
