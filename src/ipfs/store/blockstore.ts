import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { MemoryPool, MemoryShare } from '../../encoding/memoryShare.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { BlockFiles, StoredBlock } from '../../storage/files/blockFiles.js'
import type { BlockSession } from '../../storage/files/batch.js'
import type { PooledBlock } from '../../storage/files/bufferPool.js'
import { DamagedBlockError } from '../../storage/errors.js'
import {
  InsecureHashError,
  checkDigest,
  canNameBlocks,
  codecCode,
  hashNameByCode,
  IDENTITY_CODE,
  matchesMultihash,
} from '../cid/cidFormat.js'
import { errorText } from '../../encoding/errorText.js'
import { BlockNotFoundError, FileNetworkError, UnsafeCidError } from '../errors.js'

/** The blocks that a running operation relies on, protected from removal. */
export interface Session {
  /** Protects a block that may already be stored. */
  touch(cid: CID): void
  /** Stores a block. Blocks written together share a promise. */
  put(cid: CID, bytes: Uint8Array): Promise<void>
  end(): void
}

/** Removes unneeded blocks. */
export interface Removal {
  /** Removes blocks not protected by a session, and returns the CIDs of those removed. */
  remove(cids: CID[]): Promise<CID[]>
  end(): void
}

/** Milliseconds after which a waiting request goes on although none has released memory: a client may be slow to read. */
const PATIENCE = 30_000
/** Decoded blocks of all requests: common ones, such as directories below the sharding limit, never wait for large ones. */
const commonBlocks = new MemoryPool(1024 * 1024 * 1024, { patience: PATIENCE })
const largeBlocks = new MemoryPool(512 * 1024 * 1024, { patience: PATIENCE })

/** Bytes that a decoded block takes for each of its own: a link of sixteen bytes takes more than four hundred. */
const MEMORY_OF_BYTE = 32
/** No decoded block takes much more, because the number of its values is bounded. */
const MAX_MEMORY_OF_BLOCK = 256 * 1024 * 1024
const MAX_MEMORY_OF_COMMON_BLOCK = 16 * 1024 * 1024
/** Blocks that take less are not counted. */
const MIN_MEMORY_OF_BLOCK = 1024 * 1024
/** First byte of a dag-pb block that begins with its data. */
const DATA_FIRST = 0x0a

/** The memory of the largest blocks that a request has decoded. It waits while others take too much. */
export class BlockMemory {
  readonly #signal: AbortSignal
  #common: MemoryShare | undefined
  #large: MemoryShare | undefined

  /** @param signal - aborted when the client leaves, whose blocks are not decoded any more */
  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /**
   * Claims memory to decode a block.
   *
   * @returns a promise to await before that if others take too much; it rejects with the signal's reason once that is
   *   aborted
   */
  claim(codec: number, block: Uint8Array): Promise<void> | undefined {
    if (codec === codecCode.raw) return undefined
    const values = block.length - plainLength(codec, block)
    const bytes = Math.min(block.length + values * MEMORY_OF_BYTE, MAX_MEMORY_OF_BLOCK)
    if (bytes <= MIN_MEMORY_OF_BLOCK) return undefined
    const share =
      bytes <= MAX_MEMORY_OF_COMMON_BLOCK
        ? (this.#common ??= new MemoryShare(commonBlocks))
        : (this.#large ??= new MemoryShare(largeBlocks))
    const granted = share.claim(bytes)
    return granted && this.#unlessAborted(share, granted)
  }

  /** Releases everything. */
  end(): void {
    this.#common?.end()
    this.#large?.end()
  }

  async #unlessAborted(share: MemoryShare, granted: Promise<void>): Promise<void> {
    const stopWaiting = (): void => share.end()
    this.#signal.addEventListener('abort', stopWaiting)
    await granted
    this.#signal.removeEventListener('abort', stopWaiting)
    this.#signal.throwIfAborted()
  }
}

/** Returns how many bytes of a block are data that need no decoding. */
function plainLength(codec: number, block: Uint8Array): number {
  if (codec !== codecCode.dagPb || block[0] !== DATA_FIRST) return 0
  let length = 0
  for (let index = 1, scale = 1; index <= 4; index++, scale *= 128) {
    const byte = block[index] ?? 0
    length += (byte & 0x7f) * scale
    if (byte < 0x80) break
  }
  return Math.min(length, block.length)
}

/** Blocks by CID. CIDs with the same multihash name the same block, as in Kubo. */
export class Blockstore {
  readonly #blocks: BlockFiles
  readonly #verifyBlocks: boolean
  readonly #memory: BlockMemory | undefined

