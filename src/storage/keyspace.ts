/**
 * Every key of the database: one byte for the network, one for the kind, then the rest.
 *
 * Numbers in keys are big-endian, so that keys sort like numbers: ordinals have 6 bytes, block numbers 8. Prefixes
 * never change their meaning unless the manifest's format version changes.
 */
const KIND = {
  head: 0x01,
  snapshot: 0x02,
  setting: 0x03,
  pooled: 0x04,
  blob: 0x05,
  pooledBeside: 0x06,
  snapshotPool: 0x07,
  trieRoot: 0x10,
  code: 0x11,
  preimage: 0x12,
  trieNode: 0x13,
  block: 0x20,
  ordinalByNumber: 0x21,
  ordinalByHash: 0x22,
  transaction: 0x23,
  removedBlock: 0x24,
  editedRoot: 0x25,
  log: 0x30,
} as const

const pooledKinds = [KIND.pooled, KIND.pooledBeside] as const

/** Maximum number of networks; they are numbered from 0. */
export const MAX_NETWORKS = 255

/** Key of the record file's valid end. Network number 255 is reserved for the database's own rows. */
export const RECORD_END_KEY: Uint8Array = Uint8Array.of(255, 0)
/** Key of the next number to hand out. */
export const NEXT_NUMBER_KEY: Uint8Array = Uint8Array.of(255, 1)

/** Length of an encoded ordinal, in bytes. */
export const ORDINAL_LENGTH = 6
const NUMBER_LENGTH = 8
const PREFIX_LENGTH = 2
const ORDINAL_END = 2 ** 48
const MAX_NUMBER = 2n ** 64n - 1n

/** Field that a row of the log index covers: address, topic 0 to 3, or any log at all (with an empty value). */
export type LogPosition = 'any' | 'address' | 0 | 1 | 2 | 3

/** One of two places for the rows of pooled transactions; see PooledStore. */
export type PooledArea = 0 | 1

/** Half-open range of keys. */
export interface KeyRange {
  gte: Uint8Array
  lt: Uint8Array
}

/** Keys of one network. */
export interface Keyspace {
  /** The record of the head and the working root. */
  head(): Uint8Array
  snapshot(id: number): Uint8Array
  /** All snapshots, by id. */
  snapshots(): KeyRange
  /** A named setting that outlives the process. */
  setting(name: string): Uint8Array
  /** Part of the pooled transactions that a snapshot has stored, by its place among the parts. */
  snapshotPool(id: number, part: number): Uint8Array
  /** All such parts, by snapshot and place. */
  snapshotPools(): KeyRange
  /** A pooled transaction by its 32-byte hash. */
  pooled(area: PooledArea, hash: Uint8Array): Uint8Array
  /** All pooled transactions in an area. */
  allPooled(area: PooledArea): KeyRange
  /** A blob by its 32-byte versioned hash. */
  blob(versionedHash: Uint8Array): Uint8Array
  /** The number of a trie's root node, by its 32-byte hash. */
  trieRoot(hash: Uint8Array): Uint8Array
  /** All trie roots. */
  trieRoots(): KeyRange
  /** A trie node by its number. */
  trieNode(number: number): Uint8Array
  /** All trie nodes, by number. */
  trieNodes(): KeyRange
  /** A contract's code by its 32-byte hash. */
  code(hash: Uint8Array): Uint8Array
  /** An address or slot that came with a state, by its 32-byte hash. */
  preimage(hash: Uint8Array): Uint8Array
  /** The position of a block's index record in the record file, by ordinal. */
  block(ordinal: number): Uint8Array
  /** All blocks ever stored, by ordinal. */
  blocks(): KeyRange
  /** The ordinal of the canonical block at a number. */
  ordinalByNumber(number: bigint): Uint8Array
  /** The ordinals of the canonical blocks from one number to another, inclusive. */
  ordinalsByNumber(from: bigint, to: bigint): KeyRange
  /** The ordinal of a block by its 32-byte hash. */
  ordinalByHash(hash: Uint8Array): Uint8Array
  /** The end of a range of ordinals whose blocks a revert removed, by the start of the range. */
  removedBlock(ordinal: number): Uint8Array
  /** All ranges of removed blocks, by ordinal. */
  removedBlocks(): KeyRange
  /** The state root that controls left a block with, by its ordinal, once another block builds on it. */
  editedRoot(ordinal: number): Uint8Array
  /** All such edited roots, by ordinal. */
  editedRoots(): KeyRange
  /** The blocks that hold a transaction, by its 32-byte hash. */
  transaction(hash: Uint8Array): Uint8Array
  /** Marks that a block holds logs with this value at this position. */
  log(position: LogPosition, value: Uint8Array, ordinal: number): Uint8Array
  /** The rows of one value at one position, from one ordinal to another, inclusive. */
  logs(position: LogPosition, value: Uint8Array, from: number, to: number): KeyRange
}

