import { type Hash, createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { BodySink, readBody } from './bodies.js'
import type { AnswerCounts } from './cassette.js'
import type { CassetteWriter } from './cassetteWriter.js'
import { type RecordedCall, type RecordedResponse, linePrefix } from './entry.js'
import { CassetteError } from './lines.js'
import type { HttpClient } from './httpClient.js'
import { describeMiss } from './nearest.js'
import type { RecordedAnswers } from './recordedAnswers.js'
import { type CassetteRules, applyMasks } from './rules.js'

/** Request to the file network or its gateway. */
export interface FileRequest {
  /** GET, HEAD or POST. */
  method: string
  /** Raw path and query. */
  target: string
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>
  body?: AsyncIterable<Uint8Array> | undefined
  signal: AbortSignal
}

/** Answer of the file network. */
export interface FileReply {
  status: number
  headers: Record<string, string>
  body: Uint8Array | AsyncIterable<Uint8Array>
  /** Whether chunks share memory, so that each is valid only until the next is requested. */
  reusesBuffer?: boolean
  /** Call this after the body has ended. */
  trailers?: () => Record<string, string>
}

/** Answers a request to the file network in another way. */
export type AnswerFiles = (request: FileRequest) => Promise<FileReply>

/** Request headers that select between answers. */
const choosingHeaders = ['accept', 'range', 'if-none-match']
/** Headers about how an answer was sent rather than what it is. */
const hopHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'date', 'server', 'trailer', 'vary', 'set-cookie'],
  ...['www-authenticate', 'content-length'],
])

/** Forwards requests to a file network and records its answers. */
export class FileRecorder {
  readonly #writer: CassetteWriter
  readonly #client: HttpClient
  /** Base URLs, including any credentials. */
  readonly #filesUrl: string | undefined
  readonly #gatewayUrl: string | undefined

  constructor(parts: {
    writer: CassetteWriter
    client: HttpClient
    filesUrl: string | undefined
    gatewayUrl: string | undefined
  }) {
    this.#writer = parts.writer
    this.#client = parts.client
    this.#filesUrl = parts.filesUrl
    this.#gatewayUrl = parts.gatewayUrl
  }

  /** Returns whether there is a provider to forward a request to. */
  takes(request: FileRequest): boolean {
    return this.#baseOf(request) !== undefined
  }

