import { type FileHandle, open, stat } from 'node:fs/promises'
import { bytesEqual, bytesToHex } from '../../encoding/hex.js'
import { nextTurn } from '../../encoding/timeSlice.js'
import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { Chain } from '../chain.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'
import { type BlockParts, decodeBlock } from './blockParts.js'
import { ImportError } from '../errors.js'
import { isList, payloadAt } from '../rlp.js'
import { checkHeader } from './headerChecks.js'

/** Bytes that are read at a time. */
const CHUNK = 1024 * 1024
/** A block longer than this is none; blocks have had at most some megabytes. */
const LONGEST_BLOCK = 256 * 1024 * 1024

/** One block of a chain file. */
export interface FileBlock {
  /** Its RLP. */
  bytes: Uint8Array
  /** Where in the file the next one begins. */
  end: number
}

/**
 * The blocks of a chain file, one after another: RLP lists without anything between them, as clients export and import
 * them (geth: cmd/utils/cmd.go, ImportChain). Never more of the file is in memory than a block and a chunk.
 *
 * @throws ImportError if the file holds something else than lists, or ends within one.
 */
export async function* readChainFile(path: string): AsyncGenerator<FileBlock> {
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
    if (buffered.length > 0) throw new ImportError(undefined, 'encoding', 'the file ends in the middle of it')
  } finally {
    await file.close()
  }
}

/** What was read so far with what comes next; undefined at the end of the file. */
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

/** The length of the list that bytes begin with, its own header included; undefined as long as that is not known. */
function itemLength(bytes: Uint8Array): number | undefined {
  if (bytes.length === 0) return undefined
  if (!isList(bytes)) throw new ImportError(undefined, 'encoding', 'it is no RLP list')
  const { start, end } = payloadAt(bytes, 0)
  if (start > bytes.length) return undefined
  if (end - start > LONGEST_BLOCK) throw new ImportError(undefined, 'encoding', `it has ${end - start} bytes`)
  return end
}

/** How far an import has come. */
export interface ImportProgress {
  /** Of the block that was imported last. */
  number: bigint
  /** Bytes of the file that are done, and all of them. */
  done: number
  total: number
}

/** A file of blocks and the chain that takes them in. */
export interface ImportFileOptions {
  chain: Chain
  path: string
  progress?: ((progress: ImportProgress) => void) | undefined
}

/**
 * Executes and stores the blocks of a chain file, each by an atomic write of its own. Blocks that the chain has already
 * are passed over, and so is its genesis.
 *
 * @returns how many blocks were new
 * @throws ImportError for the first block that does not check; those before it stay.
 */
export async function importFile({ chain, path, progress }: ImportFileOptions): Promise<number> {
  const { size: total } = await stat(path)
  let imported = 0
  for await (const { bytes, end } of readChainFile(path)) {
    const block = decodeBlock(bytes)
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
  if (number === 0n) throw new ImportError(number, 'hash', 'the file begins with another genesis')
  if (!bytesEqual(parentHash, head.hash)) {
    const place = `block ${head.header.number}, ${bytesToHex(head.hash)}`
    throw new ImportError(number, 'parentHash', `it is not the head of the chain (${place})`)
  }
  return chain.importBlock(block)
}

/** A chain that a file cannot hold, because a block of it could not be imported again. */
export class ExportError extends Error {
  override readonly name = 'ExportError'
  /** The block's. */
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
  /** The number of its first block. */
  first: bigint
  /** The number of the last block to export. */
  last: bigint
}

/**
 * The blocks of a chain after its first one, each as RLP, as an import takes them.
 *
 * All of them are checked before the first one is given: controls make blocks that no rules lead to.
 *
 * @throws ExportError for the first block that an import would refuse
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
  if (block.altered) throw new ExportError(number, 'a control changed the state that it stands on')
  if (block.transactions.some(({ impersonated }) => impersonated)) {
    throw new ExportError(number, 'it has a transaction of an impersonated account')
  }
  try {
    checkHeader({ header: block.header, parent, rules: schedule.rulesAt(block.header), schedule })
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    throw new ExportError(number, `a control decided about its ${error.field}`)
  }
}
