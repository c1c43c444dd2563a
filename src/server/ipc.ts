import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { type Server, type Socket, connect, createServer } from 'node:net'
import { type Caller, createCaller } from '../provider/admission/admission.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import type { Connection } from '../rpc/session.js'
import { Backlog } from './backlog.js'

/** What an IPC endpoint is made of. */
export interface IpcSetup extends IpcConnectionOptions {
  /** The path of a socket; on Windows the name of a pipe. */
  path: string
  /** The network that is answered for. */
  network: string
  pipelineOf: (network: string) => RpcPipeline | Promise<RpcPipeline>
}

/** A socket that cannot be listened on. */
export class IpcPathError extends Error {
  override readonly name = 'IpcPathError'
}

/** Only who started the node may connect. */
const OWNER_ONLY = 0o600

/**
 * JSON-RPC over a socket in the file system. A client that may open the file is the operator: it needs no key, nothing is
 * counted, and every method exists, as on the controls' own path.
 */
export class IpcServer {
  readonly #server: Server
  readonly #sockets: Set<Socket>

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server
    this.#sockets = sockets
  }

  /** @throws IpcPathError if another process listens there, or the socket cannot be made */
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
        const words = error.code === 'EADDRINUSE' ? `${path} is in use already` : error.message
        reject(new IpcPathError(`--ipc: ${words}`))
      })
      server.listen(path, resolve)
    })
    if (!isPipe(path)) chmodSync(path, OWNER_ONLY)
    return new IpcServer(server, sockets)
  }

  /** Ends every connection; the socket's file goes. */
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

/** A node that was killed leaves the file of its socket, on which no process listens. */
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

/** What an IPC connection goes by. */
export interface IpcConnectionOptions {
  /** Longest message in bytes; a longer one ends the connection. */
  maxMessage: number
  /** Told of faults of ours. */
  report: (fault: unknown) => void
}

/** One connection to the IPC endpoint: JSON texts come in one after another, and go out a line each. */
export class IpcConnection {
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

  /** Answers messages until the connection ends. */
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
      if (this.#messages.waiting > this.#options.maxMessage) socket.destroy()
    })
    socket.on('drain', () => this.#backlog.resume())
    // A reset by the other side; `close` follows.
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
 * Finds the messages in a stream of JSON texts that follow one another with or without blanks between them, as IPC has
 * them (geth: rpc/ipc.go reads them with one decoder). A message is an object or an array; anything else is handed on
 * as it came, for its reader to refuse.
 */
export class JsonStream {
  #pieces: Uint8Array[] = []
  #length = 0
  #depth = 0
  #inString = false
  #escaped = false

  /** Bytes of the message that is not complete yet. */
  get waiting(): number {
    return this.#length
  }

  /** Takes bytes up. @returns the messages that they complete */
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

  /** Follows one byte of a message. @returns whether it is the last one */
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