/** Returns the keys of a network by its number, 0 to 254. */
export function keyspaceOf(network: number): Keyspace {
  if (!Number.isInteger(network) || network < 0 || network >= MAX_NETWORKS) {
    throw new RangeError(`A network's number is between 0 and ${MAX_NETWORKS - 1}, not ${network}`)
  }
  const key = (kind: number, ...parts: readonly Uint8Array[]) => joined(network, kind, parts)
  const all = (kind: number): KeyRange => ({ gte: key(kind), lt: key(kind + 1) })
  const logPrefix = (position: LogPosition, value: Uint8Array) => [
    Uint8Array.of(position === 'any' ? 5 : position === 'address' ? 0 : position + 1),
    value,
  ]
  return {
    head: () => key(KIND.head),
    snapshot: (id) => key(KIND.snapshot, encodeOrdinal(id)),
    snapshots: () => all(KIND.snapshot),
    setting: (name) => key(KIND.setting, new TextEncoder().encode(name)),
    snapshotPool: (id, part) => key(KIND.snapshotPool, encodeOrdinal(id), encodeOrdinal(part)),
    snapshotPools: () => all(KIND.snapshotPool),
    pooled: (area, hash) => key(pooledKinds[area], hash),
    allPooled: (area) => all(pooledKinds[area]),
    blob: (versionedHash) => key(KIND.blob, versionedHash),
    trieRoot: (hash) => key(KIND.trieRoot, hash),
    trieRoots: () => all(KIND.trieRoot),
    trieNode: (number) => key(KIND.trieNode, encodeOrdinal(number)),
    trieNodes: () => ({ gte: key(KIND.trieNode, encodeOrdinal(0)), lt: key(KIND.trieNode + 1) }),
    code: (hash) => key(KIND.code, hash),
    preimage: (hash) => key(KIND.preimage, hash),
    block: (ordinal) => key(KIND.block, encodeOrdinal(ordinal)),
    blocks: () => all(KIND.block),
    ordinalByNumber: (number) => key(KIND.ordinalByNumber, encodeNumber(number)),
    ordinalsByNumber: (from, to) => ({
      gte: key(KIND.ordinalByNumber, encodeNumber(from)),
      lt: key(KIND.ordinalByNumber, encodeNumber(to + 1n)),
    }),
    ordinalByHash: (hash) => key(KIND.ordinalByHash, hash),
    removedBlock: (ordinal) => key(KIND.removedBlock, encodeOrdinal(ordinal)),
    removedBlocks: () => all(KIND.removedBlock),
    editedRoot: (ordinal) => key(KIND.editedRoot, encodeOrdinal(ordinal)),
    editedRoots: () => all(KIND.editedRoot),
    transaction: (hash) => key(KIND.transaction, hash),
    log: (position, value, ordinal) => key(KIND.log, ...logPrefix(position, value), encodeOrdinal(ordinal)),
    logs: (position, value, from, to) => ({
      gte: key(KIND.log, ...logPrefix(position, value), encodeOrdinal(from)),
      lt: key(KIND.log, ...logPrefix(position, value), encodeOrdinal(to + 1)),
    }),
  }
}

