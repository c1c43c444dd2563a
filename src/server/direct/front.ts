import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { DirectSetup } from './connection.js'
import { DirectConnection } from './connection.js'
import { Outbox } from './outbox.js'

/**
 * Stands before a server of node:http and answers the plain requests of its connections; whatever else there is reaches
 * the server, as if it had come there first.
 */
export class DirectFront {
  readonly #connections = new Set<DirectConnection>()
  /** Gives a connection to node:http. */
  readonly handOver: DirectSetup['handOver']

  constructor(server: Server, setup: Omit<DirectSetup, 'handOver' | 'outbox'>) {
    const listeners = server.listeners('connection')
    server.removeAllListeners('connection')
    this.handOver = (socket) => listeners.forEach((listener) => void listener.call(server, socket))
    const forConnections = { ...setup, handOver: this.handOver, outbox: new Outbox() }
    server.on('connection', (socket: Socket) => {
      const connection = new DirectConnection(socket, forConnections, () =>
        this.#connections.delete(connection),
      )
      this.#connections.add(connection)
    })
  }

  closeIdleConnections(): void {
    for (const connection of this.#connections) connection.closeIfIdle()
  }

  closeAllConnections(): void {
    for (const connection of this.#connections) connection.close()
  }
}
