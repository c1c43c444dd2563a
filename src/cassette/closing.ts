import { closeSync, mkdtempSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { latin1 } from '../encoding/hex.js'
import { sortInSteps } from '../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import {
  type CassetteEntry,
  LINE_START,
  formatPlace,
  isSubscriptionPrefix,
  linePrefixInSteps,
  outcomePieces,
  parseEntry,
} from './entry.js'
import { type CassetteHeader, formatHeader, parseHeader, parsePin, withPin } from './header.js'
import { decodeChunks, joinChunks } from '../rpc/envelope/decodeChunks.js'
import { CassetteError, LineWriter, byteText, readLines, writeWhole } from './lines.js'

/** Maximum bytes of lines sorted in memory at a time. */
const RUN_BYTES = 16 * 1024 * 1024
/** Lines read, joined or written in one step. */
const LINES_AT_ONCE = 64
/** Characters of a line that is written in several steps. */
const LONG_LINE = 256 * 1024

/**
 * Closes a cassette, yielding to other requests: sorts its lines, joins equal consecutive answers, and writes the
 * totals into the header. One rename replaces the file.
 *
 * A truncated last line, as a killed process leaves it, is dropped.
 *
 * @param target - path of the closed cassette; replaces the file by default
 * @throws CassetteError if a line is not an entry
 */
export function closeCassette(path: string, target = path): Promise<void> {
  return runInSlices(closingSteps(path, target), new TimeSlice())
}

