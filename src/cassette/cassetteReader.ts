import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { STRING_AT_ONCE, partsOf } from '../encoding/jsonWriter.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../encoding/timeSlice.js'
import { decodeChunks } from '../rpc/envelope/decodeChunks.js'
import { closingSteps } from './closing.js'
import { type CassetteEntry, parseEntry } from './entry.js'
import { type CassetteHeader, parseHeader } from './header.js'
import { CassetteError, byteText, readLines } from './lines.js'

/** Bytes per read of the file. */
const BLOCK_BYTES = 8 * 1024

/** The first steps of the binary search are cached: at most 2 to the power of this many. */
const KEPT_LEVELS = 14
/** Bytes of a line kept per search step. */
const KEPT_BYTES = 256

/** Blocks searched in one step. */
const BLOCKS_AT_ONCE = 64
/** Bytes read, compared or decoded in one step. */
const READ_AT_ONCE = 256 * 1024

const LINE_FEED = 10

/** The middle line of a search range, by offsets. */
interface Probe {
  /** Its first bytes, one character each. */
  head: string
  start: number
  next: number
}

/** A closed cassette. Lines are found by binary search, so memory use does not depend on the file's length. */
export class CassetteReader {
  readonly path: string
  readonly header: CassetteHeader
  readonly #file: number
  /** Start and end of the entries. */
  readonly #start: number
  readonly #end: number
  /** Cached search steps as a binary heap: the successors of step i are at 2i and 2i + 1. */
  readonly #probes: Probe[] = new Array<Probe>(2 ** KEPT_LEVELS)
  /** Last block read, and its offset in the file. */
  #block = Buffer.alloc(0)
  #blockStart = 0
  readonly #memory = Buffer.allocUnsafeSlow(BLOCK_BYTES)

  private constructor(path: string, header: CassetteHeader, start: number) {
    this.path = path
    this.header = header
    this.#file = openSync(path, 'r')
    this.#start = start
    this.#end = fstatSync(this.#file).size
  }

