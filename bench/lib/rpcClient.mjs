import { connect } from 'node:net'

/** The end of the header of an HTTP response. */
const HEADER_END = Buffer.from('\r\n\r\n')

/**
 * One keep-alive HTTP connection that carries one request at a time, on a bare socket: the client's own cost stays
 * small beside what it measures.
 */
class HttpConnection {
  #socket
  #host
  #path
  #chunks = []
  #length = 0
  #expected
  #waiting
  isOpen = true
  isUsed = false

  constructor(url) {
    const { hostname, port, pathname } = new URL(url)
    this.#host = `${hostname}:${port}`
    this.#path = pathname
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true })
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the connection was closed')))
  }

  /** Sends a body and gives the body of the response. */
  post(body) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      const bytes = Buffer.byteLength(body)
      this.#socket.write(
        `POST ${this.#path} HTTP/1.1\r\nhost: ${this.#host}\r\ncontent-type: application/json\r\n` +
          `content-length: ${bytes}\r\n\r\n${body}`,
      )
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

  #read(chunk) {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#expected !== undefined && this.#length < this.#expected) return
    const whole = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    this.#chunks = [whole]
    const headerEnd = whole.indexOf(HEADER_END)
    if (headerEnd < 0) return
    const header = whole.latin1Slice(0, headerEnd).toLowerCase()
    const start = headerEnd + HEADER_END.length
    const declared = /content-length: *(\d+)/.exec(header)
    if (declared !== null) {
      this.#expected = start + Number(declared[1])
      if (whole.length >= this.#expected) this.#finish(whole.subarray(start, this.#expected))
    } else {
      const body = joinChunks(whole, start)
      if (body !== undefined) this.#finish(body)
    }
  }

  #finish(body) {
    this.#chunks = []
    this.#length = 0
    this.#expected = undefined
    const { resolve } = this.#waiting
    this.#waiting = undefined
    this.isUsed = true
    resolve(body)
  }
}

/** The body of a chunked response, or undefined while it is not whole. */
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

/** JSON-RPC over as many HTTP connections as requests are in flight. */
export class RpcClient {
  #url
  #idle = []
  #id = 0

  constructor(url) {
    this.#url = url
  }

  /** Sends a body as it is and gives the response's bytes. */
  async post(body) {
    const [connection, response] = await this.#postOn(this.#idle.pop() ?? new HttpConnection(this.#url), body)
    this.#idle.push(connection)
    return response
  }

  /** Servers end connections that were idle for some seconds, perhaps just now: then another one is used. */
  async #postOn(connection, body) {
    const wasUsed = connection.isUsed
    try {
      if (connection.isOpen) return [connection, await connection.post(body)]
    } catch (error) {
      if (!wasUsed) throw error
    }
    const fresh = new HttpConnection(this.#url)
    return [fresh, await fresh.post(body)]
  }

  /** Calls a method. Throws if the answer is an error. */
  async call(method, ...params) {
    return this.result(await this.post(this.body(method, params)))
  }

  /** Calls a method many times in batches, and throws if one answer is an error. */
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
