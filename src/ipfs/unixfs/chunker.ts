import { FileNetworkError } from '../errors.js'
import { buzhash } from './chunkers/contentDefined.js'
import { rabin } from './chunkers/rabin.js'
import { goQuote } from '../text/goQuote.js'

/** The largest chunk, in bytes: it must fit into a block of 2 MiB (boxo, `chunker`). */
const MAX_CHUNK_SIZE = 2_096_896
/** The most content that a leaf can have, in bytes (boxo, `ipld/unixfs/importer/helpers`). */
const BLOCK_SIZE_LIMIT = 2_097_152
const DEFAULT_CHUNK_SIZE = 262_144

/**
 * Returns the chunker for a specification: `size-<bytes>`, `rabin`, `rabin-<average>`, `rabin-<min>-<average>-<max>` or
 * `buzhash` (boxo, `chunker/parse.go`).
 *
 * @throws {@link FileNetworkError} with Kubo's message for an invalid specification
 */
export function createChunker(text: string): Chunker {
  if (text === '' || text === 'default') return fixedSize(DEFAULT_CHUNK_SIZE)
  if (text.startsWith('size-')) return fixedSize(parseSize(text))
  if (/^buzhash(-|$)/.test(text)) return buzhash
  if (/^rabin(-|$)/.test(text)) return createRabin(text)
  throw new FileNetworkError(`unrecognized chunker option: ${text}`)
}

/** Returns the size in bytes up to which any content is one chunk; 0 if cuts depend on the content. */
export function singleChunkLimit(text: string): number {
  if (text === '' || text === 'default') return DEFAULT_CHUNK_SIZE
  return text.startsWith('size-') ? parseSize(text) : 0
}

function parseSize(text: string): number {
  const parts = text.split('-')
  if (parts.length !== 2) {
    throw new FileNetworkError('incorrect chunker string format (expected size-{size})')
  }
  const size = parseNumber(parts[1] ?? '')
  if (size <= 0) throw new FileNetworkError('chunker size must be greater than 0')
  checkMaximum(size)
  return size
}

function createRabin(text: string): Chunker {
  const parts = text.split('-')
  if (parts.length === 1) return rabin(fromAverage(DEFAULT_CHUNK_SIZE))
  if (parts.length === 2) {
    const average = parseNumber(parts[1] ?? '')
    const sizes = fromAverage(average)
    // Kubo skips `min - 16` bytes before it looks for a cut, as an unsigned number.
    if (sizes.min < 16) return wholeFile
    checkMaximum(sizes.max)
    return rabin(sizes)
  }
  if (parts.length !== 4) {
    throw new FileNetworkError(
      "incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'",
    )
  }
  const min = parseLabelled(parts[1] ?? '', 'min', 'first label must be min')
  if (min < 16) throw new FileNetworkError('rabin min must be greater than 16')
  const average = parseLabelled(parts[2] ?? '', 'avg', 'second label must be avg')
  const max = parseLabelled(parts[3] ?? '', 'max', 'final label must be max')
  if (min >= average) throw new FileNetworkError('incorrect format: rabin-min must be smaller than rabin-avg')
  if (average >= max) throw new FileNetworkError('incorrect format: rabin-avg must be smaller than rabin-max')
  checkMaximum(max)
  return rabin({ min, average, max })
}

function fromAverage(average: number): { min: number; average: number; max: number } {
  return { min: Math.floor(average / 3), average, max: average + Math.floor(average / 2) }
}

function parseLabelled(text: string, label: string, refusal: string): number {
  const parts = text.split(':')
  if (parts.length > 1 && parts[0] !== label) throw new FileNetworkError(refusal)
  return parseNumber(parts.at(-1) ?? '')
}

function parseNumber(text: string): number {
  const number = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (number !== undefined && BigInt.asIntN(64, number) === number) return Number(number)
  const problem = number === undefined ? 'invalid syntax' : 'value out of range'
  throw new FileNetworkError(`strconv.Atoi: parsing ${goQuote(text)}: ${problem}`)
}

function checkMaximum(size: number): void {
  if (size <= MAX_CHUNK_SIZE) return
  throw new FileNetworkError(`chunker parameters may not exceed the maximum chunk size of ${MAX_CHUNK_SIZE}`)
}

