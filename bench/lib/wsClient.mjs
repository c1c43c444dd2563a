import WebSocket from 'ws'

/**
 * JSON-RPC over one WebSocket. Requests are sent as they are and answers told apart by their id. What is asked in one turn
 * of the event loop leaves in one write: one for each request would cost this process more than the answers cost a node,
 * and the client would be what is measured.
 */
export class WsClient {
  #socket
  #stream
  #isGathering = false
  #waiting = new Map()

  static async open(url) {
    const client = new WsClient()
    client.#socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 })
    client.#socket.once('upgrade', ({ socket }) => (client.#stream = socket))
    client.#socket.on('message', (data) => client.#take(String(data)))
    await new Promise((resolve, reject) => {
      client.#socket.once('open', resolve)
      client.#socket.once('error', reject)
    })
    return client
  }

  /** Sends a request and gives the text of its answer. */
  request(id, method, params = []) {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#gather()
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  #gather() {
    if (this.#isGathering) return
    this.#isGathering = true
    this.#stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      this.#stream.uncork()
    })
  }

  close() {
    this.#socket.terminate()
  }

  #take(text) {
    const id = Number(/"id":\s*(\d+)/.exec(text)?.[1])
    const resolve = this.#waiting.get(id)
    this.#waiting.delete(id)
    resolve?.(text)
  }
}
