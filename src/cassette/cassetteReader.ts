import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { closeCassette } from './closing.js'
import { type CassetteEntry, parseEntry, prefixLength } from './entry.js'
import { type CassetteHeader, parseHeader } from './header.js'
import { CassetteError, readLines } from './lines.js'

/** What one look into the file reads; most lines are shorter. */
const LOOK_BYTES = 4096

/** A closed cassette, whose lines are found by binary search: what it takes in memory does not depend on its length. */
export class CassetteReader {
  readonly path: string
  readonly header: CassetteHeader
  readonly #file: number
  /** Where the entries begin and end. */
  readonly #start: number
  readonly #end: number

  private constructor(path: string, file: number, header: CassetteHeader, start: number) {
    this.path = path
    this.header = header
    this.#file = file
    this.#start = start
    this.#end = fstatSync(file).size
  }

  /**
   * Opens a cassette. One that was not closed, because its recorder was killed, or whose lines were edited, is closed
   * first.
   *
   * @throws CassetteError with the line's number if it cannot be read
   */
  static open(path: string): CassetteReader {
    if (!existsSync(path)) throw new CassetteError(path, 'does not exist')
    const [first] = readLines(path)
    if (first === undefined) throw new CassetteError(path, 'is empty', 1)
    const header = parseHeader(Buffer.from(first.bytes).toString('utf8'), path)
    const start = first.bytes.length + 1
    const lines = linesAreKnown(path, header, start)
    if (lines === 'changed') refuseCutLine(path)
    if (lines !== 'as closed') {
      closeCassette(path)
      return CassetteReader.open(path)
    }
    return new CassetteReader(path, openSync(path, 'r'), header, start)
  }

  close(): void {
    closeSync(this.#file)
  }

  /**
   * The answers to a call, in the order in which they were recorded.
   *
   * @param prefix - the beginning of the call's lines, see linePrefix
   * @returns them with the place and the length of their lines
   */
  find(prefix: Uint8Array): { offset: number; entries: CassetteEntry[]; bytes: number } {
    const offset = this.#lowerBound(prefix)
    const entries: CassetteEntry[] = []
    let at = offset
    while (at < this.#end) {
      const line = this.#lineAt(at)
      if (Buffer.compare(line.subarray(0, prefixLength(line)), prefix) !== 0) break
      entries.push(parseEntry(line.toString('utf8'), this.path, 0))
      at += line.length + 1
    }
    return { offset, entries, bytes: at - offset }
  }

  /** Entries whose line begins with a text, in order. */
  *startingWith(text: string): Generator<CassetteEntry, void, undefined> {
    const prefix = Buffer.from(text)
    for (let at = this.#lowerBound(prefix); at < this.#end;) {
      const line = this.#lineAt(at)
      if (Buffer.compare(line.subarray(0, prefix.length), prefix) !== 0) return
      yield parseEntry(line.toString('utf8'), this.path, 0)
      at += line.length + 1
    }
  }

  /** All entries with the numbers of their lines. */
  *entries(): Generator<{ entry: CassetteEntry; line: number }, void, undefined> {
    let line = 1
    for (const { bytes } of readLines(this.path, this.#start)) {
      line++
      yield { entry: parseEntry(Buffer.from(bytes).toString('utf8'), this.path, line), line }
    }
  }

  /** Where the first line begins whose call is not below a prefix. */
  #lowerBound(prefix: Uint8Array): number {
    let low = this.#start
    let high = this.#end
    while (low < high) {
      const middle = this.#lineStart(Math.floor((low + high) / 2), low)
      const line = this.#lineAt(middle)
      if (Buffer.compare(line.subarray(0, prefixLength(line)), prefix) < 0) low = middle + line.length + 1
      else high = middle
    }
    return low
  }

  /** Where the line begins that an offset lies in. */
  #lineStart(offset: number, least: number): number {
    for (let end = offset; end > least;) {
      const from = Math.max(least, end - LOOK_BYTES)
      const bytes = this.#read(from, end - from)
      const feed = bytes.lastIndexOf(10)
      if (feed !== -1) return from + feed + 1
      end = from
    }
    return least
  }

  #lineAt(offset: number): Buffer {
    for (let length = LOOK_BYTES; ; length *= 4) {
      const bytes = this.#read(offset, Math.min(length, this.#end - offset))
      const feed = bytes.indexOf(10)
      if (feed !== -1) return bytes.subarray(0, feed)
      if (offset + length >= this.#end) return bytes
    }
  }

  #read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(this.#file, bytes, 0, length, offset))
  }
}

/** Whether the lines are those that the header tells of, the same with others behind them, or other ones. */
function linesAreKnown(
  path: string,
  { closed }: CassetteHeader,
  start: number,
): 'as closed' | 'continued' | 'changed' {
  if (closed === undefined) return 'continued'
  const file = openSync(path, 'r')
  try {
    const end = start + closed.bytes
    const { size } = fstatSync(file)
    let sum = 0
    const chunk = Buffer.allocUnsafe(1024 * 1024)
    for (let position = start; position < end;) {
      const length = readSync(file, chunk, 0, Math.min(chunk.length, end - position), position)
      if (length === 0) return 'changed'
      sum = crc32(chunk.subarray(0, length), sum)
      position += length
    }
    if (sum !== closed.crc32) return 'changed'
    return size === end ? 'as closed' : 'continued'
  } finally {
    closeSync(file)
  }
}

/**
 * Refuses a closed cassette whose end is missing. One that was edited by hand has whole lines.
 *
 * @throws CassetteError
 */
function refuseCutLine(path: string): void {
  let number = 0
  for (const { isComplete } of readLines(path)) {
    number++
    if (!isComplete) throw new CassetteError(path, 'is cut off here: the last line has no end', number)
  }
}
