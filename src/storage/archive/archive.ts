import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { FORMAT_VERSION } from '../manifest.js'

/**
 * An archive is a gzipped tar file. Its first entry is a manifest that lists the other entries in order with their
 * lengths and checksums, so reading the first kilobytes identifies the archive.
 */
export const ARCHIVE_MANIFEST = 'standin-archive.json'

/** Version of the archive format; the manifest also holds that of the data directory inside. */
export const ARCHIVE_VERSION = 1

/** Maximum size of a manifest in bytes. */
const MAX_MANIFEST_LENGTH = 64 * 1024 * 1024

/** File names: path segments that do not start with a dot. */
const entryName = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/

/** File in an archive. */
export interface ArchivedFile {
  /** Path relative to the data directory, with slashes. */
  name: string
  /** Bytes. */
  size: number
  /** Hexadecimal, without 0x. */
  sha256: string
}

/** Manifest of an archive. */
export interface ArchiveManifest {
  archiveVersion: number
  /** See FORMAT_VERSION. */
  formatVersion: number
  files: ArchivedFile[]
}

/** Manifest of an archive, and the SHA-256 of its bytes (hexadecimal, without 0x), which identifies the archive. */
export interface ArchiveIdentity {
  manifest: ArchiveManifest
  checksum: string
}

/** An archive cannot be used: it is not one, is truncated or changed, or was made by another version. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** Entry of a tar file: name and bytes. */
export interface ArchiveEntry extends AsyncIterable<Uint8Array> {
  header: { name: string; type?: string | null | undefined }
}

/**
 * Yields the entries of an archive in order. Each must be read before the next is requested.
 *
 * @throws ArchiveError if the file is not a gzipped tar file, or ends early
 */
export async function* archiveEntries(path: string): AsyncGenerator<ArchiveEntry> {
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 })
  const unzipped = createGunzip({ chunkSize: 256 * 1024 })
  const entries = extract()
  const give = (error: Error): void => void entries.destroy(archiveErrorOf(path, error))
  file.on('error', give)
  unzipped.on('error', give)
  file.pipe(unzipped).pipe(entries)
  try {
    for await (const entry of entries) yield entry as ArchiveEntry
  } catch (error) {
    throw archiveErrorOf(path, error)
  } finally {
    file.destroy()
    unzipped.destroy()
  }
}

/** Converts an error from reading an archive or writing its files to an ArchiveError. */
export function archiveErrorOf(path: string, error: unknown): ArchiveError {
  if (error instanceof ArchiveError) return error
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === 'Z_DATA_ERROR' && message === 'incorrect header check') return foreign(path)
  const what = syscall === undefined ? 'is damaged or incomplete' : 'cannot be unpacked'
  return new ArchiveError(`The archive ${path} ${what}: ${message}.`, { cause: error })
}

function foreign(path: string): ArchiveError {
  return new ArchiveError(`${path} is not an archive of standin pack.`)
}

/**
 * Identifies an archive, reading no more of it than necessary.
 *
 * @throws ArchiveError if it is not one, or is of another version
 */
export async function identifyArchive(path: string): Promise<ArchiveIdentity> {
  for await (const entry of archiveEntries(path)) {
    if (entry.header.name !== ARCHIVE_MANIFEST) throw foreign(path)
    const bytes = await readEntry(path, entry)
    return {
      manifest: parseManifest(path, bytes),
      checksum: createHash('sha256').update(bytes).digest('hex'),
    }
  }
  throw foreign(path)
}

async function readEntry(path: string, entry: ArchiveEntry): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of entry) {
    length += piece.length
    if (length > MAX_MANIFEST_LENGTH) throw foreign(path)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function parseManifest(path: string, bytes: Buffer): ArchiveManifest {
  let value: Partial<ArchiveManifest>
  try {
    value = JSON.parse(bytes.toString()) as Partial<ArchiveManifest>
  } catch {
    throw new ArchiveError(`The archive ${path} is damaged: its manifest is not JSON.`)
  }
  const { archiveVersion, formatVersion, files } = value
  if (archiveVersion !== ARCHIVE_VERSION || formatVersion !== FORMAT_VERSION) {
    throw new ArchiveError(
      `The archive ${path} has version ${archiveVersion} with data of format ${formatVersion}, and this program reads ` +
        `version ${ARCHIVE_VERSION} with format ${FORMAT_VERSION}. Pack it again with this version of Standin.`,
    )
  }
  if (!Array.isArray(files) || !files.every(isArchivedFile)) {
    throw new ArchiveError(`The archive ${path} is damaged: its manifest lists no files.`)
  }
  return { archiveVersion, formatVersion, files }
}

function isArchivedFile(value: unknown): value is ArchivedFile {
  const { name, size, sha256 } = (value ?? {}) as Partial<ArchivedFile>
  return (
    typeof name === 'string' &&
    entryName.test(name) &&
    typeof size === 'number' &&
    Number.isSafeInteger(size) &&
    size >= 0 &&
    typeof sha256 === 'string'
  )
}
