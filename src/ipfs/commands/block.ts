import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { allowBigBlock, readBlock } from '../blockSize.js'
import {
  type HashFunction,
  InsecureHashError,
  checkDigest,
  cidKey,
  codecCode,
  digestInSlices,
  hashFunctionByName,
  IDENTITY_CODE,
  isHashName,
  SHA256_CODE,
} from '../cid/cidFormat.js'
import { codecCodeByName } from '../dag/codecs.js'
import { FileNetworkError } from '../errors.js'
import { resolveText } from '../names/nameSystem.js'
import { type Blockstore, missingBlock } from '../store/blockstore.js'
import type { NetworkContext } from '../networkContext.js'
import {
  bytes,
  defineCommand,
  fileArguments,
  pathArgument,
  pathArguments,
  single,
  values,
} from '../request/command.js'
import { type PinCheck, checkPins, multihashText } from '../store/garbage.js'
import { contentOf } from '../request/upload.js'
import type { BlockSource } from '../unixfs/entry.js'

/** Format of the CIDs of new blocks. */
interface BlockFormat {
  version: 0 | 1
  codec: number
  hash: HashFunction
  /** Bytes of the digest to keep; undefined: all. */
  length: number | undefined
}

/** `block/put`: stores blocks as they are. Checks only their size. */
export const blockPut = defineCommand({
  description: 'Store raw blocks.',
  arguments: [fileArguments('data', 'Blocks to store.')],
  options: {
    'cid-codec': { type: 'string', default: 'raw', description: 'Codec of the CIDs.' },
    mhtype: { type: 'string', description: 'Hash function. Default: sha2-256.' },
    mhlen: { type: 'int', default: -1, description: 'Digest length in bytes; -1 keeps it whole.' },
    pin: { type: 'bool', default: false, description: 'Pin the blocks recursively.' },
    'allow-big-block': allowBigBlock,
    format: { type: 'string', aliases: ['f'], description: 'Legacy format: v0, protobuf, cbor or a codec.' },
  },
  text: ({ Key }: { Key: string }) => `${Key}\n`,
  async run({ options, upload, encodeCid, signal }, network) {
    const mhtype = options.mhtype || network.configuration.hashName()
    if (!isHashName(mhtype)) throw new FileNetworkError(`unrecognized multihash function: ${mhtype}`)
    if (options.format && options['cid-codec'] !== 'raw' && options['cid-codec'] !== '') {
      throw new FileNetworkError(
        'unable to use "format" (deprecated) and a custom "cid-codec" at the same time',
      )
    }
    let format: BlockFormat | undefined
    return values(
      (async function* () {
        const session = network.blockstore.openSession()
        try {
          for await (const entry of upload.entries()) {
            signal.throwIfAborted()
            const content = contentOf(entry)
            if (content === undefined) throw new FileNetworkError('expected a file')
            format ??= await readFormat({ ...options, mhtype })
            const data = await readBlock(content, options)
            const cid = await makeBlockCid(format, data)
            await session.put(cid, data)
            if (options.pin) await network.pins.set({ cid, mode: 'recursive', name: '' })
            yield { Key: encodeCid(cid), Size: data.length }
          }
        } finally {
          session.end()
        }
      })(),
    )
  },
})

async function readFormat(options: {
  'cid-codec': string
  mhtype: string
  mhlen: number
  format: string | undefined
}): Promise<BlockFormat> {
  const { mhtype, mhlen, format = '' } = options
  const hash = await hashFunctionByName(mhtype)
  // Kubo passes a negative length on to functions with digests of any length.
  const isWhole = mhlen === -1 || (mhlen < 0 && hash.ofLength === undefined)
  const length = isWhole || hash.code === IDENTITY_CODE ? undefined : mhlen
  if (format === '') {
    return { version: 1, codec: codecCodeByName(options['cid-codec'] || 'raw'), hash, length }
  }
  const codec = codecCodeByName(legacyNames.get(format) ?? format)
  const version = format === 'v0' ? 0 : 1
  if (version === 0 && (hash.code !== SHA256_CODE || (mhlen !== -1 && mhlen !== 32))) {
    throw new FileNetworkError('only sha2-255-32 is allowed with CIDv0')
  }
  return { version, codec, hash, length }
}

/**
 * Adapts a hash function to a digest length in bytes; undefined: its default. Kubo checks the length at the first
 * block.
 */
async function ofLength(hash: HashFunction, length: number | undefined): Promise<HashFunction> {
  if (length === undefined) return hash
  const resized = hash.ofLength ? await hash.ofLength(length) : hash
  if (resized === undefined || length > digestLengthOf(resized)) {
    throw new FileNetworkError('invalid cid: requested length was too large for digest')
  }
  return resized
}

function digestLengthOf(hash: HashFunction): number {
  try {
    return hash.digest(new Uint8Array()).length
  } catch (error) {
    if (error instanceof InsecureHashError && error.digestLength !== undefined) return error.digestLength
    throw error
  }
}

const legacyNames = new Map([
  ['v0', 'dag-pb'],
  ['protobuf', 'dag-pb'],
  ['cbor', 'dag-cbor'],
])

