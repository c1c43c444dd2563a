import { isIPv4, isIPv6 } from 'node:net'
import * as Digest from 'multiformats/hashes/digest'
import { IDENTITY_CODE, SHA256_CODE } from '../cid/cidFormat.js'
import { decodeMultibase } from '../cid/multibase.js'
import { parseCid } from '../cid/parseCid.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { textOfBytes } from '../../encoding/byteText.js'
import { parseName, peerIdText, problemOfHash, problemOfMultihash } from './keystore.js'
import { goQuote } from '../text/goQuote.js'

/** Throws go-multiaddr's error for an invalid value. */
type ValueCheck = (value: string) => void

/** Protocols with a value, and the checks on it (go-multiaddr, `protocols.go` and `transcoders.go`). */
export const addressValueChecks: ReadonlyMap<string, ValueCheck> = new Map([
  ['ip4', checkIp4],
  ['ip6', checkIp6],
  ['ip6zone', checkFilled('empty ip6zone')],
  ['ipcidr', (value: string) => checkUnsigned(value, 8)],
  ...['dns', 'dns4', 'dns6', 'dnsaddr', 'sni'].map((name) => [name, checkFilled('empty dns addr')] as const),
  ...['tcp', 'udp', 'dccp', 'sctp'].map((name) => [name, checkPort] as const),
  ['memory', (value: string) => checkUnsigned(value, 64)],
  ['p2p', checkPeerId],
  ['http-path', checkHttpPath],
  ['onion', checkOnion],
  ['onion3', checkOnion3],
  ['garlic32', checkGarlic32],
  ['garlic64', checkGarlic64],
  ['certhash', checkCertificateHash],
  // Any text.
  ['unix', () => undefined],
])

/** Formats a valid value like go-multiaddr; the values of other protocols stay as they are. */
export function canonicalValue(protocol: string, value: string): string {
  if (['tcp', 'udp', 'dccp', 'sctp', 'ipcidr', 'memory'].includes(protocol)) return String(BigInt(value))
  if (protocol === 'ip6') return canonicalIp6(value)
  const name = protocol === 'p2p' ? parseName(value) : undefined
  return name === undefined ? value : peerIdText(name)
}

