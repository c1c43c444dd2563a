import WebSocket from 'ws'

/** JSON-RPC over one WebSocket. Requests are sent as they are and answers told apart by their id. */
export class WsClient {
  #socket
  #waiting = new Map()

  static async open(url) {
    const client = new WsClient()
    client.#socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 })
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
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
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
