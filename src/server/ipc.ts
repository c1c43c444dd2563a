import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { type Server, type Socket, connect, createServer } from 'node:net'
import type { Awaitable } from '../encoding/timeSlice.js'
import { type Caller, createCaller } from '../provider/admission/admission.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import type { Connection } from '../rpc/session.js'
import { Backlog } from './backlog.js'

/** Dependencies of an IPC endpoint. */
export interface IpcSetup extends IpcConnectionOptions {
  /** Path of a socket; on Windows, name of a pipe. */
  path: string
  /** The network to serve. */
  network: string
  pipelineOf: (network: string) => Awaitable<RpcPipeline>
}

/** The socket cannot be listened on. */
class IpcPathError extends Error {
  override readonly name = 'IpcPathError'
}

/** Only the user who started the node may connect. */
const OWNER_ONLY = 0o600

/**
 * JSON-RPC over a file-system socket. A client that may open the file is the operator: it needs no key, is not metered,
 * and may call every method, as on the controls' own path.
 */
export class IpcServer {
  readonly #server: Server
  readonly #sockets: Set<Socket>

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server
    this.#sockets = sockets
  }

  /** @throws IpcPathError if another process listens there, or the socket cannot be created */
  static async listen(setup: IpcSetup): Promise<IpcServer> {
    const { path, network, pipelineOf, report } = setup
    await removeStale(path)
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
      Promise.resolve(pipelineOf(network))
        .then((pipeline) =>
          new IpcConnection(socket, setup).run(pipeline, { ...createCaller(network), control: true }),
        )
        .catch((error: unknown) => {
          report(error)
          socket.destroy()
        })
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const message = error.code === 'EADDRINUSE' ? `${path} is already in use` : error.message
        reject(new IpcPathError(`--ipc: ${message}`))
      })
      server.listen(path, resolve)
    })
    if (!isPipe(path)) chmodSync(path, OWNER_ONLY)
    return new IpcServer(server, sockets)
  }

  /** Closes every connection and removes the socket's file. */
  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
    })
  }
}

function isPipe(path: string): boolean {
  return path.startsWith('\\\\')
}

/** Removes the socket file of a killed node, on which no process listens. */
async function removeStale(path: string): Promise<void> {
  if (isPipe(path) || lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return
  const state = await new Promise<string | undefined>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy()
      resolve(undefined)
    })
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })
  if (state === 'ECONNREFUSED') unlinkSync(path)
}

const lineEnd = Buffer.from('\n')

/** Options of an IPC connection. */
export interface IpcConnectionOptions {
  /** Maximum message length in bytes; a longer one closes the connection. */
  maxMessage: number
  /** Receives internal faults. */
  report: (fault: unknown) => void
}

/** A connection to the IPC endpoint. Requests are consecutive JSON texts; each answer is one line. */
class IpcConnection {
  readonly #socket: Socket
  readonly #options: IpcConnectionOptions
  readonly #messages = new JsonStream()
  readonly #backlog: Backlog

  constructor(socket: Socket, options: IpcConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#backlog = new Backlog({
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      get isPaused() {
        return socket.isPaused()
      },
      get waitingBytes() {
        return socket.writableLength
      },
    })
  }

  /** Answers messages until the connection closes. */
  run(pipeline: RpcPipeline, caller: Caller): void {
    const socket = this.#socket
    const gone = new AbortController()
    const session = pipeline.open(this.#asTarget(), {
      transport: 'ipc',
      caller,
      isPlainPath: true,
      signal: gone.signal,
    })
    socket.on('data', (chunk: Buffer) => {
      for (const message of this.#messages.push(chunk)) {
        this.#backlog.handle(() => session.receive(message), this.#options.report)
      }
      if (this.#messages.pendingBytes > this.#options.maxMessage) socket.destroy()
    })
    socket.on('drain', () => this.#backlog.resume())
    // Connection reset by the peer; `close` follows.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      gone.abort()
      session.close()
    })
  }

  #asTarget(): Connection {
    const socket = this.#socket
    const send = (pieces: readonly Uint8Array[]): void => {
      if (!socket.writable) return
      socket.cork()
      for (const piece of pieces) socket.write(piece)
      socket.write(lineEnd)
      socket.uncork()
    }
    return {
      answer: (reply) => {
        this.#backlog.answered(reply.byteLength)
        send(reply.pieces)
      },
      push: (message) => send([message]),
      close: () => socket.end(),
      get bufferedBytes() {
        return socket.writableLength
      },
    }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20])

/**
 * Splits a stream of consecutive JSON texts, with or without whitespace between them, into messages (geth: rpc/ipc.go
 * reads them with one decoder). A message is an object or array; anything else is passed on as is, for its reader to
 * reject.
 */
export class JsonStream {
  #pieces: Uint8Array[] = []
  #length = 0
  #depth = 0
  #inString = false
  #escaped = false

  /** Bytes of the incomplete message. */
  get pendingBytes(): number {
    return this.#length
  }

  /** Adds bytes. @returns the messages that they complete */
  push(chunk: Uint8Array): Uint8Array[] {
    const messages: Uint8Array[] = []
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (this.#depth === 0) {
        if (BLANK.has(byte)) {
          start = at + 1
          continue
        }
        if (!OPENING.has(byte)) {
          messages.push(chunk.subarray(at))
          return messages
        }
        start = at
      }
      if (this.#closes(byte)) {
        messages.push(this.#take(chunk.subarray(start, at + 1)))
        start = at + 1
      }
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start))
    return messages
  }

  /** Scans one byte of a message. @returns whether it is the last one */
  #closes(byte: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) this.#inString = false
      return false
    }
    if (byte === QUOTE) this.#inString = true
    else if (OPENING.has(byte)) this.#depth++
    else if (CLOSING.has(byte)) this.#depth--
    return this.#depth === 0
  }

  #keep(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  #take(last: Uint8Array): Uint8Array {
    if (this.#pieces.length === 0) return last
    const message = Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    this.#length = 0
    return message
  }
}