/** Shortens an IPv6 address; an IPv4 address, also where it is embedded, stays in dots. */
function canonicalIp6(value: string): string {
  if (isIPv4(value)) return `::ffff:${value}`
  const short = new URL(`http://[${value}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short) ?? []
  if (high === undefined || low === undefined) return short
  const bytes = [high, low].flatMap((group) => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 0xff,
  ])
  return `::ffff:${bytes.join('.')}`
}

/** A Tor address is ten bytes in Base32, with a port. */
function checkOnion(value: string): void {
  const [host, port] = splitOnion(value)
  if (decodeOnion(value, host).length !== 10) throw onionFailure(`${value} not a Tor onion address`)
  checkOnionPort(port)
}

function checkOnion3(value: string): void {
  const [host, port] = splitOnion(value)
  if (host.length !== 56) throw onionFailure(`${value} not a Tor onionv3 address. len == ${host.length}`)
  decodeOnion(value, host)
  checkOnionPort(port)
}

function splitOnion(value: string): [host: string, port: string] {
  const [host = '', port, ...rest] = value.split(':')
  if (port === undefined || rest.length > 0) throw onionFailure(`${value} does not contain a port number`)
  return [host, port]
}

function decodeOnion(value: string, host: string): Uint8Array {
  try {
    return decodeBase32(host.toUpperCase(), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')
  } catch (error) {
    throw new FileNetworkError(`failed to decode base32 onion addr: ${value} ${errorText(error)}`)
  }
}

function checkOnionPort(port: string): void {
  try {
    checkUnsigned(port, 16)
  } catch (error) {
    throw onionFailure(errorText(error))
  }
  if (Number(port) === 0) throw onionFailure('non-zero port')
}

function onionFailure(problem: string): FileNetworkError {
  return new FileNetworkError(`failed to parse onion addr: ${problem}`)
}

/** An I2P address is 32 bytes in Base32, or at least 35 where it is encrypted. */
function checkGarlic32(value: string): void {
  const padded = value.padEnd(Math.ceil(value.length / 8) * 8, '=')
  let bytes: Uint8Array
  try {
    bytes = decodeBase32(padded, 'abcdefghijklmnopqrstuvwxyz234567')
  } catch (error) {
    throw new FileNetworkError(
      `failed to decode base32 garlic addr: ${padded}, err: ${errorText(error)} len: ${padded.length}`,
    )
  }
  if (bytes.length >= 35 || bytes.length === 32) return
  throw garlicFailure(bytes, 32)
}

function checkGarlic64(value: string): void {
  const place = value.search(/[^A-Za-z0-9~=-]/)
  const digits = value.replace(/={1,2}$/, '')
  const wrong = place < 0 ? digits.indexOf('=') : place
  if (wrong >= 0 || value.length % 4 !== 0) {
    const at = wrong < 0 ? value.length - (value.length % 4) : wrong
    throw new FileNetworkError(
      `failed to decode base64 i2p addr: ${value} illegal base64 data at input byte ${at}`,
    )
  }
  const bytes = Buffer.from(value.replaceAll('-', '+').replaceAll('~', '/'), 'base64')
  if (bytes.length < 386) throw garlicFailure(bytes, 64)
}

function garlicFailure(bytes: Uint8Array, base: number): FileNetworkError {
  return new FileNetworkError(
    `failed to validate garlic addr: ${textOfBytes(bytes)} not an i2p base${base} address. len: ${bytes.length}`,
  )
}

/** @throws FileNetworkError with the message of Go's `encoding/base32` */
function decodeBase32(text: string, alphabet: string): Uint8Array {
  const fail = (place: number): FileNetworkError =>
    new FileNetworkError(`illegal base32 data at input byte ${place}`)
  const digits = /^[^=]*/.exec(text)?.[0] ?? ''
  const wrong = [...digits].findIndex((digit) => !alphabet.includes(digit))
  if (wrong >= 0) throw fail(wrong)
  const inLast = digits.length % 8
  const padding = text.slice(digits.length)
  if (padding === '' && inLast > 0) throw fail(digits.length - inLast)
  if (padding !== '' && inLast < 2) throw fail(digits.length)
  if (padding !== '') {
    const needed = 8 - inLast
    if (padding.length < needed) throw fail(text.length)
    const stray = [...padding.slice(0, needed)].findIndex((digit) => digit !== '=')
    if (stray >= 0) throw fail(digits.length + stray)
    if (inLast === 3 || inLast === 6 || padding.length > needed) throw fail(digits.length)
  }
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8))
  let bits = 0
  let held = 0
  let count = 0
  for (const digit of digits) {
    held = ((held << 5) | alphabet.indexOf(digit)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[count++] = (held >> bits) & 0xff
  }
  return bytes
}

/** The hash of a certificate is a multihash in any multibase. */
function checkCertificateHash(value: string): void {
  const bytes = decodeMultibase(value)
  try {
    Digest.decode(bytes)
  } catch {
    throw new FileNetworkError(problemOfMultihash(bytes))
  }
}

function checkHttpPath(value: string): void {
  const [escape] = /%(?![0-9a-f]{2}).{0,2}/is.exec(value) ?? []
  if (escape !== undefined) throw new FileNetworkError(`invalid URL escape ${goQuote(escape)}`)
  if (value === '') throw new FileNetworkError('empty http path is not allowed')
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
  throw new FileNetworkError(`strconv.ParseUint: parsing ${goQuote(text)}: ${problem}`)
}

const SHA256_LENGTH = 32

/** Checks a peer ID: the hash of a key, or the CID of that. */
function checkPeerId(id: string): void {
  const name = parseName(id)
  if (name === undefined) throw new FileNetworkError(`failed to parse p2p addr: ${id} ${problemOfPeerId(id)}`)
  const { code, size } = name.multihash
  if (code !== SHA256_CODE && code !== IDENTITY_CODE) {
    throw new FileNetworkError(`invalid multihash code ${code} expected sha-256 or identity`)
  }
  if (code === SHA256_CODE && size !== SHA256_LENGTH) {
    throw new FileNetworkError(`invalid digest length ${size} for sha256 addr: expected ${SHA256_LENGTH}`)
  }
}

function problemOfPeerId(id: string): string {
  if (/^(1|Qm)/.test(id)) return problemOfHash(id)
  try {
    return `has the invalid codec ${parseCid(id).code}`
  } catch (error) {
    return errorText(error)
  }
}
