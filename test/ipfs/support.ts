import { createCipheriv, createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, type ServerResponse, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type FileNetwork, type FileNetworkOptions, createFileNetwork } from '../../src/ipfs/index.js'
import { isForContentHost } from '../../src/server/request.js'
import { createServer } from '../../src/server/listen.js'

/** A file network in a temporary directory behind a plain HTTP server. */
export interface TestNetwork {
  url: string
  directory: string
  network: FileNetwork
  post(path: string, body?: RequestInit['body'], headers?: Record<string, string>): Promise<Response>
  /** Stops the server and opens the same directory again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts a file network for a test, behind a server with the node's keep-alive timeout. */
export async function startNetwork(options: Partial<FileNetworkOptions> = {}): Promise<TestNetwork> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'file-network-')))
  let network = await createFileNetwork({ ...options, directory })
  const server = createServer((request, response) => void answer(network, request, response), undefined)
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    directory,
    get network() {
      return network
    },
    post: (path, body = null, headers = {}) =>
      fetch(`${url}/api/v0/${path}`, { method: 'POST', body, headers, duplex: 'half' }),
    async restart() {
      await network.close()
      network = await createFileNetwork({ ...options, directory })
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await network.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function answer(
  network: FileNetwork,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const controller = new AbortController()
  response.on('close', () => controller.abort())
  const common = {
    query: url.searchParams,
    headers: request.headers as Record<string, string>,
    signal: controller.signal,
  }
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const isGateway = /^\/ip[fn]s(\/|$)/.test(path) || isForContentHost(request.headers)
  const reply = isGateway
    ? await network.gateway.handle({ ...common, method: request.method ?? 'GET', path, search: url.search })
    : await network.execute({ ...common, operation: path.replace('/api/v0/', ''), body: request })
  response.writeHead(reply.status, reply.headers)
  try {
    if (reply.body instanceof Uint8Array) response.write(reply.body)
    else {
      for await (const bytes of reply.body) {
        if (response.destroyed) break
        if (!response.write(Uint8Array.from(bytes))) await drained(response)
      }
    }
    const trailers = reply.trailers?.() ?? {}
    if (Object.keys(trailers).length > 0) response.addTrailers(trailers)
  } finally {
    response.end()
  }
}

/** A file of a form: name as it is sent, content, content type. */
export interface FormFile {
  name?: string
  content?: Uint8Array | string
  type?: string
  /** Name of the field; may end in `?mode=…`. */
  field?: string
}

/** Builds a multipart body, with its content type. */
export function form(files: FormFile[]): { body: Uint8Array; headers: Record<string, string> } {
  const boundary = 'test-boundary-1f0a'
  const parts: Uint8Array[] = []
  for (const { name = '', content = '', type = 'application/octet-stream', field = 'file' } of files) {
    parts.push(
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${encodeURIComponent(name)}"\r\n` +
          `Content-Type: ${type}\r\n\r\n`,
      ),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    )
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`))
  return {
    body: Buffer.concat(parts),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** Parses the lines of an NDJSON answer. */
export async function lines(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Returns the first bytes of a ChaCha20 key stream whose key is the SHA-256 of a seed. */
export function keyStream(seed: string, length: number): Buffer {
  const key = createHash('sha256').update(seed).digest()
  return createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })
}

/**
 * Posts to an operation, with a file if there is content.
 *
 * @param content - in hexadecimal
 * @returns status, body and trailer of the answer
 */
export function exchange(
  { url }: TestNetwork,
  target: string,
  content: string | null,
): Promise<[status: number, body: string, trailer: string]> {
  const upload = content === null ? undefined : form([{ name: 'file', content: Buffer.from(content, 'hex') }])
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: upload?.headers ?? {} }
    const sent = request(`${url}/api/v0/${target}`, options, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve([
          response.statusCode ?? 0,
          Buffer.concat(pieces).toString(),
          response.trailers['x-stream-error'] ?? '',
        ]),
      )
    })
    sent.on('error', reject)
    sent.end(upload?.body)
  })
}

/**
 * Target, content of the uploaded file in hexadecimal, and what `ipfs daemon --offline` answers, in the order in which it was
 * asked: of CARs only how they end.
 */
export type Recorded = [target: string, content: string | null, ...answer: [number, string, string]][]

/** Sends recorded requests, and checks the answers. */
export async function replay(recorded: Recorded, network: TestNetwork): Promise<void> {
  for (const [target, content, ...expected] of recorded) {
    const [status, body, trailer] = await exchange(network, target, content)
    const compared = status === 200 && target.startsWith('dag/export') ? '' : body
    expect([target, content, status, compared, trailer]).toEqual([target, content, ...expected])
  }
}
