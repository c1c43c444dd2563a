import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../encoding/timeSlice.js'
import { closingSteps } from './closing.js'
import { type CassetteEntry, parseEntry } from './entry.js'
import { type CassetteHeader, parseHeader } from './header.js'
import { CassetteError, readLines } from './lines.js'

/** What is read of the file at once, and how many such pages stay in memory: 8 MiB. */
const PAGE_BYTES = 16 * 1024
const KEPT_PAGES = 512

const LINE_FEED = 10

/** A closed cassette, whose lines are found by binary search: what it takes in memory does not depend on its length. */
export class CassetteReader {
  readonly path: string
  readonly header: CassetteHeader
  readonly #file: number
  /** Where the entries begin and end. */
  readonly #start: number
  readonly #end: number
  /** By number; the one used last is the last one. Their memory is used again for others. */
  readonly #pages = new Map<number, Buffer>()

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
    const prefix = Buffer.from(text)
    let low = this.#start
    let high = this.#end
    while (low < high) {
      const middle = this.#lineStart(Math.floor((low + high) / 2), low)
      if (this.#compare(middle, prefix) < 0) low = this.#lineEnd(middle) + 1
      else high = middle
    }
    return low
  }

  /** Whether a line begins at an offset, and with a text. */
  startsWith(offset: number, text: string): boolean {
    return offset < this.#end && this.#compare(offset, Buffer.from(text)) === 0
  }

  /**
   * The entry of the line that begins at an offset, and where the next line begins.
   *
   * @param text - undefined is returned for a line that does not begin with it
   */
  *entryAt(offset: number, text: string): Steps<{ entry: CassetteEntry; next: number } | undefined> {
    if (!this.startsWith(offset, text)) return undefined
    const end = this.#lineEnd(offset)
    const line = this.#bytes(offset, end).toString('utf8')
    return { entry: yield* parseEntry(line, this.path), next: end + 1 }
  }

  /** All entries with the numbers of their lines. */
  *entries(): Generator<{ entry: CassetteEntry; line: number }, void, undefined> {
    let line = 1
    for (const { bytes } of readLines(this.path, this.#start))
      yield { entry: runToCompletion(parseEntry(bytes.toString('utf8'), this.path, ++line)), line }
  }

  /** How the bytes from an offset on compare with others. Calls are whole JSON values: none begins with another one. */
  #compare(offset: number, prefix: Buffer): number {
    return Buffer.compare(this.#bytes(offset, Math.min(offset + prefix.length, this.#end)), prefix)
  }

  /** Where the line begins that an offset lies in. */
  #lineStart(offset: number, least: number): number {
    for (let end = offset; end > least;) {
      const number = Math.floor((end - 1) / PAGE_BYTES)
      const feed = this.#page(number).lastIndexOf(LINE_FEED, end - 1 - number * PAGE_BYTES)
      if (feed !== -1) return Math.max(least, number * PAGE_BYTES + feed + 1)
      end = number * PAGE_BYTES
    }
    return least
  }

  /** Where the line ends that begins at an offset. */
  #lineEnd(offset: number): number {
    for (let start = offset; start < this.#end;) {
      const number = Math.floor(start / PAGE_BYTES)
      const feed = this.#page(number).indexOf(LINE_FEED, start - number * PAGE_BYTES)
      if (feed !== -1) return number * PAGE_BYTES + feed
      start = (number + 1) * PAGE_BYTES
    }
    return this.#end
  }

  /** Valid until other bytes are asked for. */
  #bytes(start: number, end: number): Buffer {
    const number = Math.floor(start / PAGE_BYTES)
    const offset = number * PAGE_BYTES
    return end > offset + PAGE_BYTES
      ? this.#read(start, Buffer.allocUnsafeSlow(end - start))
      : this.#page(number).subarray(start - offset, end - offset)
  }

  #page(number: number): Buffer {
    const known = this.#pages.get(number)
    this.#pages.delete(number)
    const page = known ?? this.#read(number * PAGE_BYTES, this.#freePage())
    this.#pages.set(number, page)
    return page
  }

  /** The memory of the page that was used longest ago, once there are as many as are kept. */
  #freePage(): Buffer {
    const [oldest] = this.#pages
    if (oldest === undefined || this.#pages.size < KEPT_PAGES) return Buffer.allocUnsafeSlow(PAGE_BYTES)
    const [number, page] = oldest
    this.#pages.delete(number)
    return Buffer.from(page.buffer, 0, PAGE_BYTES)
  }

  /** Fills memory from an offset on; shorter at the end of the file. */
  #read(offset: number, memory: Buffer): Buffer {
    return memory.subarray(0, readSync(this.#file, memory, 0, memory.length, offset))
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