/** Returns whether a key belongs to a trie node; those have a LevelDB of their own. */
export function isTrieNodeKey(key: Uint8Array): boolean {
  return key.length === PREFIX_LENGTH + ORDINAL_LENGTH && key[1] === KIND.trieNode
}

/** Returns the range of all keys of a network. */
export function networkRange(network: number): KeyRange {
  return { gte: Uint8Array.of(network), lt: Uint8Array.of(network + 1) }
}

/** Encodes an ordinal as 6 big-endian bytes. */
export function encodeOrdinal(ordinal: number): Uint8Array {
  const bytes = new Uint8Array(ORDINAL_LENGTH)
  putOrdinal(bytes, ordinal, 0)
  return bytes
}

/**
 * Writes an ordinal as 6 big-endian bytes at an offset.
 *
 * @throws RangeError if it does not fit
 */
export function putOrdinal(bytes: Uint8Array, ordinal: number, at: number): void {
  if (!(ordinal >= 0 && ordinal < ORDINAL_END)) throw new RangeError(`No ordinal is ${ordinal}`)
  // Every block writes several of these: creating a view of a short array would move its bytes off V8's heap.
  const high = Math.floor(ordinal / 2 ** 32)
  bytes[at] = high >>> 8
  bytes[at + 1] = high
  putUint32(bytes, ordinal, at + 2)
}

/** Reads the number that {@link putUint32} wrote at an offset. */
export function uint32At(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

/** Writes the low 32 bits of a number at an offset, big-endian. */
export function putUint32(bytes: Uint8Array, value: number, at: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

/** Decodes the ordinal in the first 6 bytes of a value. */
export function decodeOrdinal(bytes: Uint8Array): number {
  return ordinalAt(bytes, 0)
}

/** Decodes the ordinal in the 6 bytes at an offset. */
export function ordinalAt(bytes: Uint8Array, at: number): number {
  const high = bytes[at]! * 2 ** 8 + bytes[at + 1]!
  const low = bytes[at + 2]! * 2 ** 24 + bytes[at + 3]! * 2 ** 16 + bytes[at + 4]! * 2 ** 8 + bytes[at + 5]!
  return high * 2 ** 32 + low
}

/**
 * Encodes a block number as 8 big-endian bytes.
 *
 * @throws RangeError if it does not fit
 */
export function encodeNumber(number: bigint): Uint8Array {
  if (number < 0n || number > MAX_NUMBER) throw new RangeError(`No block has the number ${number}`)
  const bytes = new Uint8Array(NUMBER_LENGTH)
  putUint32(bytes, Number(number >> 32n), 0)
  putUint32(bytes, Number(number & 0xffffffffn), 4)
  return bytes
}

/** Decodes the block number in the first 8 bytes of a value. */
export function decodeNumber(bytes: Uint8Array): bigint {
  return Buffer.from(bytes.buffer, bytes.byteOffset, NUMBER_LENGTH).readBigUInt64BE(0)
}

/**
 * Returns the number at the end of a key: the ordinal of a `block` or `log`, the id of a snapshot, or the number of a
 * trie node.
 */
export function ordinalOfKey(key: Uint8Array): number {
  return decodeOrdinal(key.subarray(key.length - ORDINAL_LENGTH))
}

/** Returns the block number at the end of an `ordinalByNumber` key. */
export function numberOfKey(key: Uint8Array): bigint {
  return decodeNumber(key.subarray(key.length - NUMBER_LENGTH))
}

function joined(network: number, kind: number, parts: readonly Uint8Array[]): Uint8Array {
  let length = PREFIX_LENGTH
  for (const part of parts) length += part.length
  const key = new Uint8Array(length)
  key[0] = network
  key[1] = kind
  let position = PREFIX_LENGTH
  for (const part of parts) {
    key.set(part, position)
    position += part.length
  }
  return key
}
