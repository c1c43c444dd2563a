import type { ServerResponse } from 'node:http'
import type { Refusal } from '../provider/door/refusal.js'

/** Answers with a text. */
export function sendText(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, {
    ...refusal.headers,
    'content-length': Buffer.byteLength(refusal.body),
  })
  response.end(refusal.body)
}

/** Answers with a status and nothing else. */
export function sendEmpty(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'content-length': 0 })
  response.end()
}
