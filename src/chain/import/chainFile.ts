import { open, type FileHandle } from 'node:fs/promises'
import { ImportError } from './errors.js'

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
  const first = bytes[0]
  if (first === undefined) return undefined
  if (first < 0xc0) throw new ImportError(undefined, 'encoding', 'it is no RLP list')
  if (first <= 0xf7) return 1 + first - 0xc0
  const lengthBytes = first - 0xf7
  if (bytes.length < 1 + lengthBytes) return undefined
  const length = bytes.subarray(1, 1 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0)
  if (length > LONGEST_BLOCK) throw new ImportError(undefined, 'encoding', `it has ${length} bytes`)
  return 1 + lengthBytes + length
}