async function makeBlockCid({ version, codec, hash, length }: BlockFormat, data: Uint8Array): Promise<CID> {
  const whole = await digestInSlices(await ofLength(hash, length), data)
  const kept = whole.subarray(0, length)
  // Checked before it is copied: that of `identity` is the data, which may have tens of megabytes.
  checkDigest(hash, kept.length)
  const digest = Digest.create(hash.code, Uint8Array.from(kept))
  return version === 0 ? CID.create(0, codecCode.dagPb, digest) : CID.createV1(codec, digest)
}

/** `block/get`: returns the bytes of a block. */
export const blockGet = defineCommand({
  description: 'Get a raw block.',
  arguments: [pathArgument('cid', 'CID of the block.', 'missing')],
  options: {},
  async run({ args: [arg = ''] }, { blockstore, names }) {
    const { cid } = await resolveText({ blockstore, names }, arg)
    const block = await blockstore.getEncoded(cid)
    return bytes(
      (async function* () {
        yield block
      })(),
      { contentType: 'application/vnd.ipld.raw' },
    )
  },
})

/** `block/stat`: returns the size of a block. */
export const blockStat = defineCommand({
  description: 'Show the size of a raw block.',
  arguments: [pathArgument('cid', 'CID of the block.', 'missing')],
  options: {},
  text: ({ Key, Size }: { Key: string; Size: number }) => `Key: ${Key}\nSize: ${Size}\n`,
  async run({ args: [arg = ''], encodeCid }, { blockstore, names }) {
    const { cid } = await resolveText({ blockstore, names }, arg)
    const block = await blockstore.getEncoded(cid)
    return single({ Key: encodeCid(cid), Size: block.length })
  },
})

/** `block/rm`: removes unprotected blocks. A block that cannot be removed gets a line with the reason. */
export const blockRm = defineCommand({
  description: 'Remove blocks.',
  arguments: [pathArguments('cid', 'CIDs of the blocks.')],
  options: {
    force: { type: 'bool', aliases: ['f'], description: "Don't fail if a block is missing." },
    quiet: { type: 'bool', aliases: ['q'], description: "Don't send lines for removed blocks." },
  },
  run({ args, options, encodeCid }, network) {
    return values(
      (async function* () {
        const { outcomes, failure } = await removeBlocks(network, args, { force: options.force === true })
        for (const { cid, problem } of outcomes) {
          if (problem !== undefined) yield { Hash: encodeCid(cid), Error: problem }
          else if (!options.quiet) yield { Hash: encodeCid(cid) }
        }
        if (failure !== undefined) throw failure
      })(),
    )
  },
})

/** Outcome for the arguments, up to the first that does not resolve. */
interface Removal {
  /** Blocks to remove, each with the problem, if any. */
  outcomes: { cid: CID; problem: string | undefined }[]
  failure?: Error
}

/**
 * Removes blocks in order: an argument that leads through a block removed before it no longer resolves. Pins are looked
 * up once for all of them.
 */
async function removeBlocks(
  network: NetworkContext,
  args: string[],
  options: { force: boolean },
): Promise<Removal> {
  const { blockstore, collectionLock } = network
  return collectionLock.exclusive(async () => {
    const removal = blockstore.openRemoval()
    const outcomes: Removal['outcomes'] = []
    try {
      const { targets, failure } = await resolveAll(network, args)
      const cids = targets.map(({ cid }) => cid)
      let check: PinCheck | undefined
      for (const [index, { cid, way }] of targets.entries()) {
        check ??= await checkPins(network, cids.slice(index))
        const gone = await firstMissing(blockstore, way)
        if (gone !== undefined) throw missingBlock(gone)
        const isThere = blockstore.has(cid)
        const absence = isThere || options.force ? undefined : `ipld: could not find ${cid}`
        const problem = check.reasons.get(cidKey(cid)) ?? absence
        // Kubo has the root of the mutable files in memory, and stores it again when it is needed.
        const isKept = multihashText(cid) === multihashText(network.files.root())
        if (isThere && problem === undefined && !isKept) {
          await removal.remove([cid])
          // A pin may need the block under another CID: then the search for the pins of the next block fails.
          if (check.read.has(multihashText(cid))) check = undefined
        }
        outcomes.push({ cid, problem })
      }
      return failure === undefined ? { outcomes } : { outcomes, failure }
    } catch (error) {
      return { outcomes, failure: error as Error }
    } finally {
      removal.end()
    }
  })
}

/** Returns the first block that is not stored; yields meanwhile, since a path may have thousands. */
async function firstMissing(blockstore: Blockstore, blocks: readonly CID[]): Promise<CID | undefined> {
  const slice = new TimeSlice()
  for (const block of blocks) {
    if (!blockstore.has(block)) return block
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return undefined
}

/** The block an argument resolves to, and the blocks read to resolve it. */
interface Target {
  cid: CID
  way: CID[]
}

/** Resolves arguments before anything is removed, up to the first that fails. */
async function resolveAll(
  { blockstore, names }: NetworkContext,
  args: string[],
): Promise<{ targets: Target[]; failure?: Error }> {
  const targets: Target[] = []
  try {
    for (const arg of args) {
      const way: CID[] = []
      const source: BlockSource = {
        get: (block) => {
          way.push(block)
          return blockstore.get(block)
        },
      }
      targets.push({ cid: (await resolveText({ blockstore: source, names }, arg)).cid, way })
    }
    return { targets }
  } catch (error) {
    return { targets, failure: error as Error }
  }
}
