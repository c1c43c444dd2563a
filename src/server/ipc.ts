import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createCaller } from '../provider/caller.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import { IpcConnection, type IpcConnectionOptions } from './ipcConnection.js'

/** What an IPC endpoint is made of. */
export interface IpcSetup extends IpcConnectionOptions {
  /** The path of a socket; on Windows the name of a pipe. */
  path: string
  /** The network that is answered for. */
  network: string
  dispatcherOf: (network: string) => Dispatcher | Promise<Dispatcher>
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
    const { path, network, dispatcherOf, report } = setup
    await removeStale(path)
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
      Promise.resolve(dispatcherOf(network))
        .then((dispatcher) =>
          new IpcConnection(socket, setup).run(dispatcher, { ...createCaller(network), control: true }),
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
