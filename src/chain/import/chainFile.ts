import { type FileHandle, open, stat } from 'node:fs/promises'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import { TimeSlice, nextTurn, runInSlices } from '../../encoding/timeSlice.js'
import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { Chain } from '../chain.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'
import { type BlockParts, decodeBlockInSteps } from './blockParts.js'
import { ImportError } from '../errors.js'
import { isList, payloadAt } from '../rlp.js'
import { checkHeader } from './headerChecks.js'

/** Bytes per read. */
const CHUNK = 1024 * 1024
/** Maximum length of a block; real ones have at most some megabytes. */
const MAX_BLOCK_LENGTH = 256 * 1024 * 1024

/** A block of a chain file. */
export interface FileBlock {
  /** RLP of the block. */
  bytes: Uint8Array
  /** Offset of the next block in the file. */
  end: number
}

/**
 * Reads the blocks of a chain file: consecutive RLP lists, as clients export and import them (geth: cmd/utils/cmd.go,
 * ImportChain). Never holds more of the file in memory than a block and a chunk.
 *
 * @throws ImportError if the file contains anything but lists, or ends within one
 */
async function* readChainFile(path: string): AsyncGenerator<FileBlock> {
  const file = await open(path)
  try {
    let buffered = new Uint8Array(0)
    let position = 0
    for (;;) {
      const length = itemLength(buffered)
      if (length !== undefined && length <= buffered.length) {
        position += length
        yield { bytes: buffered.slice(0, length), end: position }
        buffered = buffered.subarray(length)
        continue
      }
      const more = await readMore(file, buffered, Math.max(CHUNK, (length ?? 0) - buffered.length))
      if (more === undefined) break
      buffered = more
    }
    if (buffered.length > 0)
      throw new ImportError(undefined, 'encoding', 'the file ends in the middle of the block')
  } finally {
    await file.close()
  }
}

/** Appends the next bytes of the file to those already buffered; undefined at the end of the file. */
async function readMore(
  file: FileHandle,
  buffered: Uint8Array,
  wanted: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const joined = new Uint8Array(buffered.length + wanted)
  joined.set(buffered)
  const { bytesRead } = await file.read(joined, buffered.length, wanted)
  return bytesRead === 0 ? undefined : joined.subarray(0, buffered.length + bytesRead)
}

/** Returns the length of the list at the start of the bytes, header included; undefined while it is unknown. */
function itemLength(bytes: Uint8Array): number | undefined {
  if (bytes.length === 0) return undefined
  if (!isList(bytes)) throw new ImportError(undefined, 'encoding', 'it is not an RLP list')
  const { start, end } = payloadAt(bytes, 0)
  if (start > bytes.length) return undefined
  if (end - start > MAX_BLOCK_LENGTH)
    throw new ImportError(undefined, 'encoding', `it has ${end - start} bytes`)
  return end
}

/** Progress of an import. */
export interface ImportProgress {
  /** Number of the last imported block. */
  number: bigint
  /** Bytes of the file that are done. */
  done: number
  total: number
}

/** Options for importing a chain file. */
export interface ImportFileOptions {
  chain: Chain
  path: string
  progress?: ((progress: ImportProgress) => void) | undefined
}

/**
 * Executes and stores the blocks of a chain file, each with its own atomic write. Skips blocks that the chain already
 * has, including its genesis.
 *
 * @returns the number of new blocks
 * @throws ImportError for the first invalid block; those before it stay
 */
export async function importFile({ chain, path, progress }: ImportFileOptions): Promise<number> {
  const { size: total } = await stat(path)
  let imported = 0
  for await (const { bytes, end } of readChainFile(path)) {
    const block = await runInSlices(decodeBlockInSteps(bytes), new TimeSlice())
    if (chain.view.blockByHash(block.hash) === undefined) {
      await chain.exclusively(() => importNext(chain, block))
      imported++
    }
    progress?.({ number: block.header.number, done: end, total })
    await nextTurn()
  }
  return imported
}

function importNext(chain: Chain, block: BlockParts): Promise<StoredBlock> {
  const { number, parentHash } = block.header
  const head = chain.head.block
  if (number === 0n) throw new ImportError(number, 'hash', 'the file starts with another genesis')
  if (!bytesEqual(parentHash, head.hash)) {
    const place = `block ${head.header.number}, ${bytesToHex(head.hash)}`
    throw new ImportError(number, 'parentHash', `it is not the head of the chain (${place})`)
  }
  return chain.importBlock(block)
}

/** A chain cannot be exported, because one of its blocks could not be imported again. */
class ExportError extends Error {
  override readonly name = 'ExportError'
  /** Number of the block. */
  readonly number: bigint

  constructor(number: bigint, reason: string) {
    super(`block ${number} cannot be exported: ${reason}`)
    this.number = number
  }
}

/** A chain to export. */
export interface ExportSource {
  blocks: BlockStore
  schedule: ForkSchedule
  /** Number of the chain's first block. */
  first: bigint
  /** Number of the last block to export. */
  last: bigint
}

/**
 * Iterates over the RLP of a chain's blocks after the first, as an import accepts them.
 *
 * Checks all of them before returning the first, because controls can make blocks that no rules allow.
 *
 * @throws ExportError for the first block that an import would reject
 */
export function* exportChain(source: ExportSource): Generator<Uint8Array> {
  const { blocks, first, last } = source
  let parent = blockAt(blocks, first)
  for (let number = first + 1n; number <= last; number++) {
    const block = blockAt(blocks, number)
    checkBlock(block, parent, source.schedule)
    parent = block
  }
  for (let number = first + 1n; number <= last; number++) yield blocks.blockRlp(blockAt(blocks, number))
}

function blockAt(blocks: BlockStore, number: bigint): StoredBlock {
  const ordinal = blocks.canonicalOrdinal(number)
  const block = ordinal === undefined ? undefined : blocks.byOrdinal(ordinal)
  if (block === undefined) throw new ExportError(number, 'the chain has no such block')
  return block
}

function checkBlock(block: StoredBlock, parent: StoredBlock, schedule: ForkSchedule): void {
  const { number } = block.header
  if (block.altered) throw new ExportError(number, 'a control changed its parent state')
  if (block.transactions.some(({ impersonated }) => impersonated)) {
    throw new ExportError(number, 'it contains a transaction from an impersonated account')
  }
  try {
    checkHeader({ header: block.header, parent, rules: schedule.rulesAt(block.header), schedule })
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    throw new ExportError(number, `a control set its ${error.field}`)
  }
}
