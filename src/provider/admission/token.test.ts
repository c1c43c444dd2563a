import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { noAllowlists, type TokenRules } from '../keys/apiKey.js'
import { verifyToken } from './token.js'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (key: typeof rsa.publicKey) => key.export({ type: 'spki', format: 'pem' }).toString()

const rules: TokenRules = {
  required: 'all',
  lists: noAllowlists,
  audience: 'https://node.example',
  keys: [
    { id: 'rsa', name: 'rsa', publicKey: pem(rsa.publicKey) },
    { id: 'curve', name: 'curve', publicKey: pem(curve.publicKey) },
  ],
}

const claims = { aud: 'https://node.example', exp: 4_000_000_000, methods: ['eth_chainId'] }
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Creates a token with these parts, signed per RFC 7515. */
function token(
  header: Record<string, unknown>,
  signer: (text: string) => Buffer,
  payload: Record<string, unknown> = claims,
): string {
  const text = `${encode({ typ: 'JWT', ...header })}.${encode(payload)}`
  return `${text}.${signer(text).toString('base64url')}`
}

const byRsa = (text: string) => sign('sha256', Buffer.from(text), rsa.privateKey)
const byCurve = (text: string) =>
  sign('sha256', Buffer.from(text), { key: curve.privateKey, dsaEncoding: 'ieee-p1363' })
const emptySignature = () => Buffer.alloc(0)
/** Signature that a verifier accepts if it does not check the type of its key. */
const byPublicKey = (text: string) => createHmac('sha256', pem(rsa.publicKey)).update(text).digest()

describe('a token', () => {
  it('is valid with the signature of its key', async () => {
    const allowlists = { methods: ['eth_chainId'], addresses: [], origins: [], userAgents: [] }
    expect(await verifyToken(rules, token({ alg: 'RS256', kid: 'rsa' }, byRsa))).toEqual(allowlists)
    expect(await verifyToken(rules, token({ alg: 'ES256', kid: 'curve' }, byCurve))).toEqual(allowlists)
  })

  it.each([
    ['no algorithm', token({ alg: 'none', kid: 'rsa' }, emptySignature)],
    ['no algorithm in capitals', token({ alg: 'NONE', kid: 'rsa' }, emptySignature)],
    ['the public key as the secret of an HMAC', token({ alg: 'HS256', kid: 'rsa' }, byPublicKey)],
    ['an HMAC under the name of RSA', token({ alg: 'RS256', kid: 'rsa' }, byPublicKey)],
    ['the algorithm of another key', token({ alg: 'ES256', kid: 'rsa' }, byCurve)],
    ['a key of the same kind under another name', token({ alg: 'RS256', kid: 'curve' }, byRsa)],
    [
      'a key that it names itself',
      token({ alg: 'RS256', kid: 'other', jwk: rsa.publicKey.export({ format: 'jwk' }) }, byRsa),
    ],
    ['no key named', token({ alg: 'RS256' }, byRsa)],
    ['an unknown critical header', token({ alg: 'RS256', kid: 'rsa', crit: ['x'], x: 1 }, byRsa)],
    ['another type', token({ alg: 'RS256', kid: 'rsa', typ: 'at+jwt' }, byRsa)],
    ['a time that is over', token({ alg: 'RS256', kid: 'rsa' }, byRsa, { ...claims, exp: 1_000_000_000 })],
    ['no end', token({ alg: 'RS256', kid: 'rsa' }, byRsa, { aud: claims.aud })],
    [
      'another audience',
      token({ alg: 'RS256', kid: 'rsa' }, byRsa, { ...claims, aud: 'https://other.example' }),
    ],
    [
      'other claims than were signed',
      token({ alg: 'RS256', kid: 'rsa' }, byRsa).replace(encode(claims), encode({ ...claims, methods: [] })),
    ],
    ['an empty signature', token({ alg: 'RS256', kid: 'rsa' }, emptySignature)],
    ['a zero signature on the curve', token({ alg: 'ES256', kid: 'curve' }, () => Buffer.alloc(64))],
  ])('is refused with %s', async (_, text) => {
    expect(await verifyToken(rules, text)).toBeUndefined()
  })
})
