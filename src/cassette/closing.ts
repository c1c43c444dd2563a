import { closeSync, mkdtempSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Steps, TimeSlice, runInSlices, runToCompletion, sortInSlices } from '../encoding/timeSlice.js'
import { type CassetteEntry, canonicalJson, compareLines, formatEntry, parseEntry } from './entry.js'
import { type CassetteHeader, formatHeader, parseHeader, parsePin, withPin } from './header.js'
import { CassetteError, LineWriter, lineFeed, readLines } from './lines.js'

/** Lines of a file are sorted in memory up to this many bytes at a time. */
const RUN_BYTES = 16 * 1024 * 1024
/** Lines that are read, or written, in one step. */
const LINES_AT_ONCE = 256

/**
 * Closes a cassette: sorts its lines, joins equal answers that followed each other, and writes what the lines come to into
 * the header. The file is replaced by one rename.
 *
 * A last line that was cut off, as a killed process leaves it, is dropped.
 *
 * @param target - where the closed cassette goes; in place of the file unless given
 * @throws CassetteError if a line is no entry
 */
export function closeCassette(path: string, target = path): void {
  runToCompletion(closingSteps(path, target))
}

/** The same while other requests have their turns. */
export function closeCassetteInTurns(path: string): Promise<void> {
  return runInSlices(closingSteps(path, path), new TimeSlice())
}

function* closingSteps(path: string, target: string): Steps<void> {
  const folder = mkdtempSync(join(dirname(path), '.cassette-'))
  try {
    const { header, runs } = yield* writeRuns(path, folder)
    const body = join(folder, 'body')
    const closed = yield* writeBody(path, body, mergeRuns(runs))
    const whole = join(folder, 'whole')
    yield* writeWhole(whole, { ...header, closed }, body)
    renameSync(whole, target)
    if (target !== path) rmSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Puts the header before the lines. */
function* writeWhole(whole: string, header: CassetteHeader, body: string): Steps<void> {
  const output = openSync(whole, 'w', 0o600)
  try {
    writeSync(output, `${formatHeader(header)}\n`)
    const source = openSync(body, 'r')
    try {
      const chunk = Buffer.allocUnsafe(1024 * 1024)
      for (let length = readSync(source, chunk); length > 0; length = readSync(source, chunk)) {
        writeSync(output, chunk, 0, length)
        yield
      }
    } finally {
      closeSync(source)
    }
  } finally {
    closeSync(output)
  }
}

/** Splits a file into sorted ones. */
function* writeRuns(path: string, folder: string): Steps<{ header: CassetteHeader; runs: string[] }> {
  const runs: string[] = []
  let header: CassetteHeader | undefined
  let lines: Buffer[] = []
  let size = 0
  function* flush(): Steps<void> {
    if (lines.length === 0) return
    const run = join(folder, `run-${runs.length}`)
    yield* writeLines(run, yield* sortInSlices(lines, compareLines))
    runs.push(run)
    lines = []
    size = 0
  }
  let number = 0
  for (const { bytes, isComplete } of readLines(path)) {
    if (++number % LINES_AT_ONCE === 0) yield
    const text = Buffer.from(bytes).toString('utf8')
    if (header === undefined) {
      header = parseHeader(text, path)
      continue
    }
    if (!isComplete && !isEntry(text)) break
    const pin = parsePin(text)
    if (pin !== undefined) {
      header = withPin(header, pin)
      continue
    }
    parseEntry(text, path, number)
    lines.push(Buffer.from(bytes))
    size += bytes.length
    if (size > RUN_BYTES) yield* flush()
  }
  yield* flush()
  if (header === undefined) throw new CassetteError(path, 'is empty', 1)
  return { header, runs }
}

function* writeLines(path: string, lines: Iterable<Uint8Array>): Steps<void> {
  const file = new LineWriter(path)
  let number = 0
  try {
    for (const line of lines) {
      file.write(line)
      if (++number % LINES_AT_ONCE === 0) yield
    }
  } finally {
    file.close()
  }
}

function isEntry(text: string): boolean {
  try {
    if (parsePin(text) === undefined) parseEntry(text, '', 0)
    return true
  } catch {
    return false
  }
}

/** The lines of sorted files in their order. */
function* mergeRuns(runs: readonly string[]): Generator<Uint8Array, void, undefined> {
  const heads = runs.map((run) => {
    const lines = readLines(run)
    return { lines, line: nextLine(lines) }
  })
  for (;;) {
    let least: (typeof heads)[number] | undefined
    for (const head of heads) {
      if (head.line === undefined) continue
      if (least?.line === undefined || compareLines(head.line, least.line) < 0) least = head
    }
    if (least?.line === undefined) return
    yield least.line
    least.line = nextLine(least.lines)
  }
}

function nextLine(lines: Generator<{ bytes: Uint8Array }, void, undefined>): Uint8Array | undefined {
  const next = lines.next()
  return next.done ? undefined : Uint8Array.from(next.value.bytes)
}

/** Writes sorted lines with equal answers joined. @returns what the lines come to */
function* writeBody(
  path: string,
  target: string,
  lines: Iterable<Uint8Array>,
): Steps<NonNullable<CassetteHeader['closed']>> {
  const file = new LineWriter(target)
  const closed = { entries: 0, bytes: 0, crc32: 0 }
  try {
    for (const entry of joinRepeated(parsed(path, lines))) {
      const line = Buffer.from(formatEntry(entry))
      file.write(line)
      closed.bytes += line.length + 1
      closed.crc32 = crc32(lineFeed, crc32(line, closed.crc32))
      if (++closed.entries % LINES_AT_ONCE === 0) yield
    }
  } finally {
    file.close()
  }
  return closed
}

function* parsed(path: string, lines: Iterable<Uint8Array>): Iterable<CassetteEntry> {
  for (const line of lines) yield parseEntry(Buffer.from(line).toString('utf8'), path, 0)
}

/**
 * Joins equal answers to equal calls that followed each other, and counts the places anew. Subscriptions stay as they were
 * recorded: their notifications name their places.
 */
function* joinRepeated(entries: Iterable<CassetteEntry>): Iterable<CassetteEntry> {
  let last: CassetteEntry | undefined
  let lastCall = ''
  for (const entry of entries) {
    const call = canonicalJson(entry.call)
    const previous = call === lastCall ? last : undefined
    lastCall = call
    if (isSubscription(entry)) {
      if (last !== undefined) yield last
      last = entry
    } else if (previous !== undefined && canonicalJson(previous.outcome) === canonicalJson(entry.outcome)) {
      previous.times = (previous.times ?? 1) + (entry.times ?? 1)
    } else {
      if (last !== undefined) yield last
      last = { ...entry, nth: previous === undefined ? 1 : previous.nth + 1 }
    }
  }
  if (last !== undefined) yield last
}

function isSubscription({ call }: CassetteEntry): boolean {
  return call[0] === 'rpc' && call[2].endsWith('_subscribe')
}
