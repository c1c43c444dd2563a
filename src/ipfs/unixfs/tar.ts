import { type Header, type Pack, pack } from 'tar-stream'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { FileNetworkError } from '../errors.js'
import { bytesOfText, isUnicode, textOfBytes } from '../../encoding/byteText.js'
import { goCleanPath } from '../text/goPath.js'
import { goQuote } from '../text/goQuote.js'
import type { UnixfsTime } from './data.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from './entry.js'
import { sortByName } from './node.js'
import { isShardedEntry, listDirectory } from './readDirectory.js'
import { readFile } from './readFile.js'

/** Modes of entries without their own (boxo, `files/tarwriter.go`). */
const defaultModes = { file: 0o644, directory: 0o755, symlink: 0o777 } as const

/** Bytes at the end of an archive: two empty records. */
const END_LENGTH = 1024

/** How to write an archive. */
interface TarOptions {
  /** The root's name in the archive. */
  name: string
  /** Whether times keep their nanoseconds; rounds them to seconds otherwise. */
  keepsNanoseconds?: boolean
  /** Whether an archive that cannot be completed ends with the reason, instead of throwing it. */
  saysWhy?: boolean
}

/** Writes a file, or a directory with everything below it, as a tar archive. */
export async function* writeTar(
  source: BlockSource,
  root: UnixfsEntry,
  { name, keepsNanoseconds = false, saysWhy = false }: TarOptions,
): AsyncGenerator<Uint8Array> {
  const archive = pack()
  const context: TarContext = {
    archive,
    source,
    now: new Date(),
    keepsNanoseconds,
    isInFile: false,
    top: name,
    slice: new TimeSlice(),
  }
  let failure: Error | undefined
  const writing = writeEntry(context, root, name).then(
    () => archive.finalize(),
    (error: Error) => {
      failure = error
      archive.push(null)
    },
  )
  try {
    for await (const bytes of archive) yield bytes as Uint8Array
    await writing
    if (failure === undefined) return
    if (!saysWhy || !(failure instanceof FileNetworkError)) throw failure
    yield bytesOfText(failure.message)
    if (!context.isInFile) yield new Uint8Array(END_LENGTH)
  } finally {
    archive.destroy()
  }
}

type Sink = ReturnType<Pack['entry']>
type EntryHeader = Pick<Header, 'name'> & Partial<Header>

interface TarContext {
  archive: Pack
  source: BlockSource
  /** Time of entries without their own. */
  now: Date
  keepsNanoseconds: boolean
  /** Whether the content of a file is being written. */
  isInFile: boolean
  /** Path with which all others begin. */
  top: string
  slice: TimeSlice
}

async function writeEntry(context: TarContext, entry: UnixfsEntry, path: string): Promise<void> {
  const clean = goCleanPath(path)
  if (!clean.startsWith(context.top) || clean.startsWith('..')) {
    throw new FileNetworkError('relative UnixFS paths outside the root are not allowed, use CAR instead')
  }
  checkField('path', path)
  const { archive, source } = context
  const header: EntryHeader = {
    name: path,
    mode: entry.mode ?? defaultModes[entry.type],
    ...timeOf(entry, context),
    size: 0,
    type: entry.type,
  }
  if (entry.type === 'symlink') {
    const target = entry.node?.unixfs.data ?? new Uint8Array()
    // One byte more than fits, as a node may have tens of megabytes.
    const linkname = textOfBytes(target.subarray(0, MAX_RECORD_LENGTH + 1))
    checkLength('linkpath', linkname)
    checkField('linkpath', linkname)
    await writeHeader(archive, { ...header, linkname })
    return
  }
  if (entry.type === 'file') {
    await writeContent(context, entry, { ...header, size: entry.size })
    return
  }
  await writeHeader(archive, header)
  const listed = listDirectory(source, entry)
  // Unsharded directories are sorted, whatever the order in their blocks.
  const links = isShardedEntry(entry) ? listed : await sortByName(listed, ({ name }) => name)
  for await (const link of links) {
    await context.slice.pause()
    const below = `${path}/${link.name}`
    checkLength('path', below)
    await writeEntry(context, await loadEntry(source, link.cid), goCleanPath(below))
  }
}

/**
 * @throws {@link FileNetworkError} for text with a zero byte, which the format cannot express, with the message of Go
 */
function checkField(name: string, value: string): void {
  if (!value.includes('\0')) return
  const record = goQuote(`${name} = ${value}`)
  throw new FileNetworkError(`archive/tar: cannot encode header: invalid PAX record: ${record}`)
}

/** The longest record of an extended header, in bytes (Go, `maxSpecialFileSize`). */
const MAX_RECORD_LENGTH = 1024 * 1024

/**
 * @throws {@link FileNetworkError} with Go's message if text exceeds a record. Go measures a path after it has been
 * cleaned, which may have shortened it
 */
function checkLength(name: string, value: string): void {
  const rest = bytesOfText(` ${name}=${value.slice(0, MAX_RECORD_LENGTH)}\n`).length
  if (rest + String(rest).length > MAX_RECORD_LENGTH) {
    throw new FileNetworkError('archive/tar: header field too long')
  }
}

