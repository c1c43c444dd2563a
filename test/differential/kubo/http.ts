import { Agent, request as httpRequest } from 'node:http'

/** A request to both peers. */
export interface PeerRequest {
  /** Which server answers it. */
  to: 'api' | 'gateway'
  method: string
  /** Path and query. */
  target: string
  headers: Record<string, string>
  body?: Uint8Array
}

/** An answer with everything that a client can see. */
export interface PeerAnswer {
  /** 0 if the connection ended without an answer. */
  status: number
  headers: Record<string, string>
  body: Buffer
  trailers: Record<string, string>
  /** What ended the connection early. */
  cut?: string
  /** Whether there was no complete answer within the timeout. */
  isLate: boolean
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 })
/** Timeout for an answer: a million chunks of one byte take half of that on a busy machine. */
const timeoutMilliseconds = 60_000

/** Sends a request and reads the complete answer; never rejects. */
export function exchange(base: string, { method, target, headers, body }: PeerRequest): Promise<PeerAnswer> {
  return new Promise((resolve) => {
    const url = new URL(base)
    let isLate = false
    const missing = (error: Error): void =>
      resolve({ status: 0, headers: {}, body: Buffer.alloc(0), trailers: {}, cut: error.message, isLate })
    const options = { agent, host: url.hostname, port: url.port, method, path: target, headers }
    const outgoing = httpRequest(options, (incoming) => {
      const pieces: Buffer[] = []
      const finish = (cut?: string): void =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: single(incoming.headers),
          body: Buffer.concat(pieces),
          trailers: single(incoming.trailers),
          ...(cut !== undefined && { cut }),
          isLate,
        })
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      incoming.on('end', () => finish())
      incoming.on('error', (error) => finish(error.message))
    })
    outgoing.setTimeout(timeoutMilliseconds, () => {
      isLate = true
      outgoing.destroy(new Error('no answer in time'))
    })
    outgoing.on('error', missing)
    outgoing.end(body)
  })
}

function single(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return Object.fromEntries(entries) as Record<string, string>
}
