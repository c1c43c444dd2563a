import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { addressValueChecks, canonicalValue } from './addressValues.js'
import { goQuote } from '../text/goQuote.js'
import { trimEnd } from '../text/trim.js'

/** A part of a multiaddress, such as `tcp` with the value `4001`; the value is empty if the protocol has none. */
export interface AddressPart {
  protocol: string
  value: string
}

const protocolsWithoutValue = new Set([
  ...['utp', 'udt', 'quic', 'quic-v1', 'webtransport', 'http', 'https', 'tls', 'noise', 'plaintextv2'],
  ...['ws', 'wss', 'webrtc', 'webrtc-direct', 'p2p-circuit', 'p2p-webrtc-direct'],
])

/** The longest multiaddress, in characters. Go has no limit, but real ones have fewer than a thousand. */
const MAX_ADDRESS_LENGTH = 8192

/**
 * Parses a multiaddress (https://multiformats.io/multiaddr/). Ignores trailing slashes; values become canonical.
 *
 * @throws {@link FileNetworkError} with go-multiaddr's message (`codec.go`)
 */
export function parseMultiaddress(given: string): AddressPart[] {
  if (given.length > MAX_ADDRESS_LENGTH) {
    throw new FileNetworkError(`a multiaddress of more than ${MAX_ADDRESS_LENGTH} characters`)
  }
  const text = trimEnd(given, '/')
  const fail = (problem: string): FileNetworkError =>
    new FileNetworkError(`failed to parse multiaddr ${goQuote(text)}: ${problem}`)
  const [front, ...segments] = text.split('/')
  if (front !== '') throw fail('must begin with /')
  if (segments.length === 0) throw fail('empty multiaddr')
  const parts: AddressPart[] = []
  while (segments.length > 0) {
    const name = segments.shift() ?? ''
    const protocol = name === 'ipfs' ? 'p2p' : name
    const check = addressValueChecks.get(protocol)
    if (check === undefined) {
      if (!protocolsWithoutValue.has(protocol)) throw fail(`unknown protocol ${name}`)
      parts.push({ protocol, value: '' })
      continue
    }
    if (segments.length === 0) throw fail('unexpected end of multiaddr')
    // A path extends to the end.
    const value = protocol === 'unix' ? `/${segments.splice(0).join('/')}` : (segments.shift() ?? '')
    try {
      check(value)
    } catch (error) {
      throw fail(`invalid value ${goQuote(value)} for protocol ${protocol}: ${errorText(error)}`)
    }
    parts.push({ protocol, value: canonicalValue(protocol, value) })
  }
  return parts
}

/** Returns the peer at the end of a multiaddress, if any. */
export function peerOf(parts: readonly AddressPart[]): string | undefined {
  const last = parts.at(-1)
  return last?.protocol === 'p2p' ? last.value : undefined
}

/** Formats a multiaddress like go-multiaddr. */
export function formatMultiaddress(parts: readonly AddressPart[]): string {
  return parts
    .map(({ protocol, value }) => {
      if (protocol === 'unix') return `/unix${value}`
      return protocolsWithoutValue.has(protocol) ? `/${protocol}` : `/${protocol}/${value}`
    })
    .join('')
}
