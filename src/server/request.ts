import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type Awaitable, TimeSlice, atEndOfTurn, runInSlices } from '../encoding/timeSlice.js'
import { hostWithoutPort } from '../provider/admission/admission.js'
import { joinChunks } from '../rpc/envelope/decodeChunks.js'

/** A request's body, or why it could not be read. `release` is to be called once it is answered. */
export type Body = { content: Uint8Array | string; release?: (() => void) | undefined } | { tooLong: true }

/** An HTTP request, whatever parses it. */
export interface HttpRequest {
  readonly method: string
  /** Raw path and query. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Aborted when the client disconnects before it is answered. Created on first use. */
  readonly signal: AbortSignal
  /** Reads a whole body of at most `limit` bytes; never resolves if the client disconnects first. */
  readBody(limit: number): Awaitable<Body>
}

/** The head of a request parsed without node:http (see direct.ts). */
export interface RequestHead {
  /** Raw request target, with its query. */
  target: string
  headers: IncomingHttpHeaders
  /** Value of Content-Length. */
  bodyLength: number
}

/** A request read from its socket without node:http. */
export class DirectRequest implements HttpRequest {
  readonly method = 'POST'
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly #bodyLength: number
  readonly #body: string
  readonly #socket: Socket
  #controller: AbortController | undefined

  constructor({ target, headers, bodyLength }: RequestHead, body: string, socket: Socket) {
    this.target = target
    this.headers = headers
    this.#bodyLength = bodyLength
    this.#body = body
    this.#socket = socket
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#socket.destroyed) this.#controller.abort()
      else this.#socket.once('close', this.#abort)
    }
    return this.#controller.signal
  }

  readBody(limit: number): Body {
    return this.#bodyLength > limit ? { tooLong: true } : { content: this.#body }
  }

  /** Stops aborting the signal. Call this once the request is answered. */
  settle(): void {
    if (this.#controller !== undefined) this.#socket.off('close', this.#abort)
  }

  readonly #abort = (): void => this.#controller?.abort()
}

/** Whether the request is a CORS preflight (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: HttpRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

/** Shorter pieces of a body are copied into common buffers of this size. */
const SHORT_PIECE = 1024
const JOINED_BYTES = 16 * 1024

/** Bytes of a body concatenated in one step. */
const COPIED_AT_ONCE = 1024 * 1024

/** Pieces of a body in order. Short ones are joined, as a body may arrive in chunks of one byte. */
export class BodyPieces {
  readonly #pieces: Buffer[] = []
  /** Buffer that collects short pieces after the last one, and its used length. */
  #room = Buffer.alloc(0)
  #used = 0
  length = 0