  /**
   * Opens a cassette, yielding to other requests. It is closed first if its recorder was killed before closing it or
   * its lines were edited.
   *
   * @throws CassetteError with the line number if it cannot be read
   */
  static open(path: string): Promise<CassetteReader> {
    return runInSlices(CassetteReader.#openingSteps(path), new TimeSlice())
  }

  static *#openingSteps(path: string): Steps<CassetteReader> {
    if (!existsSync(path)) throw new CassetteError(path, 'does not exist')
    const [first] = readLines(path)
    if (first === undefined) throw new CassetteError(path, 'is empty', 1)
    const header = parseHeader(first.bytes.toString('utf8'), path)
    const start = first.bytes.length + 1
    const state = yield* compareWithHeader(path, header, start)
    if (state === 'as closed') return new CassetteReader(path, header, start)
    if (state === 'changed') yield* refuseCutLine(path)
    yield* closingSteps(path, path)
    return yield* CassetteReader.#openingSteps(path)
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Returns the offset of the first line that does not sort before a text. */
  *lowerBound(text: string): Steps<number> {
    const wanted = byteText(text)
    let low = this.#start
    let high = this.#end
    for (let index = 1; high - low >= BLOCK_BYTES;) {
      const probe = this.#probes[index] ?? (yield* this.#probe(index, low, high))
      const isBelow = isBelowHead(probe.head, wanted) ?? (yield* this.#isBelow(probe, wanted))
      if (isBelow) low = probe.next
      else high = probe.start
      index = 2 * index + (isBelow ? 1 : 0)
    }
    const isFound = wanted.length < BLOCK_BYTES
    const place = isFound ? this.#bytes(low - 1, high).indexOf(`\n${wanted}`, 0, 'latin1') : -1
    if (place !== -1) return low + place
    while (low < high && (yield* this.#isBelow({ head: '', start: low }, wanted))) {
      low = (yield* this.#lineEnd(low)) + 1
    }
    return low
  }

  /** Returns whether a line starts at an offset, and with a text. */
  *startsWith(offset: number, text: string): Steps<boolean> {
    if (text.length <= STRING_AT_ONCE) return this.#hasBytes(offset, Buffer.from(text))
    let start = offset
    for (const part of partsOf(text)) {
      const bytes = Buffer.from(part)
      if (!this.#hasBytes(start, bytes)) return false
      start += bytes.length
      yield
    }
    return true
  }

  #hasBytes(offset: number, bytes: Buffer): boolean {
    if (offset >= this.#end) return false
    return this.#bytes(offset, Math.min(offset + bytes.length, this.#end)).equals(bytes)
  }

  /**
   * Returns the rest of the line at an offset after a prefix, and the offset of the next line; undefined if the line
   * does not start with the prefix.
   */
  *lineRestAt(offset: number, text: string): Steps<{ rest: string; next: number } | undefined> {
    if (!(yield* this.startsWith(offset, text))) return undefined
    const start = offset + Buffer.byteLength(text)
    const end = yield* this.#lineEnd(start)
    const rest =
      end - start <= READ_AT_ONCE ? this.#bytes(start, end).toString('utf8') : yield* this.#text(start, end)
    return { rest, next: end + 1 }
  }

  /** Reads a long text. */
  *#text(start: number, end: number): Steps<string> {
    const bytes = Buffer.allocUnsafeSlow(end - start)
    for (let at = 0; at < bytes.length;) {
      yield
      const length = readSync(this.#file, bytes, at, Math.min(READ_AT_ONCE, bytes.length - at), start + at)
      if (length === 0) break
      at += length
    }
    return yield* decodeChunks([bytes])
  }

  /** Yields all entries with their line numbers. */
  *entries(): Generator<{ entry: CassetteEntry; line: number }, void, undefined> {
    let line = 1
    for (const { bytes } of readLines(this.path, this.#start))
      yield { entry: runToCompletion(parseEntry(bytes.toString('utf8'), this.path, ++line)), line }
  }

  /** Returns the middle line of a range. @param index - of the search step that probes it */
  *#probe(index: number, low: number, high: number): Steps<Probe> {
    const middle = Math.floor((low + high) / 2)
    const start = yield* this.#lineStart(middle, low)
    const end = yield* this.#lineEnd(middle)
    const head = this.#bytes(start, Math.min(end, start + KEPT_BYTES)).toString('latin1')
    const probe = { head, start, next: end + 1 }
    if (index < this.#probes.length) this.#probes[index] = probe
    return probe
  }

  /** Returns whether a line sorts before those that start with a text. */
  *#isBelow({ head, start }: Omit<Probe, 'next'>, wanted: string): Steps<boolean> {
    // Few lines share more than their head with a text of megabytes.
    let compared = head
    for (let at = 0; ;) {
      const isBelow = isBelowHead(compared, at === 0 ? wanted : wanted.slice(at))
      if (isBelow !== undefined) return isBelow
      at += compared.length
      const end = Math.min(start + at + Math.min(at * 16 + KEPT_BYTES, READ_AT_ONCE), this.#end)
      if (end <= start + at) return true
      compared = this.#bytes(start + at, end).toString('latin1')
      if (compared.length === READ_AT_ONCE) yield
    }
  }

  /** Returns the start of the line that contains an offset. */
  *#lineStart(offset: number, least: number): Steps<number> {
    let blocks = 0
    for (let end = offset; end > least;) {
      const start = Math.max(least, end - BLOCK_BYTES / 2)
      const feed = this.#bytes(start, end).lastIndexOf(LINE_FEED)
      if (feed !== -1) return start + feed + 1
      end = start
      if (++blocks % BLOCKS_AT_ONCE === 0) yield
    }
    return least
  }

  /** Returns the end of the line that contains an offset. */
  *#lineEnd(offset: number): Steps<number> {
    let blocks = 0
    for (let start = offset; start < this.#end;) {
      const known = this.#blockStart + this.#block.length
      const isKnown = start >= this.#blockStart && start < known
      const end = isKnown ? known : Math.min(start + BLOCK_BYTES, this.#end)
      const feed = this.#bytes(start, end).indexOf(LINE_FEED)
      if (feed !== -1) return start + feed
      start = end
      if (++blocks % BLOCKS_AT_ONCE === 0) yield
    }
    return this.#end
  }

  /** Reads bytes; the result is valid until the next call. */
  #bytes(start: number, end: number): Buffer {
    const isKnown = start >= this.#blockStart && end <= this.#blockStart + this.#block.length
    if (!isKnown) {
      const isLong = end - start > BLOCK_BYTES
      const memory = isLong ? Buffer.allocUnsafeSlow(end - start) : this.#memory
      const bytes = memory.subarray(0, readSync(this.#file, memory, 0, memory.length, start))
      if (isLong) return bytes
      this.#block = bytes
      this.#blockStart = start
    }
    return this.#block.subarray(start - this.#blockStart, end - this.#blockStart)
  }
}

/**
 * Returns whether a line sorts before those that start with a text, judged by its first bytes; undefined if the text
 * starts with them and goes on. Calls are whole JSON values, so none is a prefix of another.
 */
function isBelowHead(head: string, wanted: string): boolean | undefined {
  return wanted.length > head.length && wanted.startsWith(head) ? undefined : head < wanted
}

/** Returns whether the lines match the header exactly, are followed by further lines, or differ. */
function* compareWithHeader(
  path: string,
  { closed }: CassetteHeader,
  start: number,
): Steps<'as closed' | 'continued' | 'changed'> {
  if (closed === undefined) return 'continued'
  const file = openSync(path, 'r')
  try {
    const end = start + closed.bytes
    let sum = 0
    const chunk = Buffer.allocUnsafe(1024 * 1024)
    for (let position = start; position < end;) {
      const length = readSync(file, chunk, 0, Math.min(chunk.length, end - position), position)
      if (length === 0) return 'changed'
      sum = crc32(chunk.subarray(0, length), sum)
      position += length
      yield
    }
    if (sum !== closed.crc32) return 'changed'
    return fstatSync(file).size === end ? 'as closed' : 'continued'
  } finally {
    closeSync(file)
  }
}

/**
 * Refuses a closed cassette whose end is missing. One edited by hand has whole lines.
 *
 * @throws CassetteError
 */
function* refuseCutLine(path: string): Steps<void> {
  let number = 0
  for (const { isComplete } of readLines(path)) {
    if (++number % 1024 === 0) yield
    if (!isComplete) throw new CassetteError(path, 'is cut off here: the last line is incomplete', number)
  }
}
