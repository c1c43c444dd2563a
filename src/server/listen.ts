import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

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
export async function listenOnAll<Listener extends Server>(
  createServer: () => Listener,
  address: { hosts: readonly string[]; port: number },
): Promise<{ servers: Listener[]; port: number }> {
  const attempts = address.port === 0 && address.hosts.length > 1 ? 20 : 1
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenOnce(createServer, address)
    } catch (error) {
      // The port that the system chose on one address may be taken on another one.
      if (!(error instanceof AddressInUseError) || attempt >= attempts) throw error
    }
  }
}

async function listenOnce<Listener extends Server>(
  createServer: () => Listener,
  address: { hosts: readonly string[]; port: number },
): Promise<{ servers: Listener[]; port: number }> {
  const servers: Listener[] = []
  let port = address.port
  try {
    for (const host of address.hosts) {
      const server = createServer()
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
    server.listen({ ...address, ipv6Only: true }, () => resolve((server.address() as AddressInfo).port))
  })
}