  add(piece: Buffer): void {
    this.length += piece.length
    if (piece.length < SHORT_PIECE && (this.#used > 0 || this.#pieces.length > 0)) {
      if (this.#used + piece.length > this.#room.length) this.#endRoom(JOINED_BYTES)
      this.#room.set(piece, this.#used)
      this.#used += piece.length
      return
    }
    this.#endRoom(0)
    this.#pieces.push(piece)
  }

  /** Removes and returns the first piece. */
  shift(): Buffer | undefined {
    if (this.#pieces.length === 0) this.#endRoom(0)
    const piece = this.#pieces.shift()
    this.length -= piece?.length ?? 0
    return piece
  }

  clear(): void {
    this.#pieces.length = this.length = this.#used = 0
  }

  /** Concatenates all pieces, which takes milliseconds per ten megabytes. */
  concat(): Awaitable<Uint8Array> {
    this.#endRoom(0)
    if (this.#pieces.length === 1) return this.#pieces[0]!
    return this.length <= COPIED_AT_ONCE
      ? Buffer.concat(this.#pieces, this.length)
      : runInSlices(joinChunks(this.#pieces), new TimeSlice())
  }

  /** Makes a piece of the collected bytes. @param length - of the buffer for the next short pieces */
  #endRoom(length: number): void {
    if (this.#used > 0) this.#pieces.push(this.#room.subarray(0, this.#used))
    else if (length === 0) return
    this.#room = Buffer.allocUnsafeSlow(length)
    this.#used = 0
  }
}

/** Short pieces that a stream emits one by one in a turn of the event loop. */
const SHORT_PIECES_PER_TURN = 32

/**
 * A request whose socket can be left unread. Pausing the stream is not enough: Node goes on reading the socket until
 * the stream has buffered 16 kB, or 64 kB since Node 22, which may be as many chunks of a byte.
 */
export class PaceableRequest extends IncomingMessage {
  /** While held: what the socket had read before. Joining short pieces is cheaper than the stream's buffer. */
  #held: BodyPieces | undefined

  /** Stops reading the socket until {@link release}. */
  hold(): void {
    this.#held = new BodyPieces()
    this.socket.pause()
  }

  release(): void {
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#pushAll(held)
    super._read(0)
  }

  /** Called by Node's parser. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (this.#held === undefined) return super.push(chunk, encoding)
    if (chunk instanceof Buffer) {
      this.#held.add(chunk)
      return true
    }
    this.#pushAll(this.#held)
    return super.push(chunk, encoding)
  }

  override _read(size: number): void {
    if (this.#held === undefined) super._read(size)
  }

  #pushAll(pieces: BodyPieces): void {
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) super.push(piece)
  }
}

/**
 * Lets a stream join further short pieces until the end of the turn: one read of a socket may hold ten thousand chunks
 * of a byte, and emitting each costs several times as much as joining them.
 */
export class ShortPiecePacer {
  readonly #stream: Readable
  /** The stream, unless it is that of a call within the process. */
  readonly #request: PaceableRequest | undefined
  readonly #endTurn: () => void
  /** Short pieces emitted in this turn. */
  #count = 0

  /** @param endTurn - called at the end of a turn with short pieces; resumes the stream if more is wanted */
  constructor(stream: Readable, endTurn: () => void) {
    this.#stream = stream
    this.#request = stream instanceof PaceableRequest ? stream : undefined
    this.#endTurn = endTurn
  }

  received(piece: Buffer): void {
    if (piece.length >= SHORT_PIECE) return
    if (this.#count++ === 0) atEndOfTurn(this.#onEndOfTurn)
    if (this.#count !== SHORT_PIECES_PER_TURN) return
    this.#stream.pause()
    this.#request?.hold()
  }

  readonly #onEndOfTurn = (): void => {
    // Node has just parsed thousands of chunks in one step: others come before joining them, which takes long too.
    if (this.#count >= SHORT_PIECES_PER_TURN) atEndOfTurn(this.#emitJoined)
    else this.#end()
  }

  readonly #emitJoined = (): void => {
    this.#request?.release()
    // Emits all joined pieces as one; a paused stream has no others.
    this.#stream.read()
    this.#end()
  }

  #end(): void {
    this.#count = 0
    this.#endTurn()
  }
}

/** Unread bytes at which the client has to wait. */
const MAX_UNREAD = 512 * 1024

/**
 * A request's body, which fails once it exceeds the size limit. It listens to the stream's events, because the stream's
 * own iterator pauses and resumes the socket for every piece, which costs a tenth of a large upload.
 */
export class UploadBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  tooLong = false
  /** Bytes read so far. */
  length = 0
  readonly #stream: Readable
  readonly #limit: number
  readonly #unread = new BodyPieces()
  /** Wakes the reader at the end of a turn with short pieces, which are joined until then. */
  readonly #pacer: ShortPiecePacer
  #isListening = false
  #hasEnded = false
  #failure: { error: Error } | undefined
  #wake: (() => void) | undefined

  constructor(stream: Readable, limit = Infinity) {
    this.#stream = stream
    this.#limit = limit
    this.#pacer = new ShortPiecePacer(stream, () => {
      if (this.#unread.length < MAX_UNREAD) stream.resume()
      this.#wake?.()
    })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isListening) this.#listen()
    while (this.#unread.length === 0 && !this.#hasEnded && this.#failure === undefined) {
      this.#stream.resume()
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    if (this.#failure) throw this.#failure.error
    const piece = this.#unread.shift()
    if (piece === undefined) return { done: true, value: undefined }
    this.length += piece.length
    if (this.length > this.#limit) {
      this.tooLong = true
      await this.return()
      throw new Error('payload too large')
    }
    return { done: false, value: piece }
  }

  /** Discards the rest of the body, reading it to its end so that the connection's next request can follow. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#stream.off('data', this.#onData)
    this.#stream.resume()
    this.#hasEnded = true
    this.#unread.clear()
    return { done: true, value: undefined }
  }

  #listen(): void {
    this.#isListening = true
    this.#stream.on('data', this.#onData)
    this.#stream.once('end', () => {
      this.#hasEnded = true
      this.#wake?.()
    })
    this.#stream.once('error', (error) => this.#fail(error))
    this.#stream.once('close', () => this.#fail(new Error('aborted')))
  }

  #fail(error: Error): void {
    if (!this.#hasEnded) this.#failure ??= { error }
    this.#wake?.()
  }

  readonly #onData = (piece: Buffer): void => {
    this.#unread.add(piece)
    if (this.#unread.length >= MAX_UNREAD) this.#stream.pause()
    if (piece.length >= SHORT_PIECE) this.#wake?.()
    else this.#pacer.received(piece)
  }
}

/** Information that a path gives about a JSON-RPC request or WebSocket upgrade. */
export interface RpcRoute {
  network: string
  /** The segment after `v3`. */
  key: string | undefined
  /** Whether anything, even a slash, follows the key. */
  trailing: boolean
  /** `root`: at most the network; `v3`, `ws`: the provider's paths; `control`: the controls' own. */
  form: 'root' | 'v3' | 'ws' | 'control'
}

/** Names of the networks, and the domain under which Host selects one. */
export interface NetworkNames {
  all: ReadonlySet<string>
  /** Network of paths that name none. */
  standard: string
  domain: string | undefined
}

/**
 * Parses the network and key of a request; undefined if the path is not for JSON-RPC.
 *
 * The network is the first segment, as in `/sepolia/v3/KEY`, or given by the host, as in `sepolia.localhost`.
 *
 * @param target - the raw request target, with its query
 */
export function parseRpcRoute(
  names: NetworkNames,
  target: string,
  host: string | undefined,
): RpcRoute | undefined {
  const query = target.indexOf('?')
  const segments = (query < 0 ? target : target.slice(0, query)).split('/').slice(1)
  if (segments[0] === '_standin') return parseControlRoute(names, segments)
  const first = segments[0] ?? ''
  const named = names.all.has(first)
  const network = named ? first : networkOfHost(names, host)
  const rest = named ? segments.slice(1) : segments
  if (rest.length === 0 || (rest.length === 1 && rest[0] === '')) {
    return { network, key: undefined, trailing: false, form: 'root' }
  }
  if (rest[0] === 'v3') return parseKeyed(network, rest.slice(1), 'v3')
  if (rest[0] === 'ws' && rest[1] === 'v3') return parseKeyed(network, rest.slice(2), 'ws')
  return undefined
}

/** Returns patterns of all paths that {@link parseRpcRoute} accepts. */
export function rpcPaths({ all }: NetworkNames): string[] {
  const keyed = ['/v3', '/ws/v3'].flatMap((path) => [path, `${path}/`, `${path}/:key`, `${path}/:key/`])
  const named = [...all].flatMap((name) => ['', '/', ...keyed].map((path) => `/${name}${path}`))
  return ['/', ...keyed, ...named, '/_standin/rpc', '/_standin/rpc/:network']
}

/** Parses `/_standin/rpc`, and `/_standin/rpc/NETWORK` for another network's controls. */
function parseControlRoute(names: NetworkNames, segments: readonly string[]): RpcRoute | undefined {
  const [, rpc, network = names.standard, ...more] = segments
  if (rpc !== 'rpc' || more.length > 0 || !names.all.has(network)) return undefined
  return { network, key: undefined, trailing: false, form: 'control' }
}

function parseKeyed(network: string, segments: readonly string[], form: 'v3' | 'ws'): RpcRoute | undefined {
  const [key, ...more] = segments
  if (more.length > 1 || (more[0] ?? '') !== '') return undefined
  return { network, key: key === '' ? undefined : key, trailing: more.length > 0, form }
}

function networkOfHost(names: NetworkNames, host: string | undefined): string {
  if (host === undefined) return names.standard
  const name = hostWithoutPort(host).toLowerCase()
  const label = name.slice(0, Math.max(0, name.indexOf('.')))
  if (!names.all.has(label)) return names.standard
  const parent = name.slice(label.length + 1)
  return parent === 'localhost' || parent === names.domain ? label : names.standard
}

/**
 * Whether a request belongs to the gateway whatever its path, because the host that it reached or the one that a proxy
 * names holds content, such as `<cid>.ipfs.localhost`. A page can send the header of a proxy, but not another host, so
 * either of them is enough. Browsers send host names in lower case.
 */
export function isForContentHost({ host, 'x-forwarded-host': forwarded }: IncomingHttpHeaders): boolean {
  return isContentHost(host) || (typeof forwarded === 'string' && isContentHost(forwarded))
}

function isContentHost(host = ''): boolean {
  return /^[^.]+\.ip[fn]s\.|[^.]\.(ip[fn]s|ipld|p2p)\.localhost(:\d+)?$/.test(host)
}
