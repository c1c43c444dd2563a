import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../encoding/timeSlice.js'
import { closingSteps } from './closing.js'
import { type CassetteEntry, parseEntry } from './entry.js'
import { type CassetteHeader, parseHeader } from './header.js'
import { CassetteError, readLines } from './lines.js'

/** What is read of the file at once. */
const BLOCK_BYTES = 8 * 1024

/** The first steps of the search for a line stay in memory: at most 2 to the power of this many. */
const KEPT_LEVELS = 14
/** Bytes of a line that a step of the search keeps. */
const KEPT_BYTES = 256

const LINE_FEED = 10

/** A line in the midst of those that are searched, by offsets. */
interface Probe {
  /** Its first bytes, a character each. */
  head: string
  start: number
  next: number
}

/** A closed cassette, whose lines are found by binary search: what it takes in memory does not depend on its length. */
export class CassetteReader {
  readonly path: string
  readonly header: CassetteHeader
  readonly #file: number
  /** Where the entries begin and end. */
  readonly #start: number
  readonly #end: number
  /** The first steps of the search: those behind the one at an index are at its double and at the next index. */
  readonly #probes: Probe[] = new Array<Probe>(2 ** KEPT_LEVELS)
  /** What was read last, and where it begins in the file. */
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
   * Opens a cassette while other requests have their turns. One that was not closed, because its recorder was killed, or
   * whose lines were edited, is closed first.
   *
   * @throws CassetteError with the line's number if it cannot be read
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

  /** Where the first line begins that is not below a text. */
  lowerBound(text: string): number {
    const bytes = Buffer.from(`\n${text}`)
    const wanted = bytes.toString('latin1', 1)
    let low = this.#start
    let high = this.#end
    for (let index = 1; high - low >= BLOCK_BYTES;) {
      const probe = this.#probe(index, low, high)
      const isBelow = this.#isBelow(probe, wanted)
      if (isBelow) low = probe.next
      else high = probe.start
      index = 2 * index + (isBelow ? 1 : 0)
    }
    const place = this.#bytes(low - 1, high).indexOf(bytes)
    if (place !== -1) return low + place
    while (low < high && this.#isBelow({ head: '', start: low }, wanted)) low = this.#lineEnd(low) + 1
    return low
  }

  /** Whether a line begins at an offset, and with a text. */
  startsWith(offset: number, text: string): boolean {
    if (offset >= this.#end) return false
    const bytes = Buffer.from(text)
    return this.#bytes(offset, Math.min(offset + bytes.length, this.#end)).equals(bytes)
  }

  /**
   * What follows a text in the line that begins at an offset, and where the next line begins; undefined if the line does
   * not begin with the text.
   */
  restAt(offset: number, text: string): { rest: string; next: number } | undefined {
    if (!this.startsWith(offset, text)) return undefined
    const end = this.#lineEnd(offset)
    return { rest: this.#bytes(offset + Buffer.byteLength(text), end).toString('utf8'), next: end + 1 }
  }

  /** All entries with the numbers of their lines. */
  *entries(): Generator<{ entry: CassetteEntry; line: number }, void, undefined> {
    let line = 1
    for (const { bytes } of readLines(this.path, this.#start))
      yield { entry: runToCompletion(parseEntry(bytes.toString('utf8'), this.path, ++line)), line }
  }

  /** The line in the midst of others. @param index - of the step of the search that looks at it */
  #probe(index: number, low: number, high: number): Probe {
    const kept = this.#probes[index]
    if (kept !== undefined) return kept
    const middle = Math.floor((low + high) / 2)
    const start = this.#lineStart(middle, low)
    const end = this.#lineEnd(middle)
    const head = this.#bytes(start, Math.min(end, start + KEPT_BYTES)).toString('latin1')
    const probe = { head, start, next: end + 1 }
    if (index < this.#probes.length) this.#probes[index] = probe
    return probe
  }

  /** Whether a line goes before those that begin with a text. Calls are whole JSON values: none begins with another one. */
  #isBelow({ head, start }: Omit<Probe, 'next'>, wanted: string): boolean {
    const isUndecided = wanted.length > head.length && wanted.startsWith(head)
    if (!isUndecided) return head < wanted
    return this.#bytes(start, Math.min(start + wanted.length, this.#end)).toString('latin1') < wanted
  }

  /** Where the line begins that an offset lies in. */
  #lineStart(offset: number, least: number): number {
    for (let end = offset; end > least;) {
      const start = Math.max(least, end - BLOCK_BYTES / 2)
      const feed = this.#bytes(start, end).lastIndexOf(LINE_FEED)
      if (feed !== -1) return start + feed + 1
      end = start
    }
    return least
  }

  /** Where the line ends that an offset lies in. */
  #lineEnd(offset: number): number {
    for (let start = offset; start < this.#end;) {
      const known = this.#blockStart + this.#block.length
      const isKnown = start >= this.#blockStart && start < known
      const end = isKnown ? known : Math.min(start + BLOCK_BYTES, this.#end)
      const feed = this.#bytes(start, end).indexOf(LINE_FEED)
      if (feed !== -1) return start + feed
      start = end
    }
    return this.#end
  }

  /** Valid until other bytes are asked for. */
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

/** Whether the lines are those that the header tells of, the same with others behind them, or other ones. */
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
 * Refuses a closed cassette whose end is missing. One that was edited by hand has whole lines.
 *
 * @throws CassetteError
 */
function* refuseCutLine(path: string): Steps<void> {
  let number = 0
  for (const { isComplete } of readLines(path)) {
    if (++number % 1024 === 0) yield
    if (!isComplete) throw new CassetteError(path, 'is cut off here: the last line has no end', number)
  }
}
