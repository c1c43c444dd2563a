import { type Header, type Pack, pack } from 'tar-stream'
import { FileNetworkError } from '../errors.js'
import { type BlockSource, type UnixfsEntry, loadEntry } from './entry.js'
import { listDirectory } from './readDirectory.js'
import { readFile } from './readFile.js'

/** Modes of entries that have none of their own (boxo, `files/tarwriter.go`). */
const defaultModes = { file: 0o644, directory: 0o755, symlink: 0o777 } as const

/** A file, or a directory with all below it, as a tar archive; `name` is what its root is called in it. */
export async function* writeTar(
  source: BlockSource,
  root: UnixfsEntry,
  name: string,
): AsyncGenerator<Uint8Array> {
  const archive = pack()
  const now = new Date()
  const writing = writeEntry({ archive, source, now }, root, name).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  )
  try {
    for await (const bytes of archive) yield bytes as Uint8Array
    await writing
  } finally {
    archive.destroy()
  }
}

type Sink = ReturnType<Pack['entry']>
type EntryHeader = Pick<Header, 'name'> & Partial<Header>

interface TarContext {
  archive: Pack
  source: BlockSource
  /** The time of entries that have none of their own. */
  now: Date
}

async function writeEntry(context: TarContext, entry: UnixfsEntry, path: string): Promise<void> {
  if (path.split('/').includes('..')) {
    throw new FileNetworkError('relative UnixFS paths outside the root are now allowed, use CAR instead')
  }
  const { archive, source } = context
  const header: EntryHeader = {
    name: path,
    mode: entry.mode ?? defaultModes[entry.type],
    ...timeOf(entry, context.now),
    size: 0,
    type: entry.type,
  }
  if (entry.type === 'symlink') {
    const linkname = Buffer.from(entry.node?.unixfs.data ?? []).toString()
    await writeHeader(archive, { ...header, linkname })
    return
  }
  if (entry.type === 'file') {
    await writeContent(context, entry, { ...header, size: entry.size })
    return
  }
  await writeHeader(archive, header)
  for await (const link of listDirectory(source, entry)) {
    await writeEntry(context, await loadEntry(source, link.cid), `${path}/${link.name}`)
  }
}

/** The first second for which the header's eleven octal digits do not do. */
const endOfOctalTime = 8n ** 11n

/** The time of an entry; one that a header has no room for stands in a record in front of it (POSIX.1-2001, `pax`). */
function timeOf({ modified }: UnixfsEntry, now: Date): Pick<EntryHeader, 'mtime' | 'pax'> {
  if (modified === undefined) return { mtime: now }
  const { seconds } = modified
  if (seconds >= 0n && seconds < endOfOctalTime) return { mtime: new Date(Number(seconds) * 1000) }
  return { mtime: new Date(0), pax: { mtime: String(seconds) } }
}

function writeHeader(archive: Pack, header: EntryHeader): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(header, (error) => (error ? reject(error) : resolve()))
  })
}

async function writeContent(
  { archive, source }: TarContext,
  entry: UnixfsEntry,
  header: EntryHeader,
): Promise<void> {
  let finish: (error?: Error | null) => void = () => undefined
  const finished = new Promise<void>((resolve, reject) => {
    finish = (error) => (error ? reject(error) : resolve())
  })
  finished.catch(() => undefined)
  const sink = archive.entry(header, finish)
  // The archive tells of what goes wrong; an unheard error of this stream would end the process.
  sink.on('error', () => undefined)
  let missing = entry.size
  for await (const bytes of readFile(source, entry)) {
    if (sink.destroyed) return
    missing -= bytes.length
    if (!sink.write(bytes)) await drained(sink)
  }
  // A file may say that it is longer than it is.
  if (missing > 0) throw new FileNetworkError(`archive/tar: missed writing ${missing} bytes`)
  sink.end(null)
  await finished
}

function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => {
    sink.once('drain', () => resolve())
    sink.once('close', () => resolve())
  })
}
