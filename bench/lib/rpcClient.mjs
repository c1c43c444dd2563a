import { connect } from 'node:net'

/** The end of the header of an HTTP response. */
const HEADER_END = Buffer.from('\r\n\r\n')

/** Bytes that a connection can receive before it needs more memory. */
const ROOM = 64 * 1024

/**
 * One keep-alive HTTP connection that carries one request at a time, on a bare socket that reads into one piece of
 * memory again and again: the client's own cost stays small beside what it measures.
 */
class HttpConnection {
  #socket
  #head
  #received = Buffer.allocUnsafeSlow(ROOM)
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

  /** Sends a body and gives the body of the response: bytes that are valid until the next request. */
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

  /** Where the next bytes go: behind what came, and as many as are expected if that is known. */
  #room() {
    const wanted = Math.max(this.#length + ROOM / 4, this.#expected ?? 0)
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
    return Buffer.from(await this.#exchange(body))
  }

  /** Sends a body as it is and waits for the whole response without keeping it. @returns its bytes' number */
  async load(body) {
    return (await this.#exchange(body)).length
  }

  /** Servers end connections that were idle for some seconds, perhaps just now: then another one is used. */
  async #exchange(body) {
    const connection = this.#idle.pop()
    if (connection?.isOpen) {
      try {
        const response = await connection.post(body)
        this.#idle.push(connection)
        return response
      } catch {
        // The next one tells what is wrong, if anything is.
      }
    }
    const fresh = new HttpConnection(this.#url)
    const response = await fresh.post(body)
    this.#idle.push(fresh)
    return response
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
