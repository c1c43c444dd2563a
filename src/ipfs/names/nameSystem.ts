import type { PrivateKey, PublicKey } from '@libp2p/interface'
import type * as Records from 'ipns'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { RowStore } from '../../storage/files/fileIndex.js'
import { type ResolvedPath, parsePath, resolvePath } from '../dag/path.js'
import { errorText } from '../../encoding/errorText.js'
import { FileNetworkError } from '../errors.js'
import { cleanSegments } from '../mfs/filesPath.js'
import type { NetworkContext } from '../networkContext.js'
import type { BlockSource } from '../unixfs/entry.js'
import { codecCode, IDENTITY_CODE } from '../cid/cidFormat.js'
import { tryParseCid } from '../cid/parseCid.js'
import { signingInPool } from './keyObjects.js'
import { nameOf, parseName } from './keystore.js'
import { goQuote } from '../text/goQuote.js'

/** Loads the library of IPNS records lazily, on the first request that needs it. */
const libraryOfRecords = (): Promise<typeof Records> => import('ipns')

/** What to publish under a name. */
export interface Publication {
  /** An absolute path, `/ipfs/…` or `/ipns/…`. */
  value: string
  lifetimeMilliseconds: number
  ttlNanoseconds: bigint
  /** Undefined: the previous number, plus one if the value changes. */
  sequence: bigint | undefined
  /** Whether to add a version 1 signature. */
  isVersion1Compatible: boolean
}

/** The stored record of a name. */
export interface ResolvedName {
  /** The published path. */
  value: string
  /** The record's TTL in milliseconds. */
  ttlMilliseconds: number
  /** Milliseconds for which the resolved value may be cached: the TTL, but not beyond the record's validity. */
  keepMilliseconds: number
  /** The signed record (https://specs.ipfs.tech/ipns/ipns-record/). */
  record: Uint8Array
}

/** The longest valid record, in bytes (https://specs.ipfs.tech/ipns/ipns-record/). */
export const MAX_RECORD_LENGTH = 10 * 1024
/** Maximum number of names to follow in a row (boxo, `namesys.DefaultDepthLimit`). */
const DEFAULT_DEPTH = 32
/** Default TTL of a record, in milliseconds (boxo, `DefaultResolverCacheTTL`). */
const DEFAULT_TTL_MILLISECONDS = 60_000

/** The name has no record, or its record has expired. */
export class UnresolvedNameError extends FileNetworkError {
  constructor() {
    super('could not resolve name')
  }
}

/** What a node has published under its own name before any request: the empty directory (Kubo, `ipfs init`). */
const firstPublication = {
  value: '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
  lifetimeMilliseconds: 48 * 60 * 60 * 1000,
  ttlNanoseconds: 300_000_000_000n,
  sequence: 0n,
  isVersion1Compatible: true,
} satisfies Publication

/** The node as a publisher. */
export interface Publisher {
  /** The peer ID, which is also the node's own name. */
  id: string
  key(): Promise<PrivateKey>
}

/** IPNS names published here; there is no network to ask for others. */
export class NameSystem {
  readonly #rows: RowStore
  readonly #publisher: Publisher

  constructor(rows: RowStore, publisher: Publisher) {
    this.#rows = rows
    this.#publisher = publisher
  }

  async publish(key: PrivateKey, publication: Publication): Promise<CID> {
    const name = nameOf(key.publicKey)
    if (publication.ttlNanoseconds < 0n) {
      throw new FileNetworkError('the TTL of a record must not be negative')
    }
    const previous = this.#rows.get(publishedRowOf(name)) ?? (await this.#validRecord(name))
    const sequence = await nextSequence(previous, publication)
    const record = await sign(key, { ...publication, sequence })
    await this.#rows.put(publishedRowOf(name), record)
    await this.put(name, record)
    return name
  }

  /** Stores a record if it is valid and the current one is not newer. */
  async put(name: CID, record: Uint8Array): Promise<void> {
    if (!(await isValidRecord(name, record))) return
    const current = await this.#validRecord(name)
    if (current !== undefined && (await isNewer(current, record))) return
    await this.#rows.put(rowOf(name), record)
  }

