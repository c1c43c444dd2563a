import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

const fieldsOfOffer = ['connection', 'upgrade', 'http2-settings']

/**
 * Whether a request that node:http takes for an upgrade only offers to go on with HTTP/2, as Java's client does with each
 * request. A server that stays with HTTP/1.1 leaves that aside (RFC 9110, section 7.8).
 */
export function offersHttp2({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'h2c'
}

/**
 * Puts such a request back into its socket without the offer, so that it can be read again.
 *
 * @param rest what came behind its head
 */
export function putBackWithoutOffer(request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const { method = '', url = '', httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    if (!fieldsOfOffer.includes(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]))
}
