import type { PrivateKey } from '@libp2p/interface'
import { type KeyObject, createPrivateKey } from 'node:crypto'
import { varint as varints } from 'multiformats'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { textOfBytes } from '../../encoding/byteText.js'
import { checkRsaBits, decodeKey, encodeKey, keyTypes } from './keystore.js'

const formats = { protobuf: 'libp2p-protobuf-cleartext', pem: 'pem-pkcs8-cleartext' } as const

/**
 * Decodes the file of a key pair.
 *
 * @param format - `libp2p-protobuf-cleartext` or `pem-pkcs8-cleartext`
 * @throws {@link FileNetworkError} with the messages of Kubo and go-libp2p
 */
export async function readKeyFile(content: Uint8Array, format: string): Promise<PrivateKey> {
  if (format === formats.pem) return readPem(textOfBytes(content))
  if (format !== formats.protobuf) throw new FileNetworkError(`unrecognized import format: ${format}`)
  try {
    return await decodeKey(checkMessage(content))
  } catch (error) {
    if (findBlock(textOfBytes(content)) !== undefined) {
      throw new FileNetworkError(
        `unexpected PEM block for format=${formats.protobuf}: try again with format=${formats.pem}`,
      )
    }
    throw new FileNetworkError(`unable to unmarshall format=${format}: ${errorText(error)}`)
  }
}

/**
 * Rejects a message that is incomplete, or whose data does not suit its type.
 *
 * @returns the message, with a number in place of one that is too large for its curve
 */
function checkMessage(bytes: Uint8Array): Uint8Array {
  const { type, data } = fieldsOf(bytes)
  const missing = type === undefined ? 'Type' : 'Data'
  if (type === undefined || data === undefined) {
    throw new FileNetworkError(`proto: required field crypto.pb.PrivateKey.${missing} not set`)
  }
  if (type === keyTypes.rsa) checkRsaBits(modulusLength(asn1Key(data, 'pkcs1')))
  else if (type === keyTypes.ecdsa) checkCurve(asn1Key(data, 'sec1'))
  else if (type === keyTypes.ed25519) {
    if (![64, 96].includes(data.length)) {
      throw new FileNetworkError(`expected ed25519 data size to be 64 or 96, got ${data.length}`)
    }
  } else if (type !== keyTypes.secp256k1) throw new FileNetworkError('invalid or unsupported key type')
  else if (data.length !== 32) throw new FileNetworkError('expected secp256k1 data size to be 32')
  else return encodeKey(type, reduced(data))
  return bytes
}

/** The order of the group of secp256k1 (SEC 2, 2.4.1). */
const secp256k1Order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')

/**
 * Reduces the scalar of a secp256k1 key, as Kubo does.
 *
 * @throws {@link FileNetworkError} for 0, whose public key is no point of the curve; Kubo stores such a key
 */
function reduced(data: Uint8Array): Uint8Array {
  const scalar = BigInt(`0x${Buffer.from(data).toString('hex')}`) % secp256k1Order
  if (scalar === 0n) throw new FileNetworkError('a secp256k1 key must not be 0')
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex')
}

/** Reads the type (field 1) and data (field 2) of a protobuf message, and skips other fields. */
function fieldsOf(bytes: Uint8Array): { type?: number; data?: Uint8Array } {
  const fields: { type?: number; data?: Uint8Array } = {}
  let at = 0
  const varint = (): number => {
    const [value, width] = varints.decode(bytes, at)
    at += width
    return value
  }
  try {
    while (at < bytes.length) {
      const key = varint()
      const [field, kind] = [key >> 3, key & 7]
      const length = kind === 0 ? 0 : kind === 1 ? 8 : kind === 5 ? 4 : kind === 2 ? varint() : Number.NaN
      const start = at
      if (kind === 0) {
        const value = varint()
        if (field === 1) fields.type = value
      } else at += length
      if (field < 1 || !(at <= bytes.length)) throw new RangeError('end of the message')
      if (field === 2 && kind === 2) fields.data = bytes.subarray(start, at)
    }
    return fields
  } catch {
    throw new FileNetworkError('proto: cannot parse invalid wire-format data')
  }
}

