import type { IncomingMessage, ServerResponse } from 'node:http'

/** What every reply to a JSON-RPC request carries, so that web pages may read it. */
export const openToPages = { 'access-control-allow-origin': '*' }

/** Whether a browser asks what it may send (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

/** Lets every page send JSON-RPC: the key is in the path, and no credentials are asked of a preflight. */
export function answerPreflight(response: ServerResponse): void {
  response.writeHead(200, {
    ...openToPages,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Content-Type, Authorization, Enable-Failover',
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'content-length': 0,
  })
  response.end()
}
