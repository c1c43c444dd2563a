import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import type { CassetteReader } from './cassetteReader.js'
import { MAX_INLINE_BODY, type RecordedResponse } from './entry.js'
import { CassetteError, writeWhole } from './lines.js'

/** Returns the directory of a cassette's long bodies, each named by its hexadecimal SHA-256. */
export function bodiesDirectory(path: string): string {
  return `${path}.bodies`
}

/** Collects the body of an answer as it streams through. Only a short one is held in memory whole. */
export class BodySink {
  readonly #cassette: string
  #chunks: Uint8Array[] = []
  #length = 0
  #spilled: { directory: string; file: number } | undefined
  readonly #hash = createHash('sha256')

  constructor(cassette: string) {
    this.#cassette = cassette
  }

  write(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    this.#length += bytes.length
    if (this.#spilled === undefined) {
      this.#chunks.push(Uint8Array.from(bytes))
      if (this.#length > MAX_INLINE_BODY) this.#spill()
    } else writeWhole(this.#spilled.file, bytes)
  }

  /** Returns the body in the form of an entry: as text, or by its file name. */
  end(): Pick<RecordedResponse, 'text' | 'body'> {
    if (this.#spilled === undefined) {
      const bytes = Buffer.concat(this.#chunks)
      const text = bytes.toString('utf8')
      if (Buffer.from(text).equals(bytes)) return { text }
      this.#spill()
    }
    const { directory, file } = this.#spilled!
    closeSync(file)
    const hash = this.#hash.digest('hex')
    renameSync(join(directory, 'body'), join(bodiesDirectory(this.#cassette), hash))
    rmSync(directory, { recursive: true })
    return { body: hash }
  }

  /** Discards an incomplete body. */
  abort(): void {
    if (this.#spilled === undefined) return
    closeSync(this.#spilled.file)
    rmSync(this.#spilled.directory, { recursive: true, force: true })
  }

  #spill(): void {
    mkdirSync(bodiesDirectory(this.#cassette), { recursive: true })
    const directory = mkdtempSync(join(bodiesDirectory(this.#cassette), '.part-'))
    const file = openSync(join(directory, 'body'), 'w', 0o600)
    for (const chunk of this.#chunks) writeWhole(file, chunk)
    this.#chunks = []
    this.#spilled = { directory, file }
  }
}

/**
 * Streams a body stored beside a cassette.
 *
 * @throws CassetteError with the line that names it if it is missing or has other contents
 */
export async function readBody(reader: CassetteReader, hash: string): Promise<AsyncIterable<Uint8Array>> {
  const directory = bodiesDirectory(reader.path)
  const path = join(directory, hash)
  const isStored = /^[0-9a-f]{64}$/.test(hash) && existsSync(path)
  if (isStored && (await hashOf(path)) === hash) return createReadStream(path)
  for (const { entry, line } of reader.entries()) {
    if (!('http' in entry.outcome) || entry.outcome.http.body !== hash) continue
    const problem = isStored ? 'has different contents' : 'is missing'
    throw new CassetteError(reader.path, `the body ${hash} ${problem} in ${directory}`, line)
  }
  throw new CassetteError(reader.path, `no entry refers to the body ${hash}`)
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) hash.update(chunk)
  return hash.digest('hex')
}
