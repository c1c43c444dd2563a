import { connect } from 'node:net'

/** End of the header of an HTTP response. */
const HEADER_END = Buffer.from('\r\n\r\n')

/** Initial size of a connection's receive buffer in bytes. */
const BUFFER_SIZE = 64 * 1024

/**
 * A keep-alive HTTP connection for one request at a time, on a bare socket that reads into one reused buffer: this
 * keeps the client's own cost small compared with the cost it measures.
 */
class HttpConnection {
  #socket
  #head
  #received = Buffer.allocUnsafeSlow(BUFFER_SIZE)
  #length = 0
  #start = 0
  #expected
  #waiting
  isOpen = true

  constructor(url) {
    const { hostname, port, pathname } = new URL(url)
    this.#head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: `
    const onread = { buffer: () => this.#room(), callback: (count) => this.#read(count) }
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the connection was closed')))
  }

  /** Sends a body. @returns the response body, valid until the next request */
  post(body) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(`${this.#head}${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
  }

  close() {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #fail(error) {
    this.isOpen = false
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  /**
   * Returns the buffer for the next read, after the received bytes and large enough for the whole response if known.
   */
  #room() {
    const wanted = Math.max(this.#length + BUFFER_SIZE / 4, this.#expected ?? 0)
    if (wanted > this.#received.length) {
      const larger = Buffer.allocUnsafeSlow(2 * wanted)
      this.#received.copy(larger, 0, 0, this.#length)
      this.#received = larger
    }
    return this.#received.subarray(this.#length)
  }

  #read(count) {
    this.#length += count
    if (this.#expected === undefined) this.#readHeader()
    if (this.#expected !== undefined) {
      if (this.#length >= this.#expected) this.#finish(this.#received.subarray(this.#start, this.#expected))
    } else if (this.#start > 0) {
      const body = joinChunks(this.#received.subarray(0, this.#length), this.#start)
      if (body !== undefined) this.#finish(body)
    }
    return true
  }

  #readHeader() {
    const end = this.#received.subarray(0, this.#length).indexOf(HEADER_END)
    if (end < 0) return
    this.#start = end + HEADER_END.length
    const declared = /content-length: *(\d+)/i.exec(this.#received.latin1Slice(0, end))
    if (declared !== null) this.#expected = this.#start + Number(declared[1])
  }

  #finish(body) {
    this.#length = 0
    this.#start = 0
    this.#expected = undefined
    const { resolve } = this.#waiting
    this.#waiting = undefined
    resolve(body)
  }
}

/** Decodes the body of a chunked response; undefined while it is incomplete. */
function joinChunks(bytes, start) {
  const parts = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const length = Number.parseInt(bytes.latin1Slice(at, lineEnd), 16)
    const end = lineEnd + 2 + length
    if (bytes.length < end + 2) return undefined
    if (length === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

/** JSON-RPC over HTTP, with one connection per request in flight. */
export class RpcClient {
  #url
  #idle = []
  #id = 0

  constructor(url) {
    this.#url = url
  }

  /** Sends a prepared body. @returns the response body */
  async post(body) {
    return Buffer.from(await this.#exchange(body))
  }

  /** Sends a prepared body and waits for the whole response without copying it. @returns its length in bytes */
  async load(body) {
    return (await this.#exchange(body)).length
  }

  /** Retries on a fresh connection, because servers close idle ones after some seconds, perhaps just now. */
  async #exchange(body) {
    const connection = this.#idle.pop()
    if (connection?.isOpen) {
      try {
        const response = await connection.post(body)
        this.#idle.push(connection)
        return response
      } catch {
        // A real problem shows again on the fresh connection.
      }
    }
    const fresh = new HttpConnection(this.#url)
    const response = await fresh.post(body)
    this.#idle.push(fresh)
    return response
  }

  /** Calls a method. @throws if the answer is an error */
  async call(method, ...params) {
    return this.result(await this.post(this.body(method, params)))
  }

  /** Calls a method many times in batches. @throws if an answer is an error */
  async callMany(method, lists, { batch = 100 } = {}) {
    const results = []
    for (let i = 0; i < lists.length; i += batch) {
      const bodies = lists.slice(i, i + batch).map((params) => this.body(method, params))
      const answers = JSON.parse(String(await this.post(`[${bodies.join(',')}]`)))
      answers.sort((a, b) => a.id - b.id)
      for (const answer of answers) results.push(unwrap(answer))
    }
    return results
  }

  body(method, params) {
    return JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params })
  }

  result(bytes) {
    return unwrap(JSON.parse(String(bytes)))
  }

  close() {
    for (const connection of this.#idle) connection.close()
    this.#idle = []
  }
}

function unwrap({ result, error }) {
  if (error !== undefined)
    throw new Error(`${error.code} ${error.message} ${JSON.stringify(error.data) ?? ''}`)
  return result
}
