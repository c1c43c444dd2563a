import type { IncomingHttpHeaders } from 'node:http'
import { type AdmissionControl, hostWithoutPort, isLoopbackHost } from '../provider/admission/admission.js'
import { type Refusal, refuse } from '../provider/admission/refusal.js'

const invalidHost = refuse(403, 'invalid host specified\n')
const invalidOrigin = refuse(403, 'invalid origin\n')
const invalidPeer = refuse(403, 'the controls are available only to this machine (see --allow-host)\n')

/** Path of the readiness check; other machines may request it too. */
const healthPath = '/_standin/health'

/** The parts of a request that determine access to the controls. */
export interface ControlRequest {
  target: string
  headers: IncomingHttpHeaders
  /** Whether it comes from this machine. */
  isLocal: boolean
}

/**
 * Decides who may use `/_standin`: only loopback and allowed host names, against DNS rebinding, and no page of a
 * foreign origin. Unless a host name is allowed, only this machine.
 */
export function refuseControl(
  admission: AdmissionControl,
  allowedHosts: readonly string[],
  { target, headers, isLocal }: ControlRequest,
): Refusal | undefined {
  const { host = '', origin } = headers
  const name = hostWithoutPort(host).toLowerCase()
  const allowed = allowedHosts.includes('*') || allowedHosts.includes(name)
  if (!allowed && !isLoopbackHost(name)) return invalidHost
  if (origin !== undefined && !admission.isOwnOrigin(origin)) return invalidOrigin
  if (!allowed && target !== healthPath && !isLocal) return invalidPeer
  return undefined
}

/** Whether a peer's address belongs to this machine. */
export function isLocalAddress(address: string | undefined): boolean {
  return address !== undefined && isLoopbackHost(address.replace(/^::ffff:/, ''))
}
