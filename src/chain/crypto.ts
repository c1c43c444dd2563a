import type { CustomCrypto } from '@ethereumjs/common'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { createKeccak } from 'hash-wasm'
import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { bigintToBytes, bytesToBigint } from '../encoding/hex.js'
import { TimeSlice } from '../encoding/timeSlice.js'

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

/** What was hashed last, of those that are as long as an address or a word. */
let lastShort: { bytes: Uint8Array; hash: Uint8Array } | undefined

/**
 * The keccak-256 hash of bytes. That of the last address or word is remembered: @ethereumjs/vm hashes the address and the
 * topics of each log for the filter of its transaction, and one contract may have made tens of thousands of them.
 */
function keccakOfRepeated(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 20 && bytes.length !== 32) return keccak256(bytes)
  if (lastShort !== undefined && sameBytes(lastShort.bytes, bytes)) return lastShort.hash.slice()
  const hash = keccak256(bytes)
  lastShort = { bytes: bytes.slice(), hash: hash.slice() }
  return hash
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let index = a.length - 1; index >= 0; index--) if (a[index] !== b[index]) return false
  return true
}

/** Hashes and signatures for a Common of ethereumjs, which would otherwise run on slower JavaScript. */
export const customCrypto: Required<Pick<CustomCrypto, 'keccak256' | 'sha256' | 'ecrecover' | 'ecsign'>> = {
  keccak256: keccakOfRepeated,
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

/** A recoverable ECDSA signature over secp256k1. */
export interface CompactSignature {
  /** 64 bytes: r and s, 32 bytes each, big-endian, s in the lower half of the order. */
  bytes: Uint8Array
  /** Which of the two points with this r was used. */
  yParity: 0 | 1
}

/** What does the curve arithmetic behind signatures. */
export interface SignatureBackend {
  readonly name: 'secp256k1 (native)' | 'tiny-secp256k1 (wasm)'
  /** Signs a 32-byte hash; the nonce is that of RFC 6979, so that equal input gives equal signatures. */
  sign(hash: Uint8Array, privateKey: Uint8Array): CompactSignature
  /**
   * The 65-byte uncompressed public key behind a signature of 64 bytes.
   *
   * @throws Error if r or s is out of range or the signature belongs to no key.
   */
  recover(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array
  /**
   * The 65-byte uncompressed public key of a private key.
   *
   * @throws Error if the private key is zero or not below the order of the curve.
   */
  publicKey(privateKey: Uint8Array): Uint8Array
}

interface NativeSecp256k1 {
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, compressed: boolean): Uint8Array
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
}

interface Addon {
  Secp256k1: new () => object
}

/**
 * The native back end, or undefined where its prebuilt binary does not load.
 *
 * It asks for the package's binding itself: the package's main entry falls back to slow JavaScript in silence. The
 * tables of the curve, some ten milliseconds of work, are made with the first signature and not with the node.
 */
export function loadNativeBackend(): SignatureBackend | undefined {
  const load = createRequire(import.meta.url)
  let addon: Addon
  try {
    addon = loadAddon(load)
  } catch {
    return undefined
  }
  const wrap = (): NativeSecp256k1 =>
    (load('secp256k1/lib') as (context: object) => NativeSecp256k1)(new addon.Secp256k1())
  let wrapped: NativeSecp256k1 | undefined
  const native = (): NativeSecp256k1 => (wrapped ??= wrap())
  return {
    name: 'secp256k1 (native)',
    sign(hash, privateKey) {
      const { signature, recid } = native().ecdsaSign(hash, privateKey)
      return { bytes: signature, yParity: recid === 0 ? 0 : 1 }
    },
    recover: (hash, signature, yParity) => native().ecdsaRecover(signature, yParity, hash, false),
    publicKey: (privateKey) => native().publicKeyCreate(privateKey, false),
  }
}

/** The binary where most systems have it; else what looks for it, which takes as long as loading it. */
function loadAddon(load: NodeJS.Require): Addon {
  const folder = load.resolve('secp256k1/package.json').slice(0, -'package.json'.length)
  try {
    return load(`${folder}prebuilds/${process.platform}-${process.arch}/secp256k1.glibc.node`) as Addon
  } catch {
    const find = createRequire(load.resolve('secp256k1/package.json'))('node-gyp-build') as (
      folder: string,
    ) => Addon
    return find(folder)
  }
}

/** The back end that runs wherever WebAssembly does. */
export async function loadWasmBackend(): Promise<SignatureBackend> {
  const wasm = await import('tiny-secp256k1')
  const present = (key: Uint8Array | null): Uint8Array => {
    if (key === null) throw new Error('No public key belongs to this signature')
    return key
  }
  return {
    name: 'tiny-secp256k1 (wasm)',
    sign(hash, privateKey) {
      const { signature, recoveryId } = wasm.signRecoverable(hash, privateKey)
      return { bytes: signature, yParity: recoveryId === 0 ? 0 : 1 }
    },
    recover: (hash, signature, yParity) => present(wasm.recover(hash, signature, yParity, false)),
    publicKey: (privateKey) => present(wasm.pointFromScalar(privateKey, false)),
  }
}

/**
 * hash-wasm compiles its module asynchronously, and constants are hashed while modules load. Until it is ready,
 * @noble/hashes computes, which takes ten times as long.
 */
let digest: (bytes: Uint8Array) => Uint8Array = keccak_256

void createKeccak(256).then((hasher) => {
  digest = (bytes) => hasher.init().update(bytes).digest('binary')
})

/** The keccak-256 hash of bytes, 32 bytes in memory of its own. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return digest(bytes)
}

/** Bytes that are hashed at once. */
const HASHED_AT_ONCE = 512 * 1024

/** The same with turns for other work, for bytes that may be many megabytes. */
export async function keccak256InTurns(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length <= HASHED_AT_ONCE) return keccak256(bytes)
  // Of its own: others hash in between.
  const hasher = (await createKeccak(256)).init()
  const slice = new TimeSlice()
  for (let start = 0; start < bytes.length; start += HASHED_AT_ONCE) {
    hasher.update(bytes.subarray(start, start + HASHED_AT_ONCE))
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return hasher.digest('binary')
}
