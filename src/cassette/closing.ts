import { closeSync, mkdtempSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Steps, TimeSlice, runInSlices, sortInSlices } from '../encoding/timeSlice.js'
import {
  type CassetteEntry,
  LINE_START,
  formatOutcome,
  formatPlace,
  isOfSubscription,
  linePrefix,
  parseEntry,
} from './entry.js'
import { type CassetteHeader, formatHeader, parseHeader, parsePin, withPin } from './header.js'
import { CassetteError, LineWriter, byteText, readLines, writeWhole } from './lines.js'

/** Lines of a file are sorted in memory up to this many bytes at a time. */
const RUN_BYTES = 16 * 1024 * 1024
/** Lines that are read, joined or written in one step. */
const LINES_AT_ONCE = 64

/**
 * Closes a cassette while other requests have their turns: sorts its lines, joins equal answers that followed each other,
 * and writes what the lines come to into the header. The file is replaced by one rename.
 *
 * A last line that was cut off, as a killed process leaves it, is dropped.
 *
 * @param target - where the closed cassette goes; in place of the file unless given
 * @throws CassetteError if a line is no entry
 */
export function closeCassette(path: string, target = path): Promise<void> {
  return runInSlices(closingSteps(path, target), new TimeSlice())
}

/** The steps of {@link closeCassette}. */
export function* closingSteps(path: string, target: string): Steps<void> {
  const folder = mkdtempSync(join(dirname(path), '.cassette-'))
  try {
    const { header, runs } = yield* sortIntoRuns(path, folder)
    const body = join(folder, 'body')
    const closed = yield* writeBody(body, mergeRuns(runs))
    const whole = join(folder, 'whole')
    yield* prependHeader(whole, { ...header, closed }, body)
    renameSync(whole, target)
    if (target !== path) rmSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
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

/** A line in parts, with a character for each byte: lines are compared without being parsed. */
interface SortableLine {
  /** Up to the end of the call. */
  call: string
  nth: number
  times: number
  after: number
  event: number
  /** What stands behind the place. */
  outcome: string
}

/** What stands between the call and the outcome. */
const placePattern = /^,"nth":(\d+)(?:,"times":(\d+))?(?:,"after":(\d+))?,(?=(?:"event":(\d+))?)/
const LONGEST_PLACE = 100

function lineOf({ call, nth, times = 1, after = 0, outcome }: CassetteEntry): SortableLine {
  return {
    call: byteText(linePrefix(call)),
    nth,
    times,
    after,
    event: 'event' in outcome ? outcome.event : 0,
    outcome: byteText(formatOutcome(outcome)),
  }
}

function readLine(bytes: Buffer): SortableLine {
  const callEnd = prefixLength(bytes)
  const text = bytes.toString('latin1')
  const [place = '', nth = 0, times = 1, after = 0, event = 0] =
    placePattern.exec(text.slice(callEnd, callEnd + LONGEST_PLACE)) ?? []
  return {
    call: text.slice(0, callEnd),
    nth: +nth,
    times: +times,
    after: +after,
    event: +event,
    outcome: text.slice(callEnd + place.length),
  }
}

function writeLine(file: LineWriter, line: SortableLine): void {
  file.write(line.call + formatPlace(line) + line.outcome)
}

/**
 * Where the call of a line ends, as an offset in bytes: the part that lines of equal calls share.
 */
export function prefixLength(line: Uint8Array): number {
  let depth = 0
  let inString = false
  for (let i = LINE_START.length; i < line.length; i++) {
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

/** The order of lines in a closed cassette: by call, then as they were recorded. */
function compareLines(a: SortableLine, b: SortableLine): number {
  if (a.call < b.call) return -1
  if (a.call > b.call) return 1
  return a.nth - b.nth || a.event - b.event
}

/** Reads a file into sorted lists; all but the last one are written to files of their own. */
function* sortIntoRuns(
  path: string,
  folder: string,
): Steps<{ header: CassetteHeader; runs: Iterable<SortableLine>[] }> {
  const runs: Iterable<SortableLine>[] = []
  let header: CassetteHeader | undefined
  let lines: SortableLine[] = []
  let size = 0
  let number = 0
  for (const { bytes, isComplete } of readLines(path)) {
    if (++number % LINES_AT_ONCE === 0) yield
    const text = bytes.toString('utf8')
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
      const line = lineOf(yield* parseEntry(text, path, number))
      lines.push(line)
      size += line.call.length + line.outcome.length
    } catch (error) {
      if (isComplete) throw error
    }
    if (size < RUN_BYTES) continue
    const run = join(folder, `run-${runs.length}`)
    yield* writeRun(run, yield* sortInSlices(lines, compareLines))
    runs.push(readRun(run))
    lines = []
    size = 0
  }
  if (header === undefined) throw new CassetteError(path, 'is empty', 1)
  return { header, runs: [...runs, yield* sortInSlices(lines, compareLines)] }
}

function* writeRun(path: string, lines: readonly SortableLine[]): Steps<void> {
  const file = new LineWriter(path)
  try {
    for (const [index, line] of lines.entries()) {
      writeLine(file, line)
      if (index % LINES_AT_ONCE === 0) yield
    }
  } finally {
    file.close()
  }
}

function* readRun(path: string): Generator<SortableLine, void, undefined> {
  for (const { bytes } of readLines(path)) yield readLine(bytes)
}

/** The lines of sorted lists in their order. */
function* mergeRuns(runs: readonly Iterable<SortableLine>[]): Generator<SortableLine, void, undefined> {
  /** The first lines of the lists; the least one is the last. */
  const heads: { lines: Iterator<SortableLine>; line: SortableLine }[] = []
  const insert = (lines: Iterator<SortableLine>): void => {
    const next = lines.next()
    if (next.done) return
    let low = 0
    for (let high = heads.length; low < high;) {
      const middle = (low + high) >> 1
      if (compareLines(heads[middle]!.line, next.value) > 0) low = middle + 1
      else high = middle
    }
    heads.splice(low, 0, { lines, line: next.value })
  }
  for (const run of runs) insert(run[Symbol.iterator]())
  for (let least = heads.pop(); least !== undefined; least = heads.pop()) {
    yield least.line
    insert(least.lines)
  }
}

/**
 * Writes sorted lines with their places counted from 1 for each call. Equal answers that followed each other are joined,
 * but not those to subscriptions, whose events follow them and have the same place.
 *
 * @returns what the lines come to
 */
function* writeBody(
  target: string,
  lines: Iterable<SortableLine>,
): Steps<NonNullable<CassetteHeader['closed']>> {
  const file = new LineWriter(target)
  let entries = 0
  const write = (line: SortableLine): void => {
    writeLine(file, line)
    entries++
  }
  try {
    let last: SortableLine | undefined
    let isSubscribed = false
    let number = 0
    for (const line of lines) {
      if (++number % LINES_AT_ONCE === 0) yield
      const previous = last?.call === line.call ? last : undefined
      if (previous === undefined) isSubscribed = isOfSubscription(line.call)
      if (previous !== undefined && !isSubscribed && previous.outcome === line.outcome) {
        previous.times += line.times
        continue
      }
      if (last !== undefined) write(last)
      line.nth = (previous?.nth ?? 0) + (line.event === 0 ? 1 : 0)
      last = line
    }
    if (last !== undefined) write(last)
  } finally {
    file.close()
  }
  return { entries, bytes: file.bytes, crc32: file.crc32 }
}
