import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { type Server, type Socket, connect, createServer } from 'node:net'
import { type Caller, createCaller } from '../provider/caller.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import type { Connection } from '../rpc/session.js'
import { Backlog } from './backlog.js'
import { JsonStream } from './jsonStream.js'

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
 * JSON-RPC over a socket in the file system. Whoever may open the file is the operator: no key is asked for, nothing is
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

/** A node that was killed leaves its socket's file: nobody listens behind it. */
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
