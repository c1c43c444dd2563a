import type { CustomCrypto } from '@ethereumjs/common'
import { concatBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { createKeccak } from 'hash-wasm'
import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { bigintToBytes, bytesEqual, bytesToBigint } from '../encoding/hex.js'
import { type Awaitable, TimeSlice } from '../encoding/timeSlice.js'

/** Order of the group of secp256k1 (SEC 2, 2.4.1). */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A secp256k1 signature as transactions carry it. */
export interface Signature {
  r: bigint
  /** In the lower half of the curve's order (EIP-2). */
  s: bigint
  yParity: 0 | 1
}

const nativeIsHidden = process.env['STANDIN_SIGNATURE_BACKEND'] === 'wasm'
const backend = (nativeIsHidden ? undefined : loadNativeBackend()) ?? (await loadWasmBackend())

/**
 * Name of the signature backend in this process: the native library where its binary loads, else WebAssembly.
 *
 * STANDIN_SIGNATURE_BACKEND=wasm in the environment disables the native one.
 */
export function signatureBackend(): SignatureBackend['name'] {
  return backend.name
}

/**
 * Signs a 32-byte hash with a 32-byte private key, deterministically (RFC 6979).
 *
 * @throws Error if the private key is zero or not below the order of the curve
 */
export function sign(hash: Uint8Array, privateKey: Uint8Array): Signature {
  const { bytes, yParity } = backend.sign(hash, privateKey)
  return { r: bytesToBigint(bytes.subarray(0, 32)), s: bytesToBigint(bytes.subarray(32)), yParity }
}

/**
 * Recovers the 20-byte address that signed a 32-byte hash.
 *
 * @throws Error if r or s is out of range or no public key fits the signature
 */
export function recover(hash: Uint8Array, { r, s, yParity }: Signature): Uint8Array {
  const signature = new Uint8Array(64)
  signature.set(bigintToBytes(r, 32))
  signature.set(bigintToBytes(s, 32), 32)
  return publicKeyToAddress(backend.recover(hash, signature, yParity))
}

/** Returns the 20-byte address of an uncompressed public key, with (65 bytes) or without (64 bytes) its 0x04 prefix. */
export function publicKeyToAddress(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey.length === 65 ? publicKey.subarray(1) : publicKey).slice(12)
}

/**
 * Returns the 20-byte address of a 32-byte private key.
 *
 * @throws Error if the private key is zero or not below the order of the curve
 */
export function privateKeyToAddress(privateKey: Uint8Array): Uint8Array {
  return publicKeyToAddress(backend.publicKey(privateKey))
}

/** Returns the recovery bit that a transaction's v encodes (EIP-155 if there is a chain id). */
function yParityOf(v: bigint, chainId: bigint | undefined): 0 | 1 {
  const recovery = v === 0n || v === 1n ? v : chainId === undefined ? v - 27n : v - (chainId * 2n + 35n)
  if (recovery !== 0n && recovery !== 1n) throw new Error('Invalid signature v value')
  return recovery === 0n ? 0 : 1
}

/** The last input of 20 or 32 bytes, and its hash. */
let lastShort: { bytes: Uint8Array; hash: Uint8Array } | undefined

/**
 * Returns the keccak-256 hash of bytes, caching the last address or word. @ethereumjs/vm hashes the address and topics
 * of each log for the transaction's bloom, and one contract may emit tens of thousands of logs.
 */
function keccakOfRepeated(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 20 && bytes.length !== 32) return keccak256(bytes)
  if (lastShort !== undefined && bytesEqual(lastShort.bytes, bytes)) return lastShort.hash.slice()
  const hash = keccak256(bytes)
  lastShort = { bytes: bytes.slice(), hash: hash.slice() }
  return hash
}