  #baseOf({ target }: FileRequest): string | undefined {
    return target.startsWith('/api/v0/') ? this.#filesUrl : this.#gatewayUrl
  }

  /** Returns the provider's answer, which is recorded once its last byte has passed. */
  async answer(request: FileRequest): Promise<FileReply> {
    const started = performance.now()
    const hash = new BodyHash(request.headers['content-type'])
    const response = await this.#forward(request, hash)
    const milliseconds = performance.now() - started
    const headers = keptHeaders(response)
    const status = response.statusCode ?? 502
    const sink = new BodySink(this.#writer.path)
    const keep = async (): Promise<void> => {
      const recorded: RecordedResponse = { status, headers, ...sink.end() }
      const trailers = Object.entries(response.trailers) as [string, string][]
      if (trailers.length > 0) recorded.trailers = Object.fromEntries(trailers)
      const call = callOf(this.#writer.rules, request, hash.digest())
      await this.#writer.add(linePrefix(call), { http: recorded }, milliseconds)
    }
    return {
      status,
      headers: { ...headers },
      body: passing(response, sink, keep),
      trailers: () => ({ ...response.trailers }) as Record<string, string>,
    }
  }

  async #forward(request: FileRequest, hash: BodyHash): Promise<IncomingMessage> {
    const { method, target, headers, body, signal } = request
    const base = new URL(this.#baseOf(request)!)
    const [path = '', query = ''] = target.split(/\?(.*)/s)
    const url = Object.assign(new URL(base), { pathname: path, search: query })
    const passed: Record<string, string> = {}
    for (const name of [
      'content-type',
      'accept',
      'range',
      'if-none-match',
      'content-length',
      'transfer-encoding',
    ]) {
      const value = headers[name]
      if (value !== undefined) passed[name] = value
    }
    const outgoing = this.#client.begin(url, { method, headers: passed, signal })
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
    answered.catch(() => undefined)
    if (body !== undefined && method === 'POST') {
      for await (const chunk of body) {
        hash.update(chunk)
        if (!outgoing.write(Uint8Array.from(chunk))) await Promise.race([once(outgoing, 'drain'), answered])
      }
    }
    outgoing.end()
    const [response] = await answered
    return response
  }
}

/** Answers requests to the file network from a cassette. */
export class FilePlayer {
  readonly #answers: RecordedAnswers
  readonly #counts: AnswerCounts

  constructor(answers: RecordedAnswers, counts: AnswerCounts) {
    this.#answers = answers
    this.#counts = counts
  }

  /**
   * Replays the recorded answer.
   *
   * @param missing - answers unrecorded requests, given the body already read; without it they are refused
   */
  async answer(request: FileRequest, missing?: AnswerFiles): Promise<FileReply> {
    const hash = new BodyHash(request.headers['content-type'])
    const chunks: Uint8Array[] = []
    for await (const chunk of request.body ?? []) {
      hash.update(chunk)
      if (missing !== undefined) chunks.push(Uint8Array.from(chunk))
    }
    const { reader } = this.#answers
    const call = callOf(reader.header.rules, request, hash.digest())
    const taken = await this.#answers.take(call)
    const outcome = taken?.answer.entry.outcome
    if (taken !== undefined && outcome !== undefined && 'http' in outcome) {
      this.#counts.replayed++
      await this.#answers.delay(call, taken.place)
      try {
        return await this.#replay(outcome.http)
      } catch (error) {
        if (error instanceof CassetteError) return failure(error.message)
        throw error
      }
    }
    if (missing !== undefined) return missing({ ...request, body: replayed(chunks) })
    this.#counts.refused++
    return failure(await describeMiss(reader, call))
  }

  async #replay({ status, headers, text = '', body, trailers }: RecordedResponse): Promise<FileReply> {
    const bytes = body === undefined ? Buffer.from(text) : await readBody(this.#answers.reader, body)
    if (trailers === undefined) return { status, headers: { ...headers }, body: bytes }
    const content = bytes instanceof Uint8Array ? replayed([bytes]) : bytes
    return { status, headers: { ...headers }, body: content, trailers: () => ({ ...trailers }) }
  }
}

/** Formats an answer like Kubo's errors. */
function failure(message: string): FileReply {
  return {
    status: 500,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(`${JSON.stringify({ Message: message, Code: 0, Type: 'error' })}\n`),
  }
}

/** Normalizes a request for matching: arguments sorted by name, masked values replaced, no credentials. */
function callOf(
  rules: CassetteRules,
  { method, target, headers }: FileRequest,
  bodyHash: string,
): RecordedCall {
  const url = new URL(target, 'http://files')
  const operation = url.pathname.replace(/^\/api\/v0\//, '')
  const query = [...url.searchParams].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const masked = applyMasks(
    rules,
    operation,
    Object.fromEntries(query.map(([name]) => [name, url.searchParams.getAll(name)])),
  )
  const search = Object.entries(masked as Record<string, readonly string[] | string>)
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}=${encodeURIComponent(value)}`))
    .join('&')
  const chosen = choosingHeaders.flatMap((name): [string, string][] => {
    const value = headers[name]
    return value === undefined || value === '*/*' ? [] : [[name, value]]
  })
  const request = `${method} ${url.pathname}${search === '' ? '' : `?${search}`}`
  return ['files', request, Object.fromEntries(chosen), bodyHash]
}

function keptHeaders(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value === undefined || hopHeaders.has(name)) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

/** Streams the bytes of an answer; calls `keep` once all of them have passed. */
async function* passing(
  response: IncomingMessage,
  sink: BodySink,
  keep: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let isComplete = false
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      sink.write(chunk)
      yield chunk
    }
    isComplete = true
    await keep()
  } finally {
    if (!isComplete) sink.abort()
  }
}

async function* replayed(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk
}

/** Replacement for the delimiter, which clients choose at random. */
const FIXED_BOUNDARY = Buffer.from('boundary')

/**
 * Hashes a streamed body. The delimiter of a multipart body does not count, so that equal uploads have equal hashes.
 */
export class BodyHash {
  readonly #hash: Hash = createHash('sha256')
  readonly #boundary: Buffer | undefined
  /** Trailing bytes that may be the start of a delimiter. */
  #tail = Buffer.alloc(0)

  /** @param contentType - the body's, with the delimiter of a multipart body */
  constructor(contentType: string | undefined) {
    const match = /^multipart\/[^;]+;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '')
    const boundary = match?.[1] ?? match?.[2]
    if (boundary !== undefined) this.#boundary = Buffer.from(boundary)
  }

  update(bytes: Uint8Array): void {
    if (this.#boundary === undefined) {
      this.#hash.update(bytes)
      return
    }
    let data = Buffer.concat([this.#tail, bytes])
    for (let at = data.indexOf(this.#boundary); at !== -1; at = data.indexOf(this.#boundary)) {
      this.#hash.update(data.subarray(0, at)).update(FIXED_BOUNDARY)
      data = data.subarray(at + this.#boundary.length)
    }
    const kept = Math.min(data.length, this.#boundary.length - 1)
    this.#hash.update(data.subarray(0, data.length - kept))
    this.#tail = Buffer.from(data.subarray(data.length - kept))
  }

  /** Returns the hexadecimal SHA-256 of all bytes. */
  digest(): string {
    return this.#hash.update(this.#tail).digest('hex')
  }
}
