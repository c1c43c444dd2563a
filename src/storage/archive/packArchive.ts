import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { FILE_MODE } from '../directories.js'
import { FORMAT_VERSION } from '../manifest.js'
import { ARCHIVE_MANIFEST, ARCHIVE_VERSION, type ArchivedFile, ArchiveError } from './archive.js'
import { dataFiles } from './dataFiles.js'

/** Most data are hashes, which do not compress: more effort gains little. */
const GZIP_LEVEL = 3
const READ_BYTES = 1024 * 1024
/** Fixed, so that the same data make the same archive. */
const mtime = new Date(0)

/** Statistics of a packed archive. */
export interface Packed {
  files: number
  /** Before compression. */
  bytes: number
  archiveBytes: number
}

/** File to pack, with the path to read it from. */
interface FileToPack extends ArchivedFile {
  path: string
}

/**
 * Packs the files of a data directory that no process has open into an archive, which appears once it is complete.
 *
 * @param options.extra - further files: paths by their names in the archive
 * @throws ArchiveError if a file changes meanwhile
 */
export async function packArchive(
  directory: string,
  path: string,
  { extra }: { extra: ReadonlyMap<string, string> },
): Promise<Packed> {
  const places = [
    ...extra,
    ...dataFiles(directory)
      .filter((name) => !extra.has(name))
      .map((name) => [name, join(directory, name)] as const),
  ]
  const files: FileToPack[] = []
  for (const [name, place] of places) files.push({ name, path: place, ...(await measure(place)) })
  const draft = `${path}.${process.pid}`
  try {
    const archive = pack()
    const written = pipeline(
      archive,
      createGzip({ level: GZIP_LEVEL, chunkSize: READ_BYTES }),
      createWriteStream(draft, { mode: FILE_MODE }),
    )
    await Promise.all([writeEntries(archive, files), written])
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return { files: files.length, bytes, archiveBytes: statSync(path).size }
}

async function measure(path: string): Promise<Pick<ArchivedFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES })) {
    hash.update(piece as Uint8Array)
    size += (piece as Uint8Array).length
  }
  return { size, sha256: hash.digest('hex') }
}

async function writeEntries(archive: Pack, files: readonly FileToPack[]): Promise<void> {
  try {
    const manifest = JSON.stringify(
      {
        archiveVersion: ARCHIVE_VERSION,
        formatVersion: FORMAT_VERSION,
        files: files.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
      },
      null,
      1,
    )
    archive.entry({ name: ARCHIVE_MANIFEST, mode: FILE_MODE, mtime }, manifest)
    for (const file of files) await writeEntry(archive, file)
    archive.finalize()
  } catch (error) {
    archive.destroy(error as Error)
    throw error
  }
}

async function writeEntry(archive: Pack, { name, path, size, sha256 }: FileToPack): Promise<void> {
  const header = { name, size, mode: FILE_MODE, mtime }
  const hash = createHash('sha256')
  if (size <= READ_BYTES) {
    const bytes = await readFile(path)
    hash.update(bytes)
    if (bytes.length !== size || hash.digest('hex') !== sha256) throw changed(path)
    await new Promise<void>((settle, fail) => {
      archive.entry(header, bytes, (error) => (error ? fail(error) : settle()))
    })
    return
  }
  await new Promise<void>((settle, fail) => {
    const entry = archive.entry(header, (error) => (error ? fail(error) : settle()))
    const source = createReadStream(path, { highWaterMark: READ_BYTES })
    source.on('data', (piece) => void hash.update(piece))
    source.once('error', fail)
    source.pipe(entry)
  })
  if (hash.digest('hex') !== sha256) throw changed(path)
}

function changed(path: string): ArchiveError {
  return new ArchiveError(`${path} changed while it was packed.`)
}
