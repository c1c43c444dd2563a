import { isIPv4, isIPv6 } from 'node:net'
import { parseCid } from '../cid/parseCid.js'
import { FileNetworkError, errorText } from '../errors.js'
import { parseName } from './keystore.js'

/** A part of a multiaddress, such as `tcp` with the value `4001`; the value is empty if the protocol has none. */
export interface AddressPart {
  protocol: string
  value: string
}

/** Throws go-multiaddr's error for an invalid value. */
type ValueCheck = (value: string) => void

/** Protocols with a value, and the checks on it (go-multiaddr, `protocols.go` and `transcoders.go`). */
const protocolsWithValue: ReadonlyMap<string, ValueCheck> = new Map([
  ['ip4', checkIp4],
  ['ip6', checkIp6],
  ['ip6zone', checkFilled('empty ip6zone')],
  ['ipcidr', (value: string) => checkUnsigned(value, 8)],
  ...['dns', 'dns4', 'dns6', 'dnsaddr', 'sni'].map((name) => [name, checkFilled('empty dns addr')] as const),
  ...['tcp', 'udp', 'dccp', 'sctp'].map((name) => [name, checkPort] as const),
  ['memory', (value: string) => checkUnsigned(value, 64)],
  ['p2p', checkPeerId],
  ['http-path', checkFilled('empty http path is not allowed')],
  // Values that are not checked.
  ...['onion', 'onion3', 'garlic64', 'garlic32', 'certhash', 'unix'].map(
    (name) => [name, () => undefined] as const,
  ),
])
const protocolsWithoutValue = new Set([
  ...['utp', 'udt', 'quic', 'quic-v1', 'webtransport', 'http', 'https', 'tls', 'noise', 'plaintextv2'],
  ...['ws', 'wss', 'webrtc', 'webrtc-direct', 'p2p-circuit', 'p2p-webrtc-direct'],
])

/**
 * Parses a multiaddress (https://multiformats.io/multiaddr/). Ignores trailing slashes.
 *
 * @throws {@link FileNetworkError} with go-multiaddr's message (`codec.go`)
 */
export function parseMultiaddress(given: string): AddressPart[] {
  const text = given.replace(/\/+$/, '')
  const fail = (problem: string): FileNetworkError =>
    new FileNetworkError(`failed to parse multiaddr ${JSON.stringify(text)}: ${problem}`)
  const [front, ...segments] = text.split('/')
  if (front !== '') throw fail('must begin with /')
  if (segments.length === 0) throw fail('empty multiaddr')
  const parts: AddressPart[] = []
  while (segments.length > 0) {
    const name = segments.shift() ?? ''
    const protocol = name === 'ipfs' ? 'p2p' : name
    const check = protocolsWithValue.get(protocol)
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
      throw fail(`invalid value ${JSON.stringify(value)} for protocol ${protocol}: ${errorText(error)}`)
    }
    parts.push({ protocol, value })
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

function checkFilled(problem: string): ValueCheck {
  return (value) => {
    if (value === '') throw new FileNetworkError(problem)
  }
}

function checkIp4(value: string): void {
  if (!isIPv4(value)) throw new FileNetworkError(`failed to parse ip4 addr: ${value}`)
}

function checkIp6(value: string): void {
  const isAddress = isIPv4(value) || (isIPv6(value) && !value.includes('%'))
  if (!isAddress) throw new FileNetworkError(`failed to parse ip6 addr: ${value}`)
}

function checkPort(value: string): void {
  try {
    checkUnsigned(value, 16)
  } catch (error) {
    throw new FileNetworkError(`failed to parse port addr: ${errorText(error)}`)
  }
}

/**
 * @throws {@link FileNetworkError} with the message of Go's `strconv.ParseUint` unless the text is a number of `bits`
 * bits
 */
function checkUnsigned(text: string, bits: number): void {
  const isNumber = /^\d+$/.test(text)
  if (isNumber && BigInt(text) < 1n << BigInt(bits)) return
  const problem = isNumber ? 'value out of range' : 'invalid syntax'
  throw new FileNetworkError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: ${problem}`)
}

/** Checks a peer ID: the hash of a key, or the CID of that. */
function checkPeerId(id: string): void {
  if (parseName(id) !== undefined) return
  throw new FileNetworkError(`failed to parse p2p addr: ${id} ${problemOfPeerId(id)}`)
}

function problemOfPeerId(id: string): string {
  if (/^(1|Qm)/.test(id)) return "input isn't valid multihash"
  try {
    return `has the invalid codec ${parseCid(id).code}`
  } catch (error) {
    return errorText(error)
  }
}
