import WebSocket from 'ws'

/**
 * JSON-RPC over one WebSocket. Answers are matched by id. All requests of one event loop iteration leave in one write:
 * a write per request would cost this process more than the answers cost a node, and so measure the client.
 */
export class WsClient {
  #socket
  #stream
  #isCorked = false
  #pending = new Map()

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

  /** Sends a request. @returns the text of its answer */
  request(id, method, params = []) {
    return new Promise((resolve) => {
      this.#pending.set(id, resolve)
      this.#cork()
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  #cork() {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#stream.cork()
    process.nextTick(() => {
      this.#isCorked = false
      this.#stream.uncork()
    })
  }

  close() {
    this.#socket.terminate()
  }

  #take(text) {
    const id = Number(/"id":\s*(\d+)/.exec(text)?.[1])
    const resolve = this.#pending.get(id)
    this.#pending.delete(id)
    resolve?.(text)
  }
}
