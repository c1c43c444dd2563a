import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AdmissionControl } from '../provider/admission/admission.js'
import { hostWithoutPort, isLoopbackHost } from '../provider/admission/origin.js'
import { type Refusal, refuse } from '../provider/admission/refusal.js'

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
  admission: AdmissionControl,
  allowedHosts: readonly string[],
  request: IncomingMessage,
): Refusal | undefined {
  const { host = '', origin } = request.headers
  const name = hostWithoutPort(host).toLowerCase()
  const allowed = allowedHosts.includes('*') || allowedHosts.includes(name)
  if (!allowed && !isLoopbackHost(name)) return invalidHost
  if (origin !== undefined && !admission.isOwnOrigin(origin)) return invalidOrigin
  if (!allowed && request.url !== healthPath && !isLoopbackPeer(request.socket.remoteAddress))
    return invalidPeer
  return undefined
}

function isLoopbackPeer(address: string | undefined): boolean {
  return address !== undefined && isLoopbackHost(address.replace(/^::ffff:/, ''))
}

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