  /** Returns the stored record of a name. The first one of the node's own name is signed when it is first needed. */
  async #storedRecord(name: CID): Promise<Uint8Array | undefined> {
    const row = rowOf(name)
    const stored = this.#rows.get(row)
    if (stored !== undefined || parseName(this.#publisher.id)?.equals(name) !== true) return stored
    const record = await sign(await this.#publisher.key(), firstPublication)
    // Another request may have published meanwhile.
    if (this.#rows.get(row) === undefined) {
      await Promise.all([publishedRowOf(name), row].map((place) => this.#rows.put(place, record)))
    }
    return this.#rows.get(row)
  }

  /** Returns the record of a name if it is valid. */
  async #validRecord(name: CID): Promise<Uint8Array | undefined> {
    const record = await this.#storedRecord(name)
    return record !== undefined && (await isValidRecord(name, record)) ? record : undefined
  }

  /**
   * Returns the current record of a name.
   *
   * @throws {@link UnresolvedNameError}
   */
  async find(name: CID): Promise<ResolvedName> {
    const record = await this.#storedRecord(name)
    if (record === undefined) throw new UnresolvedNameError()
    const contents = await readRecord(record).catch(() => {
      throw new UnresolvedNameError()
    })
    const { value, ttl } = contents
    const left = validMilliseconds(contents)
    if (left <= 0) throw new UnresolvedNameError()
    const ttlMilliseconds = ttl === undefined ? DEFAULT_TTL_MILLISECONDS : Number(ttl) / 1e6
    return { value, ttlMilliseconds, keepMilliseconds: Math.min(left, ttlMilliseconds), record }
  }

  /**
   * Resolves an `/ipns/…` path.
   *
   * @param depth - maximum number of names to follow
   * @returns a path; it may still be below `/ipns/` if `depth` is 1
   */
  async resolve(path: string, depth = DEFAULT_DEPTH): Promise<string> {
    let current = path
    for (let step = 0; step < depth && current.startsWith('/ipns/'); step++) {
      const slash = current.indexOf('/', '/ipns/'.length)
      const { value } = await this.find(
        readName(current.slice('/ipns/'.length, slash < 0 ? undefined : slash)),
      )
      // Not split: a path may have half a million segments.
      current = slash < 0 ? value : value.replace(/\/$/, '') + current.slice(slash)
    }
    if (depth > 1 && current.startsWith('/ipns/')) {
      throw new FileNetworkError('could not resolve name (recursion limit exceeded)')
    }
    return current
  }
}

/** The contents of a record. */
export interface RecordContent {
  value: string
  /** Expiry time, in RFC 3339 with nanoseconds. */
  validity: string
  sequence: bigint
  /** TTL in nanoseconds. */
  ttl: bigint | undefined
  /** Whether it also has a version 1 signature. */
  isSignedTwice: boolean
}

/** @throws {@link FileNetworkError} with boxo's message (`ipns`) if the bytes are not a record */
export async function readRecord(bytes: Uint8Array): Promise<RecordContent> {
  const { unmarshalIPNSRecord } = await libraryOfRecords()
  try {
    const record = unmarshalIPNSRecord(bytes)
    const { value, validity, sequence, ttl } = record
    return { value, validity, sequence, ttl, isSignedTwice: 'signatureV1' in record }
  } catch (error) {
    const reason = errorText(error)
    const mismatch = /^Field "(\w)(\w*)" did not match/.exec(reason)
    if (mismatch?.[1] !== undefined) {
      const field = mismatch[1].toUpperCase() + mismatch[2]
      throw new FileNetworkError(`field "${field}" did not match between protobuf and CBOR`)
    }
    const problem = /Missing data/.test(reason)
      ? 'record is missing the dag-cbor data field'
      : 'proto: cannot parse invalid wire-format data'
    throw new FileNetworkError(`record is malformed\n${problem}`)
  }
}

/** Returns boxo's message for why a record is invalid for a name; empty if it is valid. */
export async function checkRecord(name: CID, bytes: Uint8Array): Promise<string> {
  // Hundreds may be published at once.
  await new TimeSlice().pause()
  const { extractPublicKeyFromIPNSRecord, unmarshalIPNSRecord } = await libraryOfRecords()
  const { validate } = await import('ipns/validator')
  const { publicKeyFromProtobuf } = await import('@libp2p/crypto/keys')
  const embedded = extractPublicKeyFromIPNSRecord(unmarshalIPNSRecord(bytes))
  const isInName = name.multihash.code === IDENTITY_CODE
  const key = isInName ? publicKeyFromProtobuf(name.multihash.digest) : embedded
  if (key === undefined) return 'public key is not embedded in peer ID'
  if (!nameOf(key).equals(name)) return 'public key did not match the name'
  try {
    await validate(key, bytes)
    return ''
  } catch (error) {
    return (error as Error).name === 'RecordExpiredError'
      ? 'record is expired'
      : 'signature verification failed'
  }
}

/** Creates a record. */
async function sign(
  key: PrivateKey,
  {
    value,
    lifetimeMilliseconds,
    ttlNanoseconds,
    sequence,
    isVersion1Compatible,
  }: Publication & { sequence: bigint },
): Promise<Uint8Array> {
  const { createIPNSRecord, marshalIPNSRecord } = await libraryOfRecords()
  await new TimeSlice().pause()
  const created = await createIPNSRecord(signingInPool(key), value, sequence, lifetimeMilliseconds, {
    ttlNs: ttlNanoseconds,
    v1Compatible: isVersion1Compatible,
  })
  // The library takes ECDSA keys for names that hold the key itself.
  if (nameOf(key.publicKey).multihash.code !== IDENTITY_CODE) {
    created.pubKey ??= await encodePublicKey(key.publicKey)
  }
  return marshalIPNSRecord(created)
}

async function encodePublicKey(key: PublicKey): Promise<Uint8Array> {
  const { publicKeyToProtobuf } = await import('@libp2p/crypto/keys')
  return publicKeyToProtobuf(key)
}

/** Returns for how long a record is still valid; negative once it has expired. */
function validMilliseconds({ validity }: { validity: string }): number {
  return Date.parse(validity) - Date.now()
}

async function isValidRecord(name: CID, record: Uint8Array): Promise<boolean> {
  try {
    // The library accepts a record in the millisecond in which it expires, when it can no longer be resolved.
    return (await checkRecord(name, record)) === '' && validMilliseconds(await readRecord(record)) > 0
  } catch {
    return false
  }
}

/** Whether the first of two valid records is newer (https://specs.ipfs.tech/ipns/ipns-record/). */
async function isNewer(first: Uint8Array, second: Uint8Array): Promise<boolean> {
  const { ipnsSelector } = await import('ipns/selector')
  return ipnsSelector(new Uint8Array(), [second, first]) === 1
}

/** The longest label of a domain name, in bytes (RFC 1035). */
export const MAX_LABEL_LENGTH = 63
/** The longest domain name, in bytes. */
const MAX_DOMAIN_LENGTH = 255

/**
 * Parses the name in a path. Other labels are domain names, and there is no DNS to ask.
 *
 * @throws {@link FileNetworkError} with boxo's message (`namesys`)
 */
export function readName(label: string): CID {
  const name = parseName(label)
  if (name !== undefined) return name
  const isDomain = isDomainName(label)
  const cid = isDomain ? undefined : tryParseCid(label)
  if (cid !== undefined) {
    const retry = CID.createV1(codecCode.libp2pKey, cid.multihash)
    throw new FileNetworkError(
      `peer ID represented as CIDv1 require libp2p-key multicodec: retry with /ipns/${retry}`,
    )
  }
  if (!isDomain) throw new FileNetworkError(`cannot resolve: ${goQuote(`/ipns/${label}`)}`)
  throw new FileNetworkError(
    `DNSLink lookup for ${goQuote(label.endsWith('.') ? label : `${label}.`)} failed: could not resolve name: ` +
      'DNSLink lookup could not find a TXT record (https://docs.ipfs.tech/concepts/dnslink/)',
  )
}

/** A backslash escapes the next character, so that none may come last (github.com/miekg/dns, `IsDomainName`). */
function isDomainName(text: string): boolean {
  if (text.endsWith('\\') || text.length > MAX_DOMAIN_LENGTH + 1) return false
  const labels = text
    .replace(/\.$/, '')
    .split('.')
    .map((label) => Buffer.byteLength(label))
  const length = labels.reduce((sum, size) => sum + size + 1, 0)
  return length <= MAX_DOMAIN_LENGTH + 1 && labels.every((size) => size > 0 && size <= MAX_LABEL_LENGTH)
}

function rowOf(name: CID): Uint8Array {
  return new TextEncoder().encode(`ipns/${base58btc.encode(name.multihash.bytes)}`)
}

/** Row of the record last published here, which records from peers do not replace. */
function publishedRowOf(name: CID): Uint8Array {
  return new TextEncoder().encode(`ipns-published/${base58btc.encode(name.multihash.bytes)}`)
}

/** The largest sequence number that all implementations support. */
const MAX_SEQUENCE = 2n ** 63n - 1n

/**
 * Returns the next sequence number: numbers only grow, and an unchanged value keeps its own (boxo,
 * `namesys/ipns_publisher.go`).
 */
async function nextSequence(
  previous: Uint8Array | undefined,
  { value, sequence }: Publication,
): Promise<bigint> {
  const { unmarshalIPNSRecord } = await libraryOfRecords()
  const last = previous === undefined ? undefined : unmarshalIPNSRecord(previous)
  const following = last === undefined ? 0n : last.value === value ? last.sequence : last.sequence + 1n
  const next = sequence ?? following
  if (next > MAX_SEQUENCE) throw new FileNetworkError(`sequence numbers end at ${MAX_SEQUENCE}`)
  if (sequence !== undefined && last !== undefined && sequence <= last.sequence) {
    throw new FileNetworkError('sequence number must be greater than the current record sequence')
  }
  return next
}

/**
 * Checks the syntax of all paths before the first is resolved.
 *
 * @throws {@link InvalidPathError}
 */
export function checkPaths(...texts: string[]): void {
  for (const text of texts) if (!isNamePath(text)) parsePath(text)
}

/** Whether a path begins with a name: `/ipns/<name>`. */
export function isNamePath(text: string): boolean {
  return segmentsOfName(text) !== undefined
}

/** Returns the segments of a path that begins with a name; undefined for any other. */
function segmentsOfName(text: string): string[] | undefined {
  // Most paths need not be cleaned, which takes a while for a megabyte.
  if (!text.startsWith('/') || !text.includes('/ipns/')) return undefined
  const segments = cleanSegments(text)
  const [namespace, name] = segments
  return namespace === 'ipns' && name !== undefined ? segments : undefined
}

/**
 * Resolves a path in any form that requests use: a CID, `<cid>/path`, `/ipfs/<cid>/path` or `/ipns/<name>/path`.
 *
 * @throws {@link InvalidPathError}; {@link LinkNotFoundError} if a segment does not exist; errors of the name system
 */
export async function resolveText(
  { blockstore, names }: { blockstore: BlockSource } & Pick<NetworkContext, 'names'>,
  text: string,
): Promise<ResolvedPath> {
  // There may be a hundred thousand paths, and resolving one may await nothing.
  const slice = new TimeSlice()
  const pause = slice.pause()
  if (pause !== undefined) await pause
  const segments = segmentsOfName(text)
  if (segments === undefined) return resolvePath(blockstore, parsePath(text))
  const path = await names.resolve(`/${segments.join('/')}`)
  await slice.pause()
  return resolvePath(blockstore, parsePath(path))
}
