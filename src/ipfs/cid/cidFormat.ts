import { type IHasher, createBLAKE2b, createBLAKE2s, createBLAKE3, createKeccak } from 'hash-wasm'
import { base32 } from 'multiformats/bases/base32'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { createHash, hash } from 'node:crypto'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { multibaseByName } from './multibase.js'

/** A hash function of the multihash table, ready to use. */
export interface HashFunction {
  name: string
  /** Code in the multicodec table. */
  code: number
  digest(bytes: Uint8Array): Uint8Array
  /** Begins a hash of bytes that come in pieces; undefined for functions that take them at once. */
  begin?: (() => RunningHash | Promise<RunningHash>) | undefined
  /** The same function with digests of so many bytes, if it has such; undefined where they have one length only. */
  ofLength?: ((length: number) => Promise<HashFunction> | undefined) | undefined
}

/** A hash that is being computed. */
interface RunningHash {
  update(bytes: Uint8Array): unknown
  /** The digest of all of them. */
  digest(): Uint8Array
}

/** Bytes that are hashed before other requests have their turn. */
const PIECE_BYTES = 1024 * 1024

/** The digest of bytes that may be tens of megabytes: others are served meanwhile. */
export async function digestInTurns(hash: HashFunction, bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length <= PIECE_BYTES || hash.begin === undefined) return hash.digest(bytes)
  const running = await hash.begin()
  const slice = new TimeSlice()
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    running.update(bytes.subarray(start, start + PIECE_BYTES))
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return new Uint8Array(running.digest())
}

type Digest = HashFunction['digest']

interface HashEntry {
  code: number
  load: () => Digest | Promise<Digest>
  begin?: HashFunction['begin']
  ofLength?: HashFunction['ofLength']
}

/** The code of sha2-256 in the multicodec table. */
export const sha256Code = 0x12
/** The code of the identity function, whose digest is the data itself. */
export const identityCode = 0x00

const native = (algorithm: string): Omit<HashEntry, 'code'> => ({
  load: () => (bytes) => new Uint8Array(hash(algorithm, bytes, 'buffer')),
  begin: () => createHash(algorithm),
})

const shake = (algorithm: string, outputLength: number): HashEntry['load'] => {
  return () => (bytes) => new Uint8Array(createHash(algorithm, { outputLength }).update(bytes).digest())
}

const wasm = (create: () => Promise<IHasher>): Omit<HashEntry, 'code'> => ({
  async load() {
    const hasher = await create()
    return (bytes) => hasher.init().update(bytes).digest('binary')
  },
  // Of its own: the other one may be wanted in between.
  async begin() {
    const hasher = (await create()).init()
    return { update: (bytes) => hasher.update(bytes), digest: () => hasher.digest('binary') }
  },
})

/** A function that can be chosen, and says why it is not used once there is something to hash. */
function refused(code: number, createError: () => FileNetworkError): HashEntry {
  const digest = (): never => {
    throw createError()
  }
  return { code, load: () => digest }
}

function insecure(code: number, digestLength: number): HashEntry {
  return refused(code, () => new InsecureHashError(digestLength))
}

/** Codes of functions that nothing computes. */
const uncomputed = new Set<number>()

function notComputed(code: number): HashEntry {
  uncomputed.add(code)
  return refused(code, () => new UnregisteredHashError(code))
}

/** A hash function by which no block is named (boxo, `verifcid`). */
export class InsecureHashError extends FileNetworkError {
  /** Bytes of what it would give, where that is known. */
  readonly digestLength: number | undefined

  constructor(digestLength?: number) {
    super('potentially insecure hash functions not allowed')
    this.digestLength = digestLength
  }
}

/** A hash function that Kubo has a code for, and nothing that computes it (go-cid, `Prefix.Sum`). */
export class UnregisteredHashError extends FileNetworkError {
  /** What go-multihash says of it. */
  readonly reason: string

  constructor(code: number) {
    const reason = `unknown multihash code ${code} (0x${code.toString(16)}): no such hash registered`
    super(`invalid cid: ${reason}`)
    this.reason = reason
  }
}

/** The longest digest of blake3, in bytes (go-multihash, `register/blake3`). */
const longestBlake3 = 128

function blake3OfLength(length: number): Promise<HashFunction> | undefined {
  if (length < 1 || length > longestBlake3) return undefined
  const { load, begin } = wasm(() => createBLAKE3(length * 8))
  return Promise.resolve(load()).then((digest) => ({ name: 'blake3', code: 0x1e, digest, begin }))
}

/** Another name of sha3-512. */
const aliasOfSha3 = 'sha3'

