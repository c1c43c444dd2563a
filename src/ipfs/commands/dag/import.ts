import { LargeMap } from '../../../encoding/largeMap.js'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import { CID } from 'multiformats/cid'
import { allowBigBlock, checkBlockSize } from '../../blockSize.js'
import { type CarReader, readCar } from '../../dag/car.js'
import { CarError } from '../../dag/carHeader.js'
import { checkBlockData } from '../../dag/codecs.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, fileArguments, values } from '../../request/command.js'
import { type Upload, contentOf } from '../../request/upload.js'
import { type Session, checkCid } from '../../store/blockstore.js'
import { pinDag, provideOptions } from '../../store/pins.js'

/**
 * `dag/import`: stores the blocks of CARs, each checked against its CID and codec, and pins the roots. A root that
 * cannot be pinned does not fail the request: its line has the error.
 */
export const dagImport = defineCommand({
  description: 'Import the blocks of CAR files.',
  arguments: [fileArguments('path', 'CAR files.')],
  options: {
    'pin-roots': { type: 'bool', description: 'Pin the roots in the CAR headers. Default: true.' },
    silent: { type: 'bool', description: 'Text output only.' },
    stats: { type: 'bool', description: 'Also send the numbers of imported blocks and bytes.' },
    'local-only': { type: 'bool', description: "Accept partial CARs: don't pin their roots." },
    ...provideOptions,
    'allow-big-block': allowBigBlock,
  },
  text({ Root, Stats }: ImportLine, { options, encodeCid }) {
    if (options.silent) return ''
    if (Root === undefined) {
      return Stats === undefined
        ? ''
        : `Imported ${Stats.BlockCount} blocks (${Stats.BlockBytesCount} bytes)\n`
    }
    const cid = encodeCid(CID.parse(Root.Cid['/']))
    if (Root.PinErrorMsg !== '')
      throw new FileNetworkError(`pinning root "${cid}" FAILED: ${Root.PinErrorMsg}`)
    return `Pinned root\t${cid}\tsuccess\n`
  },
  run({ options, upload }, network) {
    if (options['local-only'] && options['pin-roots']) {
      throw new FileNetworkError(
        '--local-only implies --pin-roots=false and cannot be combined with --pin-roots=true; please drop one of them',
      )
    }
    const pins = options['pin-roots'] ?? options['local-only'] !== true
    return values(
      (async function* () {
        const session = network.blockstore.openSession()
        try {
          const { roots, blocks, bytes } = await importAll(upload, session, options)
          if (pins) yield* pinRoots(network, roots)
          if (options.stats) yield { Stats: { BlockCount: blocks, BlockBytesCount: bytes } }
        } finally {
          session.end()
        }
      })(),
    )
  },
})

async function importAll(
  upload: Upload,
  session: Session,
  limits: { 'allow-big-block': boolean },
): Promise<{ roots: LargeMap<CID>; blocks: number; bytes: number }> {
  const roots = new LargeMap<CID>()
  const counts = { blocks: 0, bytes: 0 }
  const batch = new BlockBatch(session)
  const slice = new TimeSlice()
  for await (const entry of upload.entries()) {
    const content = contentOf(entry)
    if (content === undefined) throw new FileNetworkError('expected a file handle')
    const car = await readCar(content)
    for (const root of car.roots) {
      roots.set(root.toString(), root)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    for await (const { cid, bytes } of nameFailures(car.blocks)) {
      await checkBlock(cid, bytes, limits)
      await batch.add(cid, bytes)
      counts.blocks++
      counts.bytes += bytes.length
    }
  }
  await batch.stored()
  return { roots, ...counts }
}

/** Adds to a CAR's error the block that precedes it, like Kubo (`core/commands/dag/import.go`). */
async function* nameFailures(blocks: CarReader['blocks']): CarReader['blocks'] {
  let previous: CID | undefined
  try {
    for await (const block of blocks) {
      yield block
      previous = block.cid
    }
  } catch (error) {
    if (!(error instanceof CarError)) throw error
    const place = previous === undefined ? '' : ` after block "${previous}"`
    throw new CarError(`import failed${place}: ${errorText(error)}`)
  }
}

/** Rejects a block that Kubo could not decode, or one that is too big (`core/commands/dag/import.go`). */
async function checkBlock(
  cid: CID,
  bytes: Uint8Array,
  limits: { 'allow-big-block': boolean },
): Promise<void> {
  try {
    checkBlockSize(bytes.length, limits)
    await checkBlockData(cid.code, bytes)
  } catch (error) {
    throw new CarError(`import failed at block "${cid}": ${errorText(error)}`)
  }
}

/** Blocks that are held back, so that an import that fails early stores none (Kubo, `Import.BatchMaxNodes`). */
const BLOCKS_IN_BATCH = 128
/** Bytes and blocks that may be in flight before reading pauses: they are written together. */
const BYTES_IN_FLIGHT = 8 * 1024 * 1024
const BLOCKS_IN_FLIGHT = 1024

/** Stores blocks in batches; the last one only on request. */
class BlockBatch {
  readonly #session: Session
  #held: { cid: CID; bytes: Uint8Array }[] = []
  #storing: Promise<void>[] = []
  /** Bytes held or in flight. */
  #waitingBytes = 0

  constructor(session: Session) {
    this.#session = session
  }

  async add(cid: CID, bytes: Uint8Array): Promise<void> {
    this.#held.push({ cid, bytes })
    this.#waitingBytes += bytes.length
    const isFull = this.#waitingBytes >= BYTES_IN_FLIGHT
    if (isFull || this.#held.length > BLOCKS_IN_BATCH) this.#store()
    if (isFull || this.#storing.length >= BLOCKS_IN_FLIGHT) await this.#settle()
  }

  /** Stores what is held, and resolves once everything is stored. */
  async stored(): Promise<void> {
    this.#store()
    await this.#settle()
  }

  /** @throws the error for a CID under which no block can be stored; then none of the batch is */
  #store(): void {
    for (const { cid } of this.#held) checkCid(cid)
    for (const { cid, bytes } of this.#held) {
      const stored = this.#session.put(cid, bytes)
      stored.catch(() => undefined)
      this.#storing.push(stored)
    }
    this.#held = []
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#storing)
    this.#storing = []
    this.#waitingBytes = this.#held.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }
}

/** A line of the answer: one of the two. */
interface ImportLine {
  Root?: { Cid: { '/': string }; PinErrorMsg: string }
  Stats?: { BlockCount: number; BlockBytesCount: number }
}

async function* pinRoots(network: NetworkContext, roots: LargeMap<CID>): AsyncGenerator<ImportLine> {
  for (const [name, cid] of roots) {
    yield { Root: { Cid: { '/': name }, PinErrorMsg: await pinRoot(network, cid) } }
  }
}

/** @returns the error, if any. A missing root gets a shorter message, because Kubo looks for it in the store alone */
async function pinRoot(network: NetworkContext, cid: CID): Promise<string> {
  try {
    checkCid(cid)
    if (!network.blockstore.has(cid)) return `ipld: could not find ${cid}`
    await pinDag(network, cid, '')
    return ''
  } catch (error) {
    return errorText(error).replace(/^pin: /, '')
  }
}