/** The steps of {@link closeCassette}. */
export function* closingSteps(path: string, target: string): Steps<void> {
  const directory = mkdtempSync(join(dirname(path), '.cassette-'))
  try {
    const { header, runs } = yield* sortIntoRuns(path, directory)
    const body = join(directory, 'body')
    const closed = yield* writeBody(body, mergeRuns(runs))
    const whole = join(directory, 'whole')
    yield* prependHeader(whole, { ...header, closed }, body)
    renameSync(whole, target)
    if (target !== path) rmSync(path)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function* prependHeader(whole: string, header: CassetteHeader, body: string): Steps<void> {
  const output = openSync(whole, 'w', 0o600)
  const source = openSync(body, 'r')
  try {
    writeWhole(output, Buffer.from(`${formatHeader(header)}\n`))
    const chunk = Buffer.allocUnsafe(1024 * 1024)
    for (let length = readSync(source, chunk); length > 0; length = readSync(source, chunk)) {
      writeWhole(output, chunk.subarray(0, length))
      yield
    }
  } finally {
    closeSync(source)
    closeSync(output)
  }
}

/** A line in parts, one character per byte, so that lines are compared without parsing. */
interface SortableLine {
  /** The line up to the end of the call. */
  call: string
  nth: number
  times: number
  after: number
  event: number
  /** What follows the place in the line. */
  outcome: string
}

/** Matches the part between call and outcome. */
const placePattern = /^,"nth":(\d+)(?:,"times":(\d+))?(?:,"after":(\d+))?,(?=(?:"event":(\d+))?)/
const MAX_PLACE_LENGTH = 100

function* lineOf({ call, nth, times = 1, after = 0, outcome }: CassetteEntry): Steps<SortableLine> {
  const prefix = yield* linePrefixInSteps(call)
  const text = (yield* outcomePieces(outcome)).join('')
  if (text.length > LONG_LINE) yield
  return {
    call: byteText(prefix),
    nth,
    times,
    after,
    event: 'event' in outcome ? outcome.event : 0,
    outcome: byteText(text),
  }
}

function* readLine(bytes: Uint8Array): Steps<SortableLine> {
  const callEnd = yield* prefixLength(bytes)
  const text = latin1(bytes)
  const [place = '', nth = 0, times = 1, after = 0, event = 0] =
    placePattern.exec(text.slice(callEnd, callEnd + MAX_PLACE_LENGTH)) ?? []
  return {
    call: text.slice(0, callEnd),
    nth: +nth,
    times: +times,
    after: +after,
    event: +event,
    outcome: text.slice(callEnd + place.length),
  }
}

function* writeLine(file: LineWriter, line: SortableLine): Steps<void> {
  const pieces = [line.call, formatPlace(line), line.outcome]
  if (line.call.length + line.outcome.length <= LONG_LINE) file.write(pieces.join(''))
  else yield* file.writeInSteps(pieces)
}

/** Bytes of a line that are read in one step. */
const BYTES_AT_ONCE = 1024 * 1024

/** Returns the byte offset at which the call of a line ends. Lines of equal calls share this prefix. */
export function* prefixLength(line: Uint8Array): Steps<number> {
  let depth = 0
  let inString = false
  let rested = 0
  for (let i = LINE_START.length; i < line.length; i++) {
    if (i - rested > BYTES_AT_ONCE) {
      rested = i
      yield
    }
    const byte = line[i]
    if (inString) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x5b || byte === 0x7b) depth++
    else if ((byte === 0x5d || byte === 0x7d) && --depth === 0) return i + 1
  }
  return line.length
}

/** Orders lines as in a closed cassette: by call, then as recorded. */
function compareLines(a: SortableLine, b: SortableLine): number {
  if (a.call < b.call) return -1
  if (a.call > b.call) return 1
  return a.nth - b.nth || a.event - b.event
}

/** Reads a file into sorted runs; all but the last are written to files of their own. */
function* sortIntoRuns(
  path: string,
  directory: string,
): Steps<{ header: CassetteHeader; runs: SortedLines[] }> {
  const runs: SortedLines[] = []
  let header: CassetteHeader | undefined
  let lines: SortableLine[] = []
  let size = 0
  let number = 0
  for (const { chunks, isComplete } of readLines(path)) {
    // A line of many chunks took long to read.
    if (++number % LINES_AT_ONCE === 0 || chunks.length > 2) yield
    const text = yield* decodeChunks(chunks)
    if (header === undefined) {
      header = parseHeader(text, path)
      continue
    }
    const pin = parsePin(text)
    if (pin !== undefined) {
      header = withPin(header, pin)
      continue
    }
    try {
      const line = yield* lineOf(yield* parseEntry(text, path, number))
      lines.push(line)
      size += line.call.length + line.outcome.length
    } catch (error) {
      if (isComplete) throw error
    }
    if (size < RUN_BYTES) continue
    const run = join(directory, `run-${runs.length}`)
    yield* writeRun(run, yield* sortInSteps(lines, compareLines))
    runs.push(readRun(run))
    lines = []
    size = 0
  }
  if (header === undefined) throw new CassetteError(path, 'is empty', 1)
  return { header, runs: [...runs, yield* sortInSteps(lines, compareLines)] }
}

function* writeRun(path: string, lines: readonly SortableLine[]): Steps<void> {
  const file = new LineWriter(path)
  try {
    for (const [index, line] of lines.entries()) {
      yield* writeLine(file, line)
      if (index % LINES_AT_ONCE === 0) yield
    }
  } finally {
    file.close()
  }
}

/** The lines of a run, between steps that yield nothing. */
type SortedLines = Iterable<SortableLine | void>

function* readRun(path: string): Generator<SortableLine | void, void, undefined> {
  for (const { chunks } of readLines(path)) yield yield* readLine(yield* joinChunks(chunks))
}

/** First lines of runs, in descending order. */
type RunHeads = { lines: Iterator<SortableLine | void>; line: SortableLine }[]

/** Merges sorted runs. */
function* mergeRuns(runs: readonly SortedLines[]): Generator<SortableLine | void, void, undefined> {
  const heads: RunHeads = []
  for (const run of runs) yield* insertNext(heads, run[Symbol.iterator]())
  for (let least = heads.pop(); least !== undefined; least = heads.pop()) {
    yield least.line
    yield* insertNext(heads, least.lines)
  }
}

/** Inserts the next line of a run, if there is one. */
function* insertNext(heads: RunHeads, lines: Iterator<SortableLine | void>): Steps<void> {
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value
    if (line === undefined) {
      yield
      continue
    }
    let low = 0
    for (let high = heads.length; low < high;) {
      const middle = (low + high) >> 1
      if (compareLines(heads[middle]!.line, line) > 0) low = middle + 1
      else high = middle
    }
    heads.splice(low, 0, { lines, line })
    return
  }
}

/**
 * Writes sorted lines, numbering the answers of each call from 1. Equal consecutive answers are joined, except those
 * to subscriptions: their events follow them under the same number.
 *
 * @returns the totals for the header
 */
function* writeBody(target: string, lines: SortedLines): Steps<NonNullable<CassetteHeader['closed']>> {
  const file = new LineWriter(target)
  let entries = 0
  try {
    let last: SortableLine | undefined
    let isSubscribed = false
    let number = 0
    for (const line of lines) {
      if (line === undefined) {
        yield
        continue
      }
      if (++number % LINES_AT_ONCE === 0) yield
      const previous = last?.call === line.call ? last : undefined
      if (previous === undefined) isSubscribed = isSubscriptionPrefix(line.call)
      if (previous !== undefined && !isSubscribed && previous.outcome === line.outcome) {
        previous.times += line.times
        continue
      }
      if (last !== undefined) {
        yield* writeLine(file, last)
        entries++
      }
      line.nth = (previous?.nth ?? 0) + (line.event === 0 ? 1 : 0)
      last = line
    }
    if (last !== undefined) {
      yield* writeLine(file, last)
      entries++
    }
  } finally {
    file.close()
  }
  return { entries, bytes: file.bytes, crc32: file.crc32 }
}
