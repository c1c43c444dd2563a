import { bytesEqual } from '../../encoding/hex.js'
import type { Backend } from '../backend.js'

/** Whether a 20-byte address is one that the node has a key of, or that is impersonated. */
export function knows({ accounts, controls }: Backend, address: Uint8Array): boolean {
  return [...accounts.addresses(), ...controls.impersonated()].some((known) => bytesEqual(known, address))
}
