import { hash } from 'node:crypto'
import type { CustomCrypto } from '@ethereumjs/common'
import { bigintToBytes, bytesToBigint } from '../encoding/quantity.js'
import { loadNativeBackend } from './crypto/native.js'
import { loadWasmBackend } from './crypto/wasm.js'
import type { SignatureBackend } from './crypto/backend.js'
import { keccak256 } from './keccak.js'

/** A signature over secp256k1 as transactions carry it. */
export interface Signature {
  r: bigint
  /** In the lower half of the curve's order (EIP-2). */
  s: bigint
  yParity: 0 | 1
}

const nativeIsHidden = process.env['STANDIN_SIGNATURE_BACKEND'] === 'wasm'
const backend = (nativeIsHidden ? undefined : loadNativeBackend()) ?? (await loadWasmBackend())

/**
 * What makes and recovers signatures in this process: the native library where its binary loads, else WebAssembly.
 *
 * The environment variable STANDIN_SIGNATURE_BACKEND=wasm hides the native one.
 */
export function signatureBackend(): SignatureBackend['name'] {
  return backend.name
}

/**
 * Signs a 32-byte hash with a 32-byte private key, deterministically (RFC 6979).
 *
 * @throws Error if the private key is zero or not below the order of the curve.
 */
export function sign(hash: Uint8Array, privateKey: Uint8Array): Signature {
  const { bytes, yParity } = backend.sign(hash, privateKey)
  return { r: bytesToBigint(bytes.subarray(0, 32)), s: bytesToBigint(bytes.subarray(32)), yParity }
}

/**
 * The 20-byte address whose key signed a 32-byte hash.
 *
 * @throws Error if r or s is out of range or the signature belongs to no key.
 */
export function recover(hash: Uint8Array, { r, s, yParity }: Signature): Uint8Array {
  const signature = new Uint8Array(64)
  signature.set(bigintToBytes(r, 32))
  signature.set(bigintToBytes(s, 32), 32)
  return publicKeyToAddress(backend.recover(hash, signature, yParity))
}

/** The 20-byte address of an uncompressed public key, with its leading 0x04 (65 bytes) or without (64 bytes). */
export function publicKeyToAddress(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey.length === 65 ? publicKey.subarray(1) : publicKey).slice(12)
}

/**
 * The 20-byte address of a 32-byte private key.
 *
 * @throws Error if the private key is zero or not below the order of the curve.
 */
export function privateKeyToAddress(privateKey: Uint8Array): Uint8Array {
  return publicKeyToAddress(backend.publicKey(privateKey))
}

/** The recovery bit that a transaction's v stands for (EIP-155 where a chain id is given). */
function yParityOf(v: bigint, chainId: bigint | undefined): 0 | 1 {
  const recovery = v === 0n || v === 1n ? v : chainId === undefined ? v - 27n : v - (chainId * 2n + 35n)
  if (recovery !== 0n && recovery !== 1n) throw new Error('Invalid signature v value')
  return recovery === 0n ? 0 : 1
}

/** Hashes and signatures for a Common of ethereumjs, which would otherwise run on slower JavaScript. */
export const customCrypto: Required<Pick<CustomCrypto, 'keccak256' | 'sha256' | 'ecrecover' | 'ecsign'>> = {
  keccak256,
  sha256: (data) => Uint8Array.from(hash('sha256', data, 'buffer')),
  ecrecover(message, v, r, s, chainId) {
    const signature = new Uint8Array(64)
    signature.set(r, 32 - r.length)
    signature.set(s, 64 - s.length)
    return backend.recover(message, signature, yParityOf(v, chainId)).slice(1)
  },
  /** In noble's `recovered` form, the only one ethereumjs asks for: the recovery bit, r and s. */
  ecsign(message, privateKey) {
    const { bytes, yParity } = backend.sign(message, privateKey)
    const recovered = new Uint8Array(65)
    recovered[0] = yParity
    recovered.set(bytes, 1)
    return recovered
  },
}