/** Decodes a key of one type in ASN.1. */
function asn1Key(data: Uint8Array, type: 'pkcs1' | 'sec1'): KeyObject {
  const der = { key: Buffer.from(data), format: 'der' } as const
  try {
    return createPrivateKey({ ...der, type })
  } catch (error) {
    let isWrapped = true
    try {
      createPrivateKey({ ...der, type: 'pkcs8' })
    } catch {
      isWrapped = false
    }
    if (!isWrapped) throw error
    throw new FileNetworkError(
      'x509: failed to parse private key (use ParsePKCS8PrivateKey instead for this key format)',
    )
  }
}

function modulusLength(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? 0
}

/** Curves of the library, by Node's names. */
const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

function checkCurve(key: KeyObject): void {
  if (curves.has(key.asymmetricKeyDetails?.namedCurve ?? '')) return
  throw new FileNetworkError('x509: unknown elliptic curve')
}

/** The lines that surround a PEM block. */
const pemMark = /-----(BEGIN|END) ([A-Z0-9 ]+)-----/g
/** Header lines of a block. */
const pemHeaders = /^(?:[^\n:]+:[^\n]*\n)*/

/**
 * Returns the label of the first PEM block and the block itself, if there is one (Go, `encoding/pem`). Goes from mark to
 * mark: one expression for a whole block takes quadratic time.
 */
function findBlock(text: string): { label: string; block: string } | undefined {
  let begun: { label: string; start: number } | undefined
  for (const { 0: mark, 1: kind, 2: label = '', index } of text.matchAll(pemMark)) {
    const [lineEnd] = /^\r?\n/.exec(text.slice(index + mark.length, index + mark.length + 2)) ?? []
    if (kind === 'BEGIN') {
      begun = lineEnd === undefined ? undefined : { label, start: index + mark.length + lineEnd.length }
      continue
    }
    const content = begun?.label === label ? text.slice(begun.start, index) : ':'
    begun = undefined
    const base64 = content.slice(pemHeaders.exec(content)?.[0].length)
    if (/^[A-Za-z0-9+/=\s]*$/.test(base64)) {
      return { label, block: `-----BEGIN ${label}-----\n${base64.trimStart()}-----END ${label}-----` }
    }
  }
  return undefined
}

/** Object identifiers of algorithms that Go's `x509` does not know, by Node's names. */
const unknownAlgorithms: Readonly<Record<string, string>> = {
  dsa: '1.2.840.10040.4.1',
  'rsa-pss': '1.2.840.113549.1.1.10',
  x448: '1.3.101.111',
  ed448: '1.3.101.113',
}

async function readPem(text: string): Promise<PrivateKey> {
  const { label, block = '' } = findBlock(text) ?? {}
  if (label === undefined) throw new FileNetworkError(`PEM block not found in input data:\n${text}`)
  if (label !== 'PRIVATE KEY') {
    throw new FileNetworkError(`expected PRIVATE KEY type in PEM block but got: ${label}`)
  }
  let key
  try {
    key = createPrivateKey(block)
  } catch (error) {
    throw new FileNetworkError(`parsing PKCS8 format: ${errorText(error)}`)
  }
  return decodeKey(encodingOf(key))
}

/** Returns a key in libp2p's encoding. */
function encodingOf(key: KeyObject): Uint8Array {
  const kind = key.asymmetricKeyType ?? ''
  if (kind === 'ed25519') {
    const { d = '', x = '' } = key.export({ format: 'jwk' })
    return encodeKey(
      keyTypes.ed25519,
      Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]),
    )
  }
  if (kind === 'rsa') {
    // Kubo stores a shorter one, but cannot read it again.
    checkRsaBits(modulusLength(key))
    return encodeKey(keyTypes.rsa, key.export({ type: 'pkcs1', format: 'der' }))
  }
  if (kind === 'ec') {
    try {
      checkCurve(key)
    } catch (error) {
      throw new FileNetworkError(
        `parsing PKCS8 format: x509: failed to parse EC private key embedded in PKCS#8: ${errorText(error)}`,
      )
    }
    return encodeKey(keyTypes.ecdsa, key.export({ type: 'sec1', format: 'der' }))
  }
  const algorithm = unknownAlgorithms[kind]
  if (algorithm === undefined) {
    throw new FileNetworkError('converting std Go key to libp2p key: invalid or unsupported key type')
  }
  throw new FileNetworkError(
    `parsing PKCS8 format: x509: PKCS#8 wrapping contained private key with unknown algorithm: ${algorithm}`,
  )
}
