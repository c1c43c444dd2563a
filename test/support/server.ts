import { createConnection } from 'node:net'
import { connect } from 'node:tls'
import { ProviderCallPolicy } from '../../src/provider/policy/callPolicy.js'
import { Provider, type ProviderSettings } from '../../src/provider/provider.js'
import type { Backend } from '../../src/rpc/backend.js'
import { compatibilityProfile } from '../../src/rpc/compatibility.js'
import { RpcPipeline } from '../../src/rpc/pipeline.js'
import type { Method } from '../../src/rpc/method.js'
import { FilterStore } from '../../src/rpc/subscriptions/filterStore.js'
import type { FileEndpoint } from '../../src/server/fileApi.js'
import { NodeServer, type ServerSetup } from '../../src/server/server.js'

/** Method that returns its parameters. */
const echo: Method = {
  name: 'test_echo',
  parameters: [],
  invoke: (_call, params) => JSON.stringify(params ?? null),
}

/** IPFS endpoint whose operations answer with the request they received. */
const echoFiles: FileEndpoint = {
  async execute({ operation, query, body }) {
    let length = 0
    for await (const chunk of body ?? []) length += chunk.length
    const text = JSON.stringify({ operation, arg: query.getAll('arg'), length })
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) }
  },
  gateway: {
    async handle({ method, path }) {
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ gateway: method, path })) }
    },
    async route({ method, path }) {
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ routing: method, path })) }
    },
  },
}

/** Changes to the default server setup: an open node with two networks. */
export type ServerChanges = Partial<Omit<ServerSetup, 'provider' | 'limits'>> & {
  provider?: Partial<ProviderSettings>
  limits?: Partial<ServerSetup['limits']>
}

/** A running server. */
export interface RunningServer {
  server: NodeServer
  port: number
  provider: Provider
}

/** Starts a server without a node behind it, on a free loopback port. */
export async function startServer(
  changes: ServerChanges = {},
  provider = new Provider({ mode: 'open', ...changes.provider }),
): Promise<RunningServer> {
  const pipeline = new RpcPipeline({
    policy: new ProviderCallPolicy(provider, 'local'),
    methods: new Map([[echo.name, echo]]),
    backend: { settings: { compatibility: compatibilityProfile(undefined) } } as Backend,
    filters: new FilterStore(),
    report: () => undefined,
    batch: { maxItems: 10 },
  })
  const server = new NodeServer({
    names: { all: new Set(['local', 'sepolia']), standard: 'local', domain: undefined },
    pipelineOf: () => pipeline,
    files: echoFiles,
    health: () => ({ ready: true }),
    allowedHosts: [],
    acceleration: process.env['STANDIN_TEST_ACCELERATION'] !== 'off',
    report: (fault) => {
      throw fault
    },
    ...changes,
    provider,
    limits: {
      maxBody: 10_000,
      maxControlBody: 100_000,
      maxMessage: 10_000,
      maxUpload: undefined,
      idleTimeout: undefined,
      ...changes.limits,
    },
  })
  const port = await server.listen({ hosts: ['127.0.0.1'], port: 0 })
  return { server, port, provider }
}

/** A response read from a raw socket. */
export interface RawAnswer {
  status: number
  /** Keyed by lower-case name. */
  headers: Record<string, string>
  body: string
}

/** Sends raw bytes and reads one response, until its Content-Length is reached or the server closes. */
export function sendRaw(port: number, text: string, ca?: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const address = { port, host: '127.0.0.1' }
    const send = (): boolean => socket.write(text)
    const socket = ca === undefined ? createConnection(address, send) : connect({ ...address, ca }, send)
    let received = ''
    const settle = (): void => {
      socket.destroy()
      const answer = parseAnswer(received)
      if (answer === undefined) reject(new Error(`no answer: ${received}`))
      else if (answer.headers['transfer-encoding'] === 'chunked') {
        resolve({ ...answer, body: joinChunks(answer.body) })
      } else resolve(answer)
    }
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const answer = parseAnswer(received)
      if (answer?.headers['transfer-encoding'] === 'chunked' && answer.body.endsWith('\r\n0\r\n\r\n'))
        settle()
      const hasNoBody = answer?.status === 101 || answer?.status === 204
      const length = hasNoBody ? 0 : Number(answer?.headers['content-length'] ?? Infinity)
      if (answer !== undefined && answer.body.length >= length) settle()
    })
    socket.on('end', settle)
    socket.on('error', reject)
  })
}

function joinChunks(body: string): string {
  let joined = ''
  for (let rest = body; rest !== '';) {
    const end = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, end), 16)
    if (length === 0) break
    joined += rest.slice(end + 2, end + 2 + length)
    rest = rest.slice(end + 2 + length + 2)
  }
  return joined
}

function parseAnswer(received: string): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: received.slice(end + 4),
  }
}

/** The parts of a request other than its path. */
export interface RawRequest {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Certificate of the server; makes the request use HTTPS. */
  ca?: string | undefined
}

/** Sends one HTTP request that adds only Host and Content-Length to what is given. */
export function request(
  port: number,
  path: string,
  { method = 'POST', headers = {}, body, ca }: RawRequest = {},
) {
  const all = {
    host: `127.0.0.1:${port}`,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return sendRaw(port, `${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`, ca)
}

/** Sends a JSON-RPC call to `test_echo`. */
export function call(port: number, path: string, headers: Record<string, string> = {}, ca?: string) {
  const body = '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["x"]}'
  return request(port, path, { headers: { 'content-type': 'application/json', ...headers }, body, ca })
}

/** Requests an upgrade to WebSocket. */
export function upgrade(port: number, path: string, headers: Record<string, string> = {}, ca?: string) {
  return request(port, path, {
    method: 'GET',
    ca,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  })
}
