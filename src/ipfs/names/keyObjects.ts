import type { PrivateKey, PublicKey } from '@libp2p/interface'
import { type JsonWebKey, type KeyObject, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

/*
 * Signs and verifies in the thread pool: the library would hash the whole message in this thread, and compute a signature
 * of a long RSA key, which takes a twentieth of a second.
 */
const signInPool = promisify(sign)
const verifyInPool = promisify(verify)

/** Signs a message; in the thread pool, unless Kubo does not generate keys of this type. */
export async function signWith(key: PrivateKey, message: Uint8Array): Promise<Uint8Array> {
  const signer = privateKeyObject(key)
  return signer === undefined ? key.sign(message) : signInPool(algorithmOf(key), message, signer)
}

/** Verifies a signature where {@link signWith} makes one. */
export async function verifyWith(
  key: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const verifier = publicKeyObject(key)
  return verifier === undefined
    ? key.verify(message, signature)
    : verifyInPool(algorithmOf(key), message, verifier, signature)
}

/** Returns a key that signs with {@link signWith}, for a library that calls its method. */
export function signingInPool(key: PrivateKey): PrivateKey {
  const signing = { value: (message: Uint8Array) => signWith(key, message) }
  return Object.create(key, { sign: signing }) as PrivateKey
}

/** Returns the hash function that Node needs to know; Ed25519 has one of its own. */
function algorithmOf(key: PrivateKey | PublicKey): string | null {
  return key.type === 'RSA' ? 'sha256' : null
}

/** Returns Node's form of a key, unless its type is one that Kubo does not generate. */
function privateKeyObject(key: PrivateKey): KeyObject | undefined {
  if (key.type === 'RSA') return createPrivateKey({ key: Buffer.from(key.raw), format: 'der', type: 'pkcs1' })
  if (key.type !== 'Ed25519') return undefined
  const d = Buffer.from(key.raw.subarray(0, 32)).toString('base64url')
  return createPrivateKey({ key: { ...ed25519Jwk(key.publicKey), d }, format: 'jwk' })
}

function publicKeyObject(key: PublicKey): KeyObject | undefined {
  if (key.type === 'RSA') return createPublicKey({ key: Buffer.from(key.raw), format: 'der', type: 'spki' })
  return key.type === 'Ed25519' ? createPublicKey({ key: ed25519Jwk(key), format: 'jwk' }) : undefined
}

/** The public part of a JSON Web Key (RFC 8037). */
function ed25519Jwk({ raw }: PublicKey): JsonWebKey {
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw).toString('base64url') }
}
