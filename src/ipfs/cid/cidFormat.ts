import { type IHasher, createBLAKE2b, createBLAKE2s, createBLAKE3, createKeccak } from 'hash-wasm'
import { base32 } from 'multiformats/bases/base32'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { type Hash, createHash, hash } from 'node:crypto'
import { type Awaitable, TimeSlice } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { multibaseByName } from './multibase.js'
import { goQuote } from '../text/goQuote.js'

/** A hash function of the multihash table. */
export interface HashFunction {
  name: string
  /** Multicodec. */
  code: number
  digest(bytes: Uint8Array): Uint8Array
  /** Starts an incremental hash; undefined if the function takes all bytes at once. */
  begin?: (() => Awaitable<RunningHash>) | undefined
  /** Returns the function with digests of this many bytes, if possible; undefined if the length is fixed. */
  ofLength?: ((length: number) => Promise<HashFunction> | undefined) | undefined
}

/** An incremental hash. */
interface RunningHash {
  update(bytes: Uint8Array): unknown
  /** Returns the digest of all bytes so far. */
  digest(): Uint8Array
}

/** Bytes hashed between two yields. */
const PIECE_BYTES = 1024 * 1024

/** Hashes bytes; yields meanwhile, since there may be tens of megabytes. */
export async function digestInSlices(hash: HashFunction, bytes: Uint8Array): Promise<Uint8Array> {
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
  load: () => Awaitable<Digest>
  begin?: HashFunction['begin']
  ofLength?: HashFunction['ofLength']
}

/** Multicodec of sha2-256. */
export const SHA256_CODE = 0x12
/** Multicodec of the identity function, whose digest is the data itself. */
export const IDENTITY_CODE = 0x00

const native = (algorithm: string): Omit<HashEntry, 'code'> => ({
  load: () => (bytes) => new Uint8Array(hash(algorithm, bytes, 'buffer')),
  begin: () => createHash(algorithm),
})

const shake256 = (outputLength: number): Omit<HashEntry, 'code'> => {
  const begin = (): Hash => createHash('shake256', { outputLength })
  return { load: () => (bytes) => new Uint8Array(begin().update(bytes).digest()), begin }
}

const wasm = (create: () => Promise<IHasher>): Omit<HashEntry, 'code'> => ({
  async load() {
    const hasher = await create()
    return (bytes) => hasher.init().update(bytes).digest('binary')
  },
  // A hasher of its own: the shared one may be used in between.
  async begin() {
    const hasher = (await create()).init()
    return { update: (bytes) => hasher.update(bytes), digest: () => hasher.digest('binary') }
  },
})

/** Creates a function that can be selected but throws when it is used. */
function refused(code: number, createError: () => FileNetworkError): HashEntry {
  const digest = (): never => {
    throw createError()
  }
  return { code, load: () => digest }
}

/** Codes of functions that Kubo can compute, but with which it stores no blocks. */
const weak = new Set<number>()

function insecure(code: number, digestLength: number): HashEntry {
  weak.add(code)
  return refused(code, () => new InsecureHashError(digestLength))
}

/** Codes of functions that cannot be computed. */
const uncomputed = new Set<number>()

function notComputed(code: number): HashEntry {
  uncomputed.add(code)
  return refused(code, () => new UnregisteredHashError(code))
}

/** The hash function is too weak to name blocks (boxo, `verifcid`). */
export class InsecureHashError extends FileNetworkError {
  /** Length of its digests in bytes, if known. */
  readonly digestLength: number | undefined

  constructor(digestLength?: number) {
    super('potentially insecure hash functions not allowed')
    this.digestLength = digestLength
  }
}

/** Kubo has a code for the hash function but no implementation (go-cid, `Prefix.Sum`). */
export class UnregisteredHashError extends FileNetworkError {
  /** The message of go-multihash. */
  readonly reason: string

  constructor(code: number) {
    const reason = `unknown multihash code ${code} (0x${code.toString(16)}): no such hash registered`
    super(`invalid cid: ${reason}`)
    this.reason = reason
  }
}

/** The longest digest of blake3, in bytes (go-multihash, `register/blake3`). */
const MAX_BLAKE3_LENGTH = 128

function blake3OfLength(length: number): Promise<HashFunction> | undefined {
  if (length < 1 || length > MAX_BLAKE3_LENGTH) return undefined
  const { load, begin } = wasm(() => createBLAKE3(length * 8))
  return Promise.resolve(load()).then((digest) => ({ name: 'blake3', code: 0x1e, digest, begin }))
}

