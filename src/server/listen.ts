import { type RequestListener, type Server as HttpServer, createServer as createHttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A server of either protocol. */
export type Server = HttpServer | HttpsServer

/** A certificate with its private key, in PEM form. */
export interface Certificate {
  cert: string
  key: string
}

/** Seconds that a connection may wait for its next request. */
export const keepAliveSeconds = 75

/** Connections that may wait to be accepted: Node's 511 are fewer than a thousand clients that come at once. */
const waitingConnections = 4096

/** Makes a server whose uploads may take as long as they like. */
export function createServer(listener: RequestListener, certificate: Certificate | undefined): Server {
  const options = { requestTimeout: 0, keepAliveTimeout: keepAliveSeconds * 1000 }
  if (certificate === undefined) return createHttpServer(options, listener)
  // Loaded where it is used: TLS takes longer to load than all of the server.
  return process.getBuiltinModule('node:https').createServer({ ...options, ...certificate }, listener)
}

/** An address that something else listens on already. */
export class AddressInUseError extends Error {
  override readonly name = 'AddressInUseError'
  readonly port: number
  constructor(host: string, port: number) {
    super(`${formatAddress(host, port)} is in use already`)
    this.port = port
  }
}

/** An address and port as one word; IPv6 addresses stand in brackets. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/**
 * Listens on one port of several addresses, one server each.
 *
 * Port 0 lets the system choose; the other addresses then follow the first one. A machine without IPv6 is no
 * error where the IPv6 loopback is only one of several addresses.
 *
 * @returns the servers that listen, and the port they share.
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
      // The port that the system chose on one address may be taken on another one.
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
      const listening = await listen(server, { host, port }, address.hosts.length > 1 && host === '::1')
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

/** @returns the port; undefined if the address does not exist here and may be left out */
function listen(
  server: Server,
  address: { host: string; port: number },
  mayBeMissing: boolean,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'
      if (missing && mayBeMissing) resolve(undefined)
      else if (error.code === 'EADDRINUSE') reject(new AddressInUseError(address.host, address.port))
      else reject(error)
    })
    server.once('listening', () => resolve((server.address() as AddressInfo).port))
    bind(server, address)
  })
}

/** The family of the addresses that a node listens on unless it is told otherwise. */
const loopbackFamilies: Readonly<Partial<Record<string, 4 | 6>>> = { '127.0.0.1': 4, '::1': 6 }

/** libuv's UV_TCP_IPV6ONLY. */
const ipv6Only = 1

interface Binds {
  _listen2?(host: string, port: number, family: 4 | 6, backlog: number, fd: undefined, flags: number): void
}

/**
 * Starts to listen; the server tells by its events what came of it.
 *
 * `listen` looks every host up, for which Node loads its resolver and compiles a regular expression for each family of
 * addresses: 7 to 15 ms of a start. What it calls with the outcome is on the server under a name that Node keeps for
 * those who wrap it (`lib/net.js`, listenInCluster); a Node without it is asked in the usual way.
 */
function bind(server: Server & Binds, { host, port }: { host: string; port: number }): void {
  const family = loopbackFamilies[host]
  if (family === undefined || server._listen2 === undefined) {
    server.listen({ host, port, ipv6Only: true, backlog: waitingConnections })
    return
  }
  server._listen2(host, port, family, waitingConnections, undefined, family === 6 ? ipv6Only : 0)
}