/** The first second that does not fit the header's eleven octal digits. */
const END_OF_OCTAL_TIME = 8n ** 11n

/**
 * Returns the time of an entry. What does not fit the header goes into a `pax` record before it: nanoseconds, and
 * seconds before 1970 or of more than eleven octal digits (POSIX.1-2001).
 */
function timeOf(
  { modified }: UnixfsEntry,
  { now, keepsNanoseconds }: TarContext,
): Pick<EntryHeader, 'mtime' | 'pax'> {
  if (modified === undefined) return { mtime: now }
  const time = keepsNanoseconds ? modified : rounded(modified)
  const { seconds, nanoseconds } = time
  const fits = seconds >= 0n && seconds < END_OF_OCTAL_TIME
  const mtime = fits ? new Date(Number(seconds) * 1000) : new Date(0)
  return fits && nanoseconds === 0 ? { mtime } : { mtime, pax: { mtime: decimal(time) } }
}

const NANOSECONDS_PER_SECOND = 1_000_000_000

function rounded({ seconds, nanoseconds }: UnixfsTime): UnixfsTime {
  return { seconds: seconds + BigInt(nanoseconds >= NANOSECONDS_PER_SECOND / 2), nanoseconds: 0 }
}

/** Formats a time as a decimal number of seconds. */
function decimal({ seconds, nanoseconds }: UnixfsTime): string {
  const total = seconds * BigInt(NANOSECONDS_PER_SECOND) + BigInt(nanoseconds)
  const digits = String(total < 0n ? -total : total).padStart(10, '0')
  return `${total < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0*$/, '')
}

function writeHeader(archive: Pack, header: EntryHeader): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(writeRecords(archive, header), (error) => (error ? reject(error) : resolve()))
  })
}

/** Bytes of a block of an archive. */
const BLOCK_LENGTH = 512

/** The name in headers of records and of their entry, as tar-stream writes it. */
const NAME_IN_RECORDS = 'PaxHeader'

/**
 * Writes the `pax` records of an entry whose name or target is not UTF-8, which tar-stream would replace.
 *
 * @returns the header to write after them
 */
function writeRecords(archive: Pack, header: EntryHeader): EntryHeader {
  const { name, linkname, pax, ...others } = header
  if (isUnicode(name) && isUnicode(linkname ?? '')) return header
  const target = linkname ? { linkpath: linkname } : {}
  const texts = { path: name, ...target, ...(pax as Record<string, string> | undefined) }
  const records = Buffer.concat(Object.entries(texts).map(([key, value]) => encodeRecord(key, value)))
  archive.push(headerOfRecords(records.length))
  archive.push(records)
  const excess = records.length % BLOCK_LENGTH
  if (excess > 0) archive.push(Buffer.alloc(BLOCK_LENGTH - excess))
  return { ...others, name: NAME_IN_RECORDS, ...(linkname ? { linkname: NAME_IN_RECORDS } : {}) }
}

/** Encodes the header of `pax` records of this many bytes (POSIX.1-2001, `ustar`). */
function headerOfRecords(length: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_LENGTH)
  const write = (text: string, place: number): unknown => header.write(text, place, 'latin1')
  write(NAME_IN_RECORDS, 0)
  for (const place of [100, 108, 116]) write('0000000', place)
  write(length.toString(8).padStart(11, '0'), 124)
  write('0'.repeat(11), 136)
  // The checksum counts itself as spaces.
  write('        x', 148)
  write('ustar\u000000', 257)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  write(`${checksum.toString(8).padStart(6, '0')}\0`, 148)
  return header
}

/** Encodes a record, which starts with its length in decimal digits, themselves included. */
function encodeRecord(key: string, value: string): Uint8Array {
  const rest = bytesOfText(` ${key}=${value}\n`)
  const about = rest.length + String(rest.length).length
  const length = rest.length + String(about).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

async function writeContent(context: TarContext, entry: UnixfsEntry, header: EntryHeader): Promise<void> {
  const { archive, source } = context
  let finish: (error?: Error | null) => void = () => undefined
  const finished = new Promise<void>((resolve, reject) => {
    finish = (error) => (error ? reject(error) : resolve())
  })
  finished.catch(() => undefined)
  const sink = archive.entry(writeRecords(archive, header), finish)
  // The archive reports failures; an unhandled error event on this stream would end the process.
  sink.on('error', () => undefined)
  context.isInFile = true
  let missing = entry.size
  for await (const bytes of readFile(source, entry)) {
    if (sink.destroyed) return
    missing -= bytes.length
    if (!sink.write(bytes)) await drained(sink)
  }
  // A file may claim to be longer than it is.
  if (missing > 0) throw new FileNetworkError(`archive/tar: missed writing ${missing} bytes`)
  sink.end(null)
  await finished
  context.isInFile = false
}

function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off('drain', done)
      sink.off('close', done)
      resolve()
    }
    sink.once('drain', done)
    sink.once('close', done)
  })
}