  /**
   * @param options.verifyBlocks - whether to check every block read against its CID
   * @param options.memory - counts the blocks read to be decoded
   */
  constructor(blocks: BlockFiles, options: { verifyBlocks: boolean; memory?: BlockMemory }) {
    this.#blocks = blocks
    this.#verifyBlocks = options.verifyBlocks
    this.#memory = options.memory
  }

  /** Returns the same blocks for one request, which waits before it decodes large ones while others take much memory. */
  countedIn(memory: BlockMemory): Blockstore {
    return new Blockstore(this.#blocks, { verifyBlocks: this.#verifyBlocks, memory })
  }

  openSession(): Session {
    const session = this.#blocks.openSession()
    return {
      touch: (cid) => session.touch(cid.multihash.bytes),
      put: (cid, bytes) => this.put(cid, bytes, session),
      end: () => session.end(),
    }
  }

  openRemoval(): Removal {
    const removal = this.#blocks.openRemoval()
    return {
      async remove(cids) {
        const keys = cids.filter((cid) => !isIdentity(cid)).map((cid) => cid.multihash.bytes)
        return (await removal.remove(keys)).flatMap(cidsOf)
      },
      end: () => removal.end(),
    }
  }

  has(cid: CID): boolean {
    return this.size(cid) !== undefined
  }

  /** Returns the length of a block in bytes; undefined if it is not stored. */
  size(cid: CID): number | undefined {
    return isIdentity(cid) ? cid.multihash.digest.length : this.#blocks.find(cid.multihash.bytes)?.length
  }

  /**
   * Reads a block that may be decoded.
   *
   * @throws {@link BlockNotFoundError}
   * @throws {@link FileNetworkError} if blocks are verified and this one does not match its CID
   */
  async get(cid: CID): Promise<Uint8Array> {
    const bytes = await this.getEncoded(cid)
    const pause = this.#memory?.claim(cid.code, bytes)
    if (pause !== undefined) await pause
    return bytes
  }

  /** Like `get`, for a block that is not decoded. */
  async getEncoded(cid: CID): Promise<Uint8Array> {
    const bytes = await this.#bytesOf(cid)
    if (this.#verifyBlocks) await check(cid, bytes)
    return bytes
  }

  /** Like `get`, but in a shared pooled buffer that is reused after its release. */
  async acquire(cid: CID): Promise<PooledBlock> {
    if (isIdentity(cid)) return { bytes: await this.getEncoded(cid), release: () => undefined }
    const block = await this.#read(cid, (key) => this.#blocks.acquire(key))
    try {
      if (this.#verifyBlocks) await check(cid, block.bytes)
    } catch (error) {
      block.release()
      throw error
    }
    return block
  }

  /** Whether readers may acquire blocks ahead: not while many bytes are acquired. */
  get mayReadAhead(): boolean {
    return this.#blocks.mayReadAhead
  }

  /** Whether the block stored under a CID hashes to it; undefined for an unknown hash function. */
  async verify(cid: CID): Promise<boolean | undefined> {
    try {
      return await matchesMultihash(cid.multihash, await this.#bytesOf(cid))
    } catch (error) {
      if (error instanceof HashMismatchError) return false
      throw error
    }
  }

  /** @param session - protects the block from removal */
  put(cid: CID, bytes: Uint8Array, session?: BlockSession): Promise<void> {
    if (isIdentity(cid)) return Promise.resolve()
    return this.#blocks.put({ key: cid.multihash.bytes, label: encodeLabel(cid), data: bytes, session })
  }

  /** Yields every CID under which a block was stored. */
  async *cids(): AsyncGenerator<CID> {
    for await (const block of this.#blocks.entries()) yield* cidsOf(block)
  }

  /** Returns the space of removed blocks to the file system. */
  compact(): Promise<void> {
    return this.#blocks.compact()
  }

  totals(): { blocks: number; bytes: number } {
    return this.#blocks.totals()
  }

  async #bytesOf(cid: CID): Promise<Uint8Array> {
    if (!isIdentity(cid)) return this.#read(cid, (key) => this.#blocks.get(key))
    checkCid(cid)
    return cid.multihash.digest
  }

  async #read<T>(cid: CID, read: (key: Uint8Array) => Promise<T | undefined>): Promise<T> {
    const pause = new TimeSlice().pause()
    if (pause !== undefined) await pause
    const found = await read(cid.multihash.bytes).catch((error: unknown) => {
      throw error instanceof DamagedBlockError ? new HashMismatchError(cid) : error
    })
    if (found === undefined) throw missingBlock(cid)
    return found
  }
}

/** Returns Kubo's error for a missing block; for one that could never be stored, the reason why. */
export function missingBlock(cid: CID): FileNetworkError {
  try {
    checkCid(cid)
  } catch (error) {
    return error as FileNetworkError
  }
  return new BlockNotFoundError(cid)
}

/** @throws {@link UnsafeCidError} if no block can be stored under a CID */
export function checkCid({ multihash: { code, size } }: CID): void {
  if (!canNameBlocks(code)) throw new UnsafeCidError(new InsecureHashError().message)
  try {
    checkDigest({ name: hashNameByCode(code) ?? '', code }, size)
  } catch (error) {
    throw new UnsafeCidError(errorText(error))
  }
}

/** A block does not match its CID, with Kubo's message (boxo: blockstore, ErrHashMismatch). */
class HashMismatchError extends FileNetworkError {
  constructor(cid: CID) {
    super(`block in storage has different hash than requested: ${cid}`)
  }
}

/** @throws {@link FileNetworkError} if bytes do not hash to the CID under which they were stored */
async function check(cid: CID, bytes: Uint8Array): Promise<void> {
  if ((await matchesMultihash(cid.multihash, bytes)) !== false) return
  throw new HashMismatchError(cid)
}

/** Whether a CID contains its block. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === IDENTITY_CODE
}

const knownLabels = new Map<number, Uint8Array>()

/** Encodes the label of a stored block: version (1 byte) and codec (4 bytes, little-endian) of its CID. */
function encodeLabel({ version, code }: CID): Uint8Array {
  const number = version * 2 ** 32 + code
  let label = knownLabels.get(number)
  if (label === undefined) {
    const bytes = Buffer.alloc(5)
    bytes[0] = version
    bytes.writeUInt32LE(code, 1)
    label = bytes
    if (knownLabels.size < 64) knownLabels.set(number, label)
  }
  return label
}

function cidsOf(block: StoredBlock): CID[] {
  const digest = Digest.decode(block.key)
  return block.labels.map((label) => {
    const codec = Buffer.from(label).readUInt32LE(1)
    return CID.create(label[0] === 0 ? 0 : 1, codec, digest)
  })
}

/** Whether a key is a multihash of these bytes; an unknown hash function is trusted. */
export async function isIntact(key: Uint8Array, data: Uint8Array): Promise<boolean> {
  const multihash = decode(key)
  return multihash !== undefined && (await matchesMultihash(multihash, data)) !== false
}

function decode(key: Uint8Array): MultihashDigest | undefined {
  try {
    return Digest.decode(key)
  } catch {
    return undefined
  }
}
