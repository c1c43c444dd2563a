import { connect } from 'node:net'

/** Maximum bytes of a read. */
const READ_SIZE = 256 * 1024

/**
 * Posts a request without a body and reads the chunked response from a bare socket into one reused buffer: Node's own
 * client would need more time per chunk than the server.
 *
 * @returns {Promise<number>} length of the response body in bytes
 */
export function download(url) {
  const { hostname, port, pathname, search } = new URL(url)
  const reader = new ChunkedReader()
  const memory = Buffer.allocUnsafeSlow(READ_SIZE)
  return new Promise((resolve, reject) => {
    const callback = (count) => {
      try {
        reader.read(memory, count)
      } catch (error) {
        reject(error)
        socket.destroy()
        return false
      }
      if (reader.ended) {
        socket.destroy()
        resolve(reader.length)
      }
      return !reader.ended
    }
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer: memory, callback } })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`${url}: the response is incomplete`)))
    socket.write(
      `POST ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-length: 0\r\n\r\n`,
    )
  })
}

/** Counts the bytes of a chunked body without keeping them. */
class ChunkedReader {
  length = 0
  ended = false
  /** Partial line or header received so far. */
  #text = ''
  #inHeader = true
  /** Outstanding bytes of the current chunk, and of the line break after it. */
  #left = 0
  #breakLeft = 0

  read(bytes, count) {
    let at = 0
    while (at < count && !this.ended) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, count - at)
        this.#left -= taken
        this.length += taken
        at += taken
      } else if (this.#breakLeft > 0) {
        const taken = Math.min(this.#breakLeft, count - at)
        this.#breakLeft -= taken
        at += taken
      } else {
        this.#text += String.fromCharCode(bytes[at++])
        this.#takeText()
      }
    }
  }

  #takeText() {
    if (!this.#text.endsWith(this.#inHeader ? '\r\n\r\n' : '\r\n')) return
    if (this.#inHeader) {
      if (!/^HTTP\/1\.1 200 /.test(this.#text) || !/\ntransfer-encoding: chunked\r/i.test(this.#text)) {
        throw new Error(`unexpected response: ${this.#text}`)
      }
      this.#inHeader = false
    } else {
      this.#left = Number.parseInt(this.#text, 16)
      this.#breakLeft = 2
      this.ended = this.#left === 0
    }
    this.#text = ''
  }
}