/** Hashes and signatures for an ethereumjs Common, replacing its slower JavaScript. */
export const customCrypto: Required<Pick<CustomCrypto, 'keccak256' | 'sha256' | 'ecrecover' | 'ecsign'>> = {
  keccak256: keccakOfRepeated,
  sha256: (data) => Uint8Array.from(hash('sha256', data, 'buffer')),
  ecrecover(message, v, r, s, chainId) {
    const signature = new Uint8Array(64)
    signature.set(r, 32 - r.length)
    signature.set(s, 64 - s.length)
    return backend.recover(message, signature, yParityOf(v, chainId)).slice(1)
  },
  /** Returns noble's `recovered` format, the only one that ethereumjs asks for: recovery bit, r, s. */
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
  /** Parity of the y coordinate of the nonce point, which r alone leaves open. */
  yParity: 0 | 1
}

/** An implementation of the curve arithmetic behind signatures. */
export interface SignatureBackend {
  readonly name: 'secp256k1 (native)' | 'tiny-secp256k1 (wasm)'
  /** Signs a 32-byte hash with the RFC 6979 nonce, so equal inputs give equal signatures. */
  sign(hash: Uint8Array, privateKey: Uint8Array): CompactSignature
  /**
   * Recovers the 65-byte uncompressed public key from a 64-byte signature.
   *
   * @throws Error if r or s is out of range or no public key fits the signature
   */
  recover(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array
  /**
   * Returns the 65-byte uncompressed public key of a private key.
   *
   * @throws Error if the private key is zero or not below the order of the curve
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
 * Loads the native backend, or returns undefined where its prebuilt binary does not load.
 *
 * Requires the package's binding directly, because its main entry silently falls back to slow JavaScript. Building the
 * curve tables takes some ten milliseconds, so it waits for the first use.
 */
function loadNativeBackend(): SignatureBackend | undefined {
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

/** Loads the binary from where most systems have it. Otherwise searches for it, which takes as long as loading it. */
function loadAddon(load: NodeJS.Require): Addon {
  const directory = load.resolve('secp256k1/package.json').slice(0, -'package.json'.length)
  try {
    return load(`${directory}prebuilds/${process.platform}-${process.arch}/secp256k1.glibc.node`) as Addon
  } catch {
    const find = createRequire(load.resolve('secp256k1/package.json'))('node-gyp-build') as (
      directory: string,
    ) => Addon
    return find(directory)
  }
}

/** Loads the backend that runs wherever WebAssembly does. */
async function loadWasmBackend(): Promise<SignatureBackend> {
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
 * hash-wasm compiles its module asynchronously, but modules hash constants while they load. Until it is ready,
 * @noble/hashes does the work, ten times slower.
 */
let digest: (bytes: Uint8Array) => Uint8Array = keccak_256

void createKeccak(256).then((hasher) => {
  digest = (bytes) => hasher.init().update(bytes).digest('binary')
})

/** Returns the 32-byte keccak-256 hash, in its own memory. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return digest(bytes)
}

/**
 * Returns the address of a contract created with a salt (EIP-1014): 20 bytes. The library's function hashes the
 * initcode with @noble/hashes: milliseconds for the largest.
 *
 * @param salt - 32 bytes
 */
export function create2Address(creator: Uint8Array, salt: Uint8Array, initcode: Uint8Array): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(0xff), creator, salt, keccak256(initcode))).subarray(12)
}

/** Bytes hashed between two yields. */
const HASHED_AT_ONCE = 512 * 1024

/** Returns the keccak-256 hash, or a promise of it if the input is long. */
export function keccak256Within(bytes: Uint8Array): Awaitable<Uint8Array> {
  return bytes.length <= HASHED_AT_ONCE ? keccak256(bytes) : keccak256InSlices(bytes)
}

/** Incremental version of {@link keccak256} for inputs of many megabytes: yields between pieces. */
export async function keccak256InSlices(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length <= HASHED_AT_ONCE) return keccak256(bytes)
  // A hasher of its own, since other hashes run in between.
  const hasher = (await createKeccak(256)).init()
  const slice = new TimeSlice()
  for (let start = 0; start < bytes.length; start += HASHED_AT_ONCE) {
    hasher.update(bytes.subarray(start, start + HASHED_AT_ONCE))
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return hasher.digest('binary')
}
