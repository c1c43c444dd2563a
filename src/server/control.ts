import type { IncomingMessage } from 'node:http'
import type { Door } from '../provider/door/door.js'
import { hostWithoutPort, isLoopbackHost } from '../provider/door/origin.js'
import type { Refusal } from '../provider/door/refusal.js'
import { refuse } from '../provider/door/refusal.js'

const invalidHost = refuse(403, 'invalid host specified\n')
const invalidOrigin = refuse(403, 'invalid origin\n')
const invalidPeer = refuse(403, 'only this machine may use the controls (see --allow-host)\n')

/** The path that tells whether the node is ready; also asked from other machines. */
export const healthPath = '/_standin/health'

/**
 * Who may use `/_standin`: loopback host names and those that are allowed, so that no name that an attacker points
 * here reaches it; and no web page of a foreign origin. Unless a host name is allowed, only this machine.
 */
export function refuseControl(
  door: Door,
  allowedHosts: readonly string[],
  request: IncomingMessage,
): Refusal | undefined {
  const { host = '', origin } = request.headers
  const name = hostWithoutPort(host).toLowerCase()
  const allowed = allowedHosts.includes('*') || allowedHosts.includes(name)
  if (!allowed && !isLoopbackHost(name)) return invalidHost
  if (origin !== undefined && !door.isOwnOrigin(origin)) return invalidOrigin
  if (!allowed && request.url !== healthPath && !isLoopbackPeer(request.socket.remoteAddress))
    return invalidPeer
  return undefined
}

function isLoopbackPeer(address: string | undefined): boolean {
  return address !== undefined && isLoopbackHost(address.replace(/^::ffff:/, ''))
}
