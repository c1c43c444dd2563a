import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { Agent as HttpsAgent, type RequestOptions, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { TimeSlice, runInSlices } from '../encoding/timeSlice.js'
import { decodeChunks } from '../rpc/envelope/decodeChunks.js'

/** Servers end idle connections after five seconds or more: reuse none that may be about to end. */
const IDLE_MILLISECONDS = 4000
const MAX_REDIRECTS = 5
/** Maximum length of an answer in bytes, also when decompressed: a megabyte can decompress to a gigabyte. */
const MAX_ANSWER = 64 * 1024 * 1024
/** Redirects that keep method and body (RFC 9110, sections 15.4.8 and 15.4.9). */
const redirects: ReadonlySet<number | undefined> = new Set([307, 308])

/** An answer, read to its end. */
export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends requests to a provider over persistent connections. fetch takes several times as much processor time. */
export class HttpClient {
  readonly #agent = new HttpAgent({ keepAlive: true, timeout: IDLE_MILLISECONDS })
  readonly #secureAgent = new HttpsAgent({ keepAlive: true, timeout: IDLE_MILLISECONDS })

  /** Starts a request. Credentials in the URL are sent with it. */
  begin(url: URL, options: RequestOptions): ClientRequest {
    return url.protocol === 'https:'
      ? httpsRequest(url, { ...options, agent: this.#secureAgent })
      : httpRequest(url, { ...options, agent: this.#agent })
  }

  /**
   * Posts JSON, following redirects.
   *
   * @throws Error if the answer does not arrive whole or is too long
   */
  async post(url: URL, body: Uint8Array): Promise<HttpAnswer> {
    let target = url
    let answer = await this.#post(target, body)
    for (let count = 0; count < MAX_REDIRECTS && redirects.has(answer.status); count++) {
      const { location } = answer.headers
      if (location === undefined) break
      target = new URL(location, target)
      answer = await this.#post(target, body)
    }
    return answer
  }

  async #post(url: URL, body: Uint8Array): Promise<HttpAnswer> {
    const headers = {
      'content-type': 'application/json',
      accept: '*/*',
      'accept-encoding': 'gzip',
      'user-agent': 'standin',
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.begin(url, { method: 'POST', headers })
      request.on('error', reject)
      request.on('response', resolve)
      request.end(body)
    })
    const { statusCode: status = 502, headers: received } = response
    const isCompressed = received['content-encoding'] === 'gzip'
    const content = isCompressed ? pipeline(response, createGunzip(), ignore) : response
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of content as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > MAX_ANSWER) throw new Error(`the answer has more than ${MAX_ANSWER} bytes`)
      chunks.push(chunk)
    }
    const text = await runInSlices(decodeChunks(chunks), new TimeSlice())
    return { status, headers: received, text }
  }

  /** Closes all connections, aborting pending requests. */
  close(): void {
    this.#agent.destroy()
    this.#secureAgent.destroy()
  }
}

function ignore(): void {
  // Whoever reads the stream receives its error.
}