/** Cuts chunks of a fixed size; the last may be shorter. */
function fixedSize(size: number): Chunker {
  return async function* (source, newChunk) {
    let chunk: Chunk | undefined
    let isFirst = true
    for await (const bytes of source) {
      for (let start = 0; start < bytes.length;) {
        const rest = start === 0 ? bytes : bytes.subarray(start)
        // Most files are small: allocate the first chunk only as large as the first piece.
        chunk ??= newChunk(isFirst ? Math.min(size, rest.length) : size)
        if (chunk.isFull) {
          const { content } = chunk
          chunk = newChunk(size)
          chunk.append(content)
        }
        start += chunk.append(rest)
        isFirst = false
        if (!chunk.isFull || chunk.capacity < size) continue
        yield chunk
        chunk = undefined
      }
    }
    if (chunk) yield chunk
  }
}

/** Puts everything into one chunk, which must fit into a block. */
const wholeFile: Chunker = async function* (source, newChunk) {
  for await (const chunk of fixedSize(BLOCK_SIZE_LIMIT + 1)(source, newChunk)) {
    if (chunk.content.length > BLOCK_SIZE_LIMIT) throw new FileNetworkError('object size limit exceeded')
    yield chunk
  }
}

/** Cuts a byte stream into chunks, copied into memory from `newChunk`: the input pieces belong to the network. */
export type Chunker = (source: AsyncIterable<Uint8Array>, newChunk: NewChunk) => AsyncIterable<Chunk>

/** Upper bounds on the fields around a leaf's content (UnixFS `Data` in a dag-pb node), in bytes. */
const ROOM_BEFORE = 32
const ROOM_AFTER = 64

/** A piece of a file, with room around it so that its block can be encoded in place. */
export class Chunk {
  readonly capacity: number
  readonly #memory: Uint8Array
  #length = 0

  /** Creates an empty chunk in memory of {@link Chunk.memoryLength} bytes. */
  constructor(memory: Uint8Array) {
    this.#memory = memory
    this.capacity = memory.length - ROOM_BEFORE - ROOM_AFTER
  }

  /** Returns the bytes of memory needed for a chunk of up to `capacity` bytes. */
  static memoryLength(capacity: number): number {
    return ROOM_BEFORE + capacity + ROOM_AFTER
  }

  get isFull(): boolean {
    return this.#length === this.capacity
  }

  get content(): Uint8Array {
    return this.#memory.subarray(ROOM_BEFORE, ROOM_BEFORE + this.#length)
  }

  /** Appends as many bytes as fit and returns their number. */
  append(bytes: Uint8Array): number {
    const taken =
      bytes.length <= this.capacity - this.#length ? bytes : bytes.subarray(0, this.capacity - this.#length)
    this.#memory.set(taken, ROOM_BEFORE + this.#length)
    this.#length += taken.length
    return taken.length
  }

  /** Keeps the first `length` bytes. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length)
  }

  /** Writes bytes before and after the content, and returns the whole as a view of the chunk's memory. */
  wrap(head: Uint8Array, tail: Uint8Array): Uint8Array {
    const start = ROOM_BEFORE - head.length
    const end = ROOM_BEFORE + this.#length
    this.#memory.set(head, start)
    this.#memory.set(tail, end)
    return this.#memory.subarray(start, end + tail.length)
  }
}

/** Returns an empty chunk of the given capacity, in bytes. */
export type NewChunk = (capacity: number) => Chunk

/** Smaller chunks, in bytes, are not pooled: they are cheap, and most files are small. */
const MIN_POOLED_LENGTH = 65_536

/**
 * Reuses the memory of large chunks. The garbage collector counts memory outside its heap: new memory for every chunk
 * would trigger a full collection every few mebibytes.
 */
export class ChunkPool {
  readonly #acquired = new Map<ArrayBufferLike, Uint8Array>()
  readonly #free: Uint8Array[] = []

  newChunk(capacity: number): Chunk {
    const length = Chunk.memoryLength(capacity)
    if (capacity < MIN_POOLED_LENGTH) return new Chunk(allocate(length))
    const last = this.#free.pop()
    const memory = last && last.length >= length ? last : allocate(length)
    this.#acquired.set(memory.buffer, memory)
    return new Chunk(memory.subarray(0, length))
  }

  /** Reclaims the memory under a block, if it belongs to the pool. */
  release({ buffer }: Uint8Array): void {
    const memory = this.#acquired.get(buffer)
    if (memory === undefined) return
    this.#acquired.delete(buffer)
    this.#free.push(memory)
  }
}

/** Up to this many bytes come from Node's shared pool, which is much cheaper than a separate allocation. */
const POOLED_LIMIT = 4096

/**
 * Allocates memory for a block on its way to the store, not zeroed. Large blocks get their own memory, so that it can
 * be reused. Small ones share, which is harmless unless they are kept for long.
 */
export function allocate(length: number): Uint8Array {
  const bytes = length <= POOLED_LIMIT ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length)
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length)
}