const doubleSha256: Digest = (bytes) => {
  return new Uint8Array(hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer'))
}

const entries = new Map<string, HashEntry>([
  ['identity', { code: identityCode, load: () => (bytes) => bytes }],
  ['sha1', { code: 0x11, ...native('sha1') }],
  ['sha2-256', { code: sha256Code, ...native('sha256') }],
  ['sha2-512', { code: 0x13, ...native('sha512') }],
  ['dbl-sha2-256', { code: 0x56, load: () => doubleSha256 }],
  ['sha3', { code: 0x14, ...native('sha3-512') }],
  ['sha3-224', { code: 0x17, ...native('sha3-224') }],
  ['sha3-256', { code: 0x16, ...native('sha3-256') }],
  ['sha3-384', { code: 0x15, ...native('sha3-384') }],
  ['sha3-512', { code: 0x14, ...native('sha3-512') }],
  ['shake-256', { code: 0x19, load: shake('shake256', 64) }],
  ['keccak-224', { code: 0x1a, ...wasm(() => createKeccak(224)) }],
  ['keccak-256', { code: 0x1b, ...wasm(() => createKeccak(256)) }],
  ['keccak-384', { code: 0x1c, ...wasm(() => createKeccak(384)) }],
  ['keccak-512', { code: 0x1d, ...wasm(() => createKeccak(512)) }],
  ['blake3', { code: 0x1e, ...wasm(() => createBLAKE3()), ofLength: blake3OfLength }],
])

/** The shortest digest, in bytes, that counts as secure. */
const shortestDigest = 20
for (let length = shortestDigest; length <= 64; length++) {
  const hashing = wasm(() => createBLAKE2b(length * 8))
  entries.set(`blake2b-${length * 8}`, { code: 0xb200 + length, ...hashing })
}
const longestBlake2s = 32
entries.set('blake2s-256', { code: 0xb240 + longestBlake2s, ...wasm(() => createBLAKE2s(256)) })
/** Kubo has names for the shorter ones, and nothing that computes them. */
for (let length = shortestDigest; length < longestBlake2s; length++) {
  entries.set(`blake2s-${length * 8}`, notComputed(0xb240 + length))
}

/** Functions of the table by which Kubo stores no block (boxo, `verifcid`). */
const unusable = new Map<string, HashEntry>([
  ['md5', insecure(0xd5, 16)],
  ['murmur3-x64-64', insecure(0x22, 8)],
  ['shake-128', insecure(0x18, 32)],
  ['x11', notComputed(0x1100)],
  ['sha2-256-trunc254-padded', notComputed(0x1012)],
  ['poseidon-bls12_381-a2-fc1', notComputed(0xb401)],
  ['poseidon-bls12_381-a2-fc1-sc', notComputed(0xb402)],
])
for (let length = 1; length < shortestDigest; length++) {
  unusable.set(`blake2b-${length * 8}`, insecure(0xb200 + length, length))
  unusable.set(`blake2s-${length * 8}`, notComputed(0xb240 + length))
}

/** Every function that blocks may be named by, with its code. */
export function hashFunctions(): [name: string, code: number][] {
  return [...entries].filter(([name]) => name !== aliasOfSha3).map(([name, { code }]) => [name, code])
}

const namesByCode = new Map([...entries].map(([name, { code }]) => [code, name]))
const loaded = new Map<number, Promise<HashFunction>>()

function load(name: string, entry: HashEntry): Promise<HashFunction> {
  let loading = loaded.get(entry.code)
  if (loading === undefined) {
    loading = Promise.resolve(entry.load()).then((digest) => ({
      name,
      code: entry.code,
      digest,
      begin: entry.begin,
      ofLength: entry.ofLength,
    }))
    loaded.set(entry.code, loading)
  }
  return loading
}

/** Whether anything computes a hash function. */
export function isComputed({ code }: HashFunction): boolean {
  return !uncomputed.has(code)
}

/** Whether a name stands in the multihash table, usable or not. */
export function isHashName(name: string): boolean {
  return entries.has(name) || unusable.has(name)
}

/**
 * The hash function with a name of the multihash table, such as `sha2-256` or `blake3`.
 *
 * @returns one that throws when it is used where Kubo has the name only, or does not trust the function
 * @throws {@link FileNetworkError} when there is none of the name
 */
export async function hashFunctionByName(name: string): Promise<HashFunction> {
  const entry = entries.get(name) ?? unusable.get(name)
  if (entry) return load(name, entry)
  throw new FileNetworkError(`unrecognized hash function: ${JSON.stringify(name)}`)
}

/**
 * The hash function with a code of the multicodec table; undefined when it is not one of those above.
 *
 * @param digestLength - bytes of the digests that are needed, where it can give more than is usual
 */
export async function hashFunctionByCode(
  code: number,
  digestLength?: number,
): Promise<HashFunction | undefined> {
  const name = namesByCode.get(code)
  const entry = name === undefined ? undefined : entries.get(name)
  if (name === undefined || entry === undefined) return undefined
  const hash = await load(name, entry)
  return (digestLength === undefined ? undefined : await hash.ofLength?.(digestLength)) ?? hash
}

/** The name of a hash function; undefined for a code that is not known here. */
export function hashNameByCode(code: number): string | undefined {
  return namesByCode.get(code)
}

/** Whether bytes hash to a multihash; undefined when its hash function is not known. */
export async function matchesMultihash(
  multihash: MultihashDigest,
  bytes: Uint8Array,
): Promise<boolean | undefined> {
  const hash = await hashFunctionByCode(multihash.code, multihash.digest.length)
  if (hash === undefined) return undefined
  const digest = await digestInTurns(hash, bytes)
  return Buffer.compare(digest.subarray(0, multihash.digest.length), multihash.digest) === 0
}

/** Codes of the multicodec table for the codecs that blocks come in. */
export const codecCode = {
  raw: 0x55,
  dagPb: 0x70,
  dagCbor: 0x71,
  libp2pKey: 0x72,
  dagJson: 0x0129,
  cbor: 0x51,
  json: 0x0200,
  dagJose: 0x85,
} as const

/** How CIDs of new blocks are made. */
export interface CidFormat {
  /** Version of CIDs; raw blocks get version 1 in any case. */
  version: 0 | 1
  hash: HashFunction
  /** Blocks of at most this many bytes become part of their CID instead of being stored. */
  inlineLimit?: number | undefined
}

/** The longest digest of the identity function, which is the data itself, in bytes (boxo, `verifcid`). */
export const longestIdentityDigest = 128

/** Data is longer than a CID may have it inside. */
export class DigestTooLargeError extends FileNetworkError {
  constructor(size: number) {
    super(`digest too large: identity digest got ${size} bytes, maximum ${longestIdentityDigest}`)
  }
}

/** @throws {@link FileNetworkError} with boxo's text for a digest that is too long, or so short that it proves nothing */
export function checkDigest({ name, code }: Pick<HashFunction, 'name' | 'code'>, size: number): void {
  if (code === identityCode) {
    if (size <= longestIdentityDigest) return
    throw new DigestTooLargeError(size)
  }
  if (size >= shortestDigest) return
  throw new FileNetworkError(`digest too small: ${name} digest got ${size} bytes, minimum ${shortestDigest}`)
}

/** The CID of a block. */
export function makeCid(format: CidFormat, codec: number, bytes: Uint8Array): CID {
  if (format.inlineLimit !== undefined && bytes.length <= format.inlineLimit) {
    return CID.createV1(codec, Digest.create(identityCode, bytes))
  }
  const digest = Digest.create(format.hash.code, format.hash.digest(bytes))
  checkDigest(format.hash, digest.size)
  if (format.version === 0 && codec === codecCode.dagPb) return CID.create(0, codec, digest)
  return CID.createV1(codec, digest)
}

/** How CIDs like this one are formed; with a hash function that is not known here, sha2-256 takes its place. */
export async function formatOf(cid: CID): Promise<CidFormat> {
  const hash = (await hashFunctionByCode(cid.multihash.code)) ?? (await hashFunctionByName('sha2-256'))
  return { version: cid.version, hash }
}

/** Writes a CID as text, in the base that a request asked for. */
export type CidEncoder = (cid: CID) => string

/**
 * The encoder for the option `cid-base`. Without it, version 0 is written in base58btc and version 1 in
 * base32. Any base but base58btc turns version 0 into version 1.
 */
export function createCidEncoder(baseName: string | undefined): CidEncoder {
  if (baseName === undefined || baseName === '') return encodeOnce
  const base = multibaseByName(baseName)
  const upgrades = base.name !== 'base58btc'
  return (cid) => {
    if (cid.version === 0 && !upgrades) return encodeOnce(cid)
    return base.encode(cid.toV1().bytes)
  }
}

/** A CID in the base of its version, without the memory of texts that `toString` keeps with every CID. */
function encodeOnce({ version, bytes }: CID): string {
  return version === 0 ? base58btc.encoder.encode(bytes).slice(1) : base32.encoder.encode(bytes)
}

/** A CID as a key of maps and sets: its bytes as a text, which costs a tenth of its base58. */
export function cidKey(cid: CID): string {
  const { buffer, byteOffset, byteLength } = cid.bytes
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** What a walk has come to, so that it goes nowhere twice: the CIDs as keys ({@link cidKey}), or what else tells places apart. */
export type VisitedSet = Pick<Set<string>, 'has' | 'add'>

/** Remembers nothing: a walk with it comes to a place as often as the place is linked. */
export const forgetful: VisitedSet = {
  has: () => false,
  add() {
    return new Set()
  },
}

/**
 * The CID under which Kubo lists a block of its store: that of a raw block of version 1, whatever CIDs it was stored under
 * (boxo, `blockstore.AllKeysChan`).
 */
export function listedCid({ multihash }: CID): CID {
  return CID.createV1(codecCode.raw, multihash)
}