/** Alias of sha3-512. */
const aliasOfSha3 = 'sha3'

const doubleSha256: Omit<HashEntry, 'code'> = {
  load: () => (bytes) => new Uint8Array(hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer')),
  begin() {
    const first = createHash('sha256')
    return { update: (bytes) => first.update(bytes), digest: () => hash('sha256', first.digest(), 'buffer') }
  },
}

const entries = new Map<string, HashEntry>([
  ['identity', { code: IDENTITY_CODE, load: () => (bytes) => bytes }],
  ['sha1', { code: 0x11, ...native('sha1') }],
  ['sha2-256', { code: SHA256_CODE, ...native('sha256') }],
  ['sha2-512', { code: 0x13, ...native('sha512') }],
  ['dbl-sha2-256', { code: 0x56, ...doubleSha256 }],
  ['sha3', { code: 0x14, ...native('sha3-512') }],
  ['sha3-224', { code: 0x17, ...native('sha3-224') }],
  ['sha3-256', { code: 0x16, ...native('sha3-256') }],
  ['sha3-384', { code: 0x15, ...native('sha3-384') }],
  ['sha3-512', { code: 0x14, ...native('sha3-512') }],
  ['shake-256', { code: 0x19, ...shake256(64) }],
  ['keccak-224', notComputed(0x1a)],
  ['keccak-256', { code: 0x1b, ...wasm(() => createKeccak(256)) }],
  ['keccak-384', notComputed(0x1c)],
  ['keccak-512', { code: 0x1d, ...wasm(() => createKeccak(512)) }],
  ['blake3', { code: 0x1e, ...wasm(() => createBLAKE3()), ofLength: blake3OfLength }],
])

/** The shortest secure digest, in bytes. */
const MIN_DIGEST_LENGTH = 20
for (let length = MIN_DIGEST_LENGTH; length <= 64; length++) {
  const hashing = wasm(() => createBLAKE2b(length * 8))
  entries.set(`blake2b-${length * 8}`, { code: 0xb200 + length, ...hashing })
}
const MAX_BLAKE2S_LENGTH = 32
entries.set('blake2s-256', { code: 0xb240 + MAX_BLAKE2S_LENGTH, ...wasm(() => createBLAKE2s(256)) })
/** Kubo has names for the shorter ones, but no implementation. */
for (let length = MIN_DIGEST_LENGTH; length < MAX_BLAKE2S_LENGTH; length++) {
  entries.set(`blake2s-${length * 8}`, notComputed(0xb240 + length))
}

/** Functions of the table with which Kubo stores no blocks (boxo, `verifcid`). */
const unusable = new Map<string, HashEntry>([
  ['md5', insecure(0xd5, 16)],
  ['murmur3-x64-64', insecure(0x22, 8)],
  ['shake-128', insecure(0x18, 32)],
  ['x11', notComputed(0x1100)],
  ['sha2-256-trunc254-padded', notComputed(0x1012)],
  ['poseidon-bls12_381-a2-fc1', notComputed(0xb401)],
  ['poseidon-bls12_381-a2-fc1-sc', notComputed(0xb402)],
])
for (let length = 1; length < MIN_DIGEST_LENGTH; length++) {
  unusable.set(`blake2b-${length * 8}`, insecure(0xb200 + length, length))
  unusable.set(`blake2s-${length * 8}`, notComputed(0xb240 + length))
}

/** More such functions, which only the table of multicodecs names. */
const unlisted = new Map<string, HashEntry>([
  ['sha2-384', insecure(0x20, 48)],
  ['sha2-224', insecure(0x1013, 28)],
  ['sha2-512-224', insecure(0x1014, 28)],
  ['sha2-512-256', insecure(0x1015, 32)],
])

/** Lists the functions that can name blocks, with their codes. */
export function hashFunctions(): [name: string, code: number][] {
  return [...entries].filter(([name]) => name !== aliasOfSha3).map(([name, { code }]) => [name, code])
}

const entriesByCode = new Map([...entries].map(([name, entry]) => [entry.code, { name, entry }]))
const namesByCode = new Map([...unusable, ...entries].map(([name, { code }]) => [code, name]))
const loaded = new Map<number, Promise<HashFunction>>()

function load(name: string, entry: HashEntry): Promise<HashFunction> {
  let loading = loaded.get(entry.code)
  if (loading === undefined) {
    loading = Promise.resolve(entry.load()).then((digest) => ({
      // Not an alias.
      name: namesByCode.get(entry.code) ?? name,
      code: entry.code,
      digest,
      begin: entry.begin,
      ofLength: entry.ofLength,
    }))
    loaded.set(entry.code, loading)
  }
  return loading
}

/** Whether the hash function can be computed. */
export function isComputed({ code }: HashFunction): boolean {
  return !uncomputed.has(code)
}

/** Whether Kubo can compute a hash function, but refuses it for blocks. */
export function isWeak(code: number): boolean {
  return weak.has(code)
}

/** Returns go-multihash's reason why it has no function with a code; undefined if it has one, even a weak one. */
export function reasonNotRegistered(code: number): string | undefined {
  const isKnown = namesByCode.has(code) || [...unlisted.values()].some((entry) => entry.code === code)
  return isKnown && !uncomputed.has(code) ? undefined : new UnregisteredHashError(code).reason
}

/** Whether the multihash table has a name, usable or not. */
export function isHashName(name: string): boolean {
  return entries.has(name) || unusable.has(name)
}

/**
 * Returns the hash function for a name in the multihash table, such as `sha2-256` or `blake3`.
 *
 * @returns a function that throws when used if Kubo knows only its name, or considers it insecure
 * @throws {@link FileNetworkError} for an unknown name
 */
export async function hashFunctionByName(name: string): Promise<HashFunction> {
  const entry = entries.get(name) ?? unusable.get(name)
  if (entry) return load(name, entry)
  throw new FileNetworkError(`unrecognized hash function: ${goQuote(name)}`)
}

/** Returns the hash function for a name in the table of multicodecs; undefined for other names. */
export async function hashFunctionByCodecName(name: string): Promise<HashFunction | undefined> {
  const entry = unlisted.get(name) ?? entries.get(name) ?? unusable.get(name)
  return entry && load(name, entry)
}

/**
 * Returns the hash function for a multicodec; undefined if it cannot name blocks.
 *
 * @param digestLength - required digest length in bytes, for functions with variable length
 */
export async function hashFunctionByCode(
  code: number,
  digestLength?: number,
): Promise<HashFunction | undefined> {
  const known = entriesByCode.get(code)
  if (known === undefined) return undefined
  const hash = await load(known.name, known.entry)
  return (digestLength === undefined ? undefined : await hash.ofLength?.(digestLength)) ?? hash
}

/** Returns the name of a hash function; undefined for an unknown code. */
export function hashNameByCode(code: number): string | undefined {
  return namesByCode.get(code)
}

/** Whether a hash function can name blocks. */
export function canNameBlocks(code: number): boolean {
  return entriesByCode.has(code)
}

/** Whether bytes hash to a multihash; undefined if its hash function is unknown. */
export async function matchesMultihash(
  multihash: MultihashDigest,
  bytes: Uint8Array,
): Promise<boolean | undefined> {
  const hash = await hashFunctionByCode(multihash.code, multihash.digest.length)
  if (hash === undefined) return undefined
  const digest = await digestInSlices(hash, bytes)
  return Buffer.compare(digest.subarray(0, multihash.digest.length), multihash.digest) === 0
}

/** Multicodecs of block codecs. */
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

/** Format of the CIDs of new blocks. */
export interface CidFormat {
  /** CID version; raw blocks always get version 1. */
  version: 0 | 1
  hash: HashFunction
  /** Blocks of at most this many bytes are inlined in their CIDs instead of being stored. */
  inlineLimit?: number | undefined
}

/** The longest digest of any function, in bytes (boxo, `verifcid`). */
export const MAX_DIGEST_LENGTH = 128

/** The digest is too long, or the data too long to inline in a CID. */
export class DigestTooLargeError extends FileNetworkError {
  constructor(name: string, size: number) {
    super(`digest too large: ${name} digest got ${size} bytes, maximum ${MAX_DIGEST_LENGTH}`)
  }
}

/** @throws {@link FileNetworkError} with boxo's message for a digest that is too long, or too short to be secure */
export function checkDigest({ name, code }: Pick<HashFunction, 'name' | 'code'>, size: number): void {
  if (size > MAX_DIGEST_LENGTH) throw new DigestTooLargeError(name, size)
  if (code === IDENTITY_CODE || size >= MIN_DIGEST_LENGTH) return
  throw new FileNetworkError(
    `digest too small: ${name} digest got ${size} bytes, minimum ${MIN_DIGEST_LENGTH}`,
  )
}

/**
 * Returns the CID of a block.
 *
 * @throws {@link FileNetworkError} if the hash function cannot be computed. The nodes of go-merkledag check the
 *   function first and give only the reason, unless CIDs are inlined.
 */
export function makeCid(format: CidFormat, codec: number, bytes: Uint8Array): CID {
  if (format.inlineLimit !== undefined && bytes.length <= format.inlineLimit) {
    return CID.createV1(codec, Digest.create(IDENTITY_CODE, bytes))
  }
  return cidOf(format, codec, digestOf(format, codec, bytes))
}

/** Like {@link makeCid}, but yields meanwhile if there are many bytes. */
export async function makeCidInSlices(format: CidFormat, codec: number, bytes: Uint8Array): Promise<CID> {
  const { hash } = format
  // So many bytes are never inlined.
  if (bytes.length <= PIECE_BYTES || hash.begin === undefined) return makeCid(format, codec, bytes)
  return cidOf(format, codec, await digestInSlices(hash, bytes))
}

function cidOf({ version, hash }: CidFormat, codec: number, bytes: Uint8Array): CID {
  const digest = Digest.create(hash.code, bytes)
  checkDigest(hash, digest.size)
  return version === 0 && codec === codecCode.dagPb
    ? CID.create(0, codec, digest)
    : CID.createV1(codec, digest)
}

function digestOf({ hash, inlineLimit }: CidFormat, codec: number, bytes: Uint8Array): Uint8Array {
  try {
    return hash.digest(bytes)
  } catch (error) {
    const checksFunction = codec === codecCode.dagPb && inlineLimit === undefined
    const isReason = error instanceof UnregisteredHashError && checksFunction
    throw isReason ? new FileNetworkError(error.reason) : error
  }
}

/** Returns the format of a CID; an unknown hash function is replaced by sha2-256. */
export async function formatOf(cid: CID): Promise<CidFormat> {
  const hash = (await hashFunctionByCode(cid.multihash.code)) ?? (await hashFunctionByName('sha2-256'))
  return { version: cid.version, hash }
}

/** Formats a CID in the requested base. */
export type CidEncoder = (cid: CID) => string

/**
 * Creates the encoder for the option `cid-base`. By default, version 0 is written in base58btc and version 1 in base32.
 * Any base but base58btc converts version 0 to version 1.
 *
 * @param options.upgrade - whether to convert version 0, whatever the base (Kubo, `core/commands/cmdenv/cidbase.go`)
 */
export function createCidEncoder(
  baseName: string | undefined,
  { upgrade }: { upgrade?: boolean | undefined } = {},
): CidEncoder {
  const isDefault = baseName === undefined || baseName === ''
  if (isDefault && upgrade !== true) return encodeOnce
  const base = multibaseByName(isDefault ? 'base32' : baseName)
  const upgrades = upgrade ?? base.name !== 'base58btc'
  return (cid) => {
    if (cid.version === 0 && !upgrades) return encodeOnce(cid)
    return base.encode(cid.toV1().bytes)
  }
}

/** Formats a CID in the base of its version, without the cache of texts that `toString` keeps per CID. */
function encodeOnce({ version, bytes }: CID): string {
  return version === 0 ? base58btc.encoder.encode(bytes).slice(1) : base32.encoder.encode(bytes)
}

/** Returns a CID's bytes as a string, to use as a key. This costs a tenth of its base58. */
export function cidKey(cid: CID): string {
  const { buffer, byteOffset, byteLength } = cid.bytes
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** Places already visited by a walk: CIDs as keys ({@link cidKey}), or other strings that identify a place. */
export interface VisitedSet {
  has(key: string): boolean
  add(key: string): void
}

/** Remembers nothing: a walk visits a place once per link to it. */
export const forgetful: VisitedSet = {
  has: () => false,
  add() {
    // Nothing is remembered.
  },
}

/**
 * Returns the CID under which Kubo lists a stored block: a raw CIDv1, whatever CIDs it was stored under (boxo,
 * `blockstore.AllKeysChan`).
 */
export function listedCid({ multihash }: CID): CID {
  return CID.createV1(codecCode.raw, multihash)
}
