import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { BlockFiles, BlockRemoval, StoredBlock } from '../../storage/files/blockFiles.js'
import type { BlockSession } from '../../storage/files/batch.js'
import type { LentBlock } from '../../storage/files/sharedMemory.js'
import { DamagedBlockError } from '../../storage/errors.js'
import {
  InsecureHashError,
  checkDigest,
  hashNameByCode,
  identityCode,
  matchesMultihash,
} from '../cid/cidFormat.js'
import { BlockNotFoundError, FileNetworkError } from '../errors.js'

/** What a running operation relies on: no removal takes it. */
export interface Session {
  /** Protects a block that may already be stored. */
  touch(cid: CID): void
  /** Stores a block. Blocks that are written together have one promise. */
  put(cid: CID, bytes: Uint8Array): Promise<void>
  end(): void
}

/** Removes blocks that nobody needs. */
export interface Removal {
  /** Removes blocks, except those that a session protects, and returns the CIDs of what was removed. */
  remove(cids: CID[]): Promise<CID[]>
  end(): void
}

/** Blocks by CID. Two CIDs with one multihash name the same block, as in Kubo. */
export interface Blockstore {
  openSession(): Session
  openRemoval(): Removal
  has(cid: CID): boolean
  /** Number of bytes of a block; undefined when it is not stored. */
  size(cid: CID): number | undefined
  /**
   * @throws {@link BlockNotFoundError}
   * @throws {@link FileNetworkError} when blocks are verified and this one is not what its CID says
   */
  get(cid: CID): Promise<Uint8Array>
  /** As `get`, but in memory that others share and that is used again once it is given back. */
  lend(cid: CID): Promise<LentBlock>
  /** Whether readers may borrow blocks before they need them: not while much memory is lent out. */
  mayReadAhead(): boolean
  /** Whether the bytes stored under a CID hash to it; undefined for a hash function that is not known. */
  verify(cid: CID): Promise<boolean | undefined>
  put(cid: CID, bytes: Uint8Array): Promise<void>
  /** Every CID that a block was stored under. */
  cids(): AsyncIterable<CID>
  /** Gives the space of removed blocks back to the file system. */
  compact(): Promise<void>
  totals(): { blocks: number; bytes: number }
}

/** Blocks over the segment files. */
export function createBlockstore(options: {
  blocks: BlockFiles
  /** Whether every block read is checked against its CID. */
  verifyBlocks: boolean
}): Blockstore {
  const { blocks, verifyBlocks } = options

  function put(cid: CID, bytes: Uint8Array, session?: BlockSession): Promise<void> {
    if (isIdentity(cid)) return Promise.resolve()
    return blocks.put({ key: cid.multihash.bytes, label: encodeLabel(cid), data: bytes, session })
  }

  async function read(cid: CID): Promise<Uint8Array> {
    const pause = new TimeSlice().pause()
    if (pause !== undefined) await pause
    if (isIdentity(cid)) return cid.multihash.digest
    const bytes = await blocks.get(cid.multihash.bytes)
    if (bytes === undefined) throw missingBlock(cid)
    return bytes
  }

  return {
    openSession() {
      const session = blocks.openSession()
      return {
        touch: (cid) => session.touch(cid.multihash.bytes),
        put: (cid, bytes) => put(cid, bytes, session),
        end: () => session.end(),
      }
    },
    openRemoval: () => adaptRemoval(blocks.openRemoval()),
    has: (cid) => isIdentity(cid) || blocks.find(cid.multihash.bytes) !== undefined,
    size(cid) {
      return isIdentity(cid) ? cid.multihash.digest.length : blocks.find(cid.multihash.bytes)?.length
    },
    async get(cid) {
      const bytes = await read(cid).catch((error: unknown) => {
        throw namedDamage(cid, error)
      })
      if (verifyBlocks) await check(cid, bytes)
      return bytes
    },
    async lend(cid) {
      const pause = new TimeSlice().pause()
      if (pause !== undefined) await pause
      if (isIdentity(cid)) return { bytes: cid.multihash.digest, giveBack: () => undefined }
      const lent = await blocks.lend(cid.multihash.bytes).catch((error: unknown) => {
        throw namedDamage(cid, error)
      })
      if (lent === undefined) throw missingBlock(cid)
      try {
        if (verifyBlocks) await check(cid, lent.bytes)
      } catch (error) {
        lent.giveBack()
        throw error
      }
      return lent
    },
    mayReadAhead: () => blocks.mayReadAhead(),
    async verify(cid) {
      try {
        return await matchesMultihash(cid.multihash, await read(cid))
      } catch (error) {
        if (error instanceof DamagedBlockError) return false
        throw error
      }
    },
    put,
    async *cids() {
      for await (const block of blocks.entries()) yield* cidsOf(block)
    },
    compact: () => blocks.compact(),
    totals: () => blocks.totals(),
  }
}

/** What Kubo says of a block that is not there: of one that never could be, why not (boxo, `verifcid`). */
export function missingBlock(cid: CID): FileNetworkError {
  const { code, size } = cid.multihash
  const name = hashNameByCode(code)
  if (name === undefined) return new InsecureHashError()
  try {
    checkDigest({ name, code }, size)
  } catch (error) {
    return error as FileNetworkError
  }
  return new BlockNotFoundError(cid)
}

/** What Kubo says of a block that is not what its CID names (boxo: blockstore, ErrHashMismatch). */
function damagedBlock(cid: CID): FileNetworkError {
  return new FileNetworkError(`block in storage has different hash than requested: ${cid}`)
}

function namedDamage(cid: CID, error: unknown): unknown {
  return error instanceof DamagedBlockError ? damagedBlock(cid) : error
}

/** @throws {@link FileNetworkError} when bytes do not hash to the CID that they were stored under */
async function check(cid: CID, bytes: Uint8Array): Promise<void> {
  if ((await matchesMultihash(cid.multihash, bytes)) !== false) return
  throw damagedBlock(cid)
}

function adaptRemoval(removal: BlockRemoval): Removal {
  return {
    async remove(cids) {
      const keys = cids.filter((cid) => !isIdentity(cid)).map((cid) => cid.multihash.bytes)
      return (await removal.remove(keys)).flatMap(cidsOf)
    },
    end: () => removal.end(),
  }
}

/** Whether a CID carries its block in itself. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === identityCode
}

const knownLabels = new Map<number, Uint8Array>()

/** The label a block is stored with: version and codec of its CID. */
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

/** Whether a key is a multihash, and of these bytes; one whose hash function is not known is believed. */
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
