import { STATUS_CODES } from 'node:http'
import type { Reply } from '../../rpc/reply.js'

let second = 0
let date = ''

/** The Date field (RFC 9110, section 6.6.1), which is the same for a second. */
function currentDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    date = new Date(now * 1000).toUTCString()
  }
  return date
}

/**
 * The head of a reply to JSON-RPC: the same fields that node:http writes.
 *
 * @param keepAliveSeconds how long the connection may wait for its next request
 */
export function formatReplyHead(
  { status, contentType, byteLength }: Reply,
  keepAliveSeconds: number,
): string {
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\ncontent-type: ${contentType}\r\n` +
    `content-length: ${byteLength}\r\naccess-control-allow-origin: *\r\nDate: ${currentDate()}\r\n` +
    `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
  )
}
