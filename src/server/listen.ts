import {
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
  createServer as createHttpServer,
} from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { ShortWorkQueue } from '../encoding/timeSlice.js'
import { PaceableRequest } from './request.js'

/** An HTTP or HTTPS server. */
export type Server = HttpServer | HttpsServer

/** A certificate with its private key, in PEM. */
export interface Certificate {
  cert: string
  key: string
}

/** How long a connection may wait for its next request, in seconds. */
export const KEEP_ALIVE_SECONDS = 75

/** Accept backlog: Node's default of 511 is less than a thousand clients that connect at once. */
const WAITING_CONNECTIONS = 4096

/** Maximum number of header fields. Node's default is 2000, and it takes a millisecond to read as many. */
export const MAX_HEADERS = 128

/** Creates a server without a time limit on uploads. */
export function createServer(listener: RequestListener, certificate: Certificate | undefined): Server {
  const options = {
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
    IncomingMessage: PaceableRequest,
  }
  // Loaded on demand, as TLS takes longer to load than the whole server.
  const server =
    certificate === undefined
      ? createHttpServer(options, listener)
      : process.getBuiltinModule('node:https').createServer({ ...options, ...certificate }, listener)
  // One more, to tell a request with too many.
  server.maxHeadersCount = MAX_HEADERS + 1
  server.on('clientError', refuseConnection)
  return server
}

/** Status lines of connections that are refused before a request is read, by the code of the error. */
const refusals = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
])

/** An error of Node's parser. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

/** A request line (RFC 9112, section 3). */
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^ \r\n]+ HTTP\/1\.[01]\r?\n/

/** Whether a request is refused only for its method: Node's parser knows a list of them, Go's takes any. */
function isUnknownMethod({ code, rawPacket }: ParserError): boolean {
  return code === 'HPE_INVALID_METHOD' && requestLine.test(rawPacket?.toString('latin1') ?? '')
}

/** Connections to close. */
const departures = new ShortWorkQueue()

/**
 * Ends a connection whose input is not HTTP, with the answers of node:http. A client that left in the middle of a
 * request gets none, as from Go: two thousand that leave together would take a tenth of a second.
 */
function refuseConnection(error: ParserError, socket: Duplex): void {
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse }
  const hasGone = error.code === 'HPE_INVALID_EOF_STATE' || error.code === 'ECONNRESET'
  if (hasGone) {
    departures.add(() => socket.destroy())
    return
  }
  if (socket.writable && response?.headersSent !== true) {
    const status = isUnknownMethod(error) ? '405 Method Not Allowed' : refusals.get(error.code ?? '')
    socket.write(`HTTP/1.1 ${status ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
  }
  socket.destroy()
}

/** Something else already listens on the address. */
export class AddressInUseError extends Error {
  override readonly name = 'AddressInUseError'
  readonly port: number
  constructor(host: string, port: number) {
    super(`${formatAddress(host, port)} is already in use`)
    this.port = port
  }
}

/** Formats an address and port; IPv6 addresses are put in brackets. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/**
 * Listens on one port of several addresses, with one server each.
 *
 * With port 0, the system chooses a port on the first address and the others follow. A missing IPv6 is not an error if
 * the IPv6 loopback is only one of several addresses.
 *
 * @returns the listening servers and their common port
 * @throws AddressInUseError
 */
export async function listenOnAll(
  create: () => Server,
  address: { hosts: readonly string[]; port: number },
): Promise<{ servers: Server[]; port: number }> {
  const attempts = address.port === 0 && address.hosts.length > 1 ? 20 : 1
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenOnce(create, address)
    } catch (error) {
      // The port that the system chose on one address may be taken on another.
      if (!(error instanceof AddressInUseError) || attempt >= attempts) throw error
    }
  }
}

async function listenOnce(
  create: () => Server,
  address: { hosts: readonly string[]; port: number },
): Promise<{ servers: Server[]; port: number }> {
  const servers: Server[] = []
  let port = address.port
  try {
    for (const host of address.hosts) {
      const server = create()
      const mayBeMissing = address.hosts.length > 1 && host === '::1'
      const listening = await listen(server, { host, port, mayBeMissing })
      if (listening === undefined) continue
      servers.push(server)
      port = listening
    }
  } catch (error) {
    for (const server of servers) server.close()
    throw error
  }
  return { servers, port }
}

/** @returns the port; undefined if the address does not exist here and may be omitted */
function listen(
  server: Server,
  address: { host: string; port: number; mayBeMissing: boolean },
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'
      if (missing && address.mayBeMissing) resolve(undefined)
      else if (error.code === 'EADDRINUSE') reject(new AddressInUseError(address.host, address.port))
      else reject(error)
    })
    server.once('listening', () => resolve((server.address() as AddressInfo).port))
    bind(server, address)
  })
}

/** Address families of the default listening addresses. */
const loopbackFamilies: Readonly<Partial<Record<string, 4 | 6>>> = { '127.0.0.1': 4, '::1': 6 }

/** libuv's UV_TCP_IPV6ONLY. */
const IPV6_ONLY = 1

interface Binds {
  _listen2?(host: string, port: number, family: 4 | 6, backlog: number, fd: undefined, flags: number): void
}

/**
 * Starts listening; the server reports the outcome by events.
 *
 * `listen` looks up every host, for which Node loads its resolver and compiles a regular expression per address family:
 * 7 to 15 ms of startup. The function that it then calls is available on the server, under a name that Node keeps for
 * code that wraps it (`lib/net.js`, listenInCluster). Without it, falls back to `listen`.
 */
function bind(server: Server & Binds, { host, port }: { host: string; port: number }): void {
  const family = loopbackFamilies[host]
  if (family === undefined || server._listen2 === undefined) {
    server.listen({ host, port, ipv6Only: true, backlog: WAITING_CONNECTIONS })
    return
  }
  server._listen2(host, port, family, WAITING_CONNECTIONS, undefined, family === 6 ? IPV6_ONLY : 0)
}
