import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Backend } from '../../src/rpc/backend.js'
import { compatibilityProfile } from '../../src/rpc/compatibility.js'
import type { Method } from '../../src/rpc/method.js'
import { RpcPipeline } from '../../src/rpc/pipeline.js'
import { FilterStore } from '../../src/rpc/subscriptions/filterStore.js'
import { type RunningServer, startServer } from '../support/server.js'

let running: RunningServer
let socket: Socket
let received: string
/** Ends the running call of `test_wait`. */
let release: () => void
/** Number of answered calls of `test_large`. */
let largeAnswers: number
const largeLength = 4 * 1024 * 1024
let waiting: Promise<AbortSignal | undefined>

beforeEach(async () => {
  let entered: (signal: AbortSignal | undefined) => void
  waiting = new Promise((resolve) => {
    entered = resolve
  })
  const methods: Method[] = [
    { name: 'test_echo', parameters: [], invoke: (_, params) => JSON.stringify(params) },
    {
      name: 'test_large',
      parameters: [],
      invoke: () => {
        largeAnswers++
        return 'x'.repeat(largeLength)
      },
    },
    {
      name: 'test_wait',
      parameters: [],
      invoke: ({ context }) =>
        new Promise((resolve) => {
          release = () => resolve('waited')
          entered(context.signal)
        }),
    },
  ]
  const pipeline = new RpcPipeline({
    methods: new Map(methods.map((method) => [method.name, method])),
    backend: { settings: { compatibility: compatibilityProfile(undefined) } } as Backend,
    filters: new FilterStore(),
    report: () => undefined,
    batch: { maxItems: 10 },
  })
  running = await startServer({ pipelineOf: () => pipeline })
  socket = connect({ port: running.port, host: '127.0.0.1', noDelay: true })
  received = ''
  largeAnswers = 0
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  await once(socket, 'connect')
})
afterEach(async () => {
  socket.destroy()
  await running.server.close()
})

const bodyOf = (id: number, method = 'test_echo') =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":[${id}]}`
const echoOf = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":"[${id}]"}`
const post = (body: string, fields = '', type = 'application/json') =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`
const chunked = (body: string) =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/** Waits until all texts were received. @returns their offsets, in the order given */
async function positionsOf(...texts: string[]): Promise<number[]> {
  while (!texts.every((text) => received.includes(text))) await once(socket, 'data')
  return texts.map((text) => received.indexOf(text))
}

const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b)

test('the answer has the same header fields as from node:http', async () => {
  const fieldsOf = (text: string) => text.slice(0, text.indexOf('\r\n\r\n')).replace(/Date: .*/, 'Date')
  socket.write(post(bodyOf(1)))
  await positionsOf(echoOf(1))
  const direct = received
  received = ''
  socket.write(chunked(bodyOf(2)))
  await positionsOf(echoOf(2))
  expect(fieldsOf(direct)).toBe(fieldsOf(received))
  expect(Math.abs(Date.now() - Date.parse(/Date: (.*)\r/.exec(direct)?.[1] ?? ''))).toBeLessThan(60_000)
})

test('requests that arrive together are answered in order, even after a slow one', async () => {
  socket.write(post(bodyOf(1)) + post(bodyOf(2, 'test_wait')) + post(bodyOf(3)))
  await waiting
  socket.write(post(bodyOf(4)) + chunked(bodyOf(5)) + post(bodyOf(6)))
  release()
  const places = await positionsOf(echoOf(1), '"waited"', ...[3, 4, 5, 6].map(echoOf))
  expect(places).toEqual(ascending(places))
})

test.each([
  ['in the body', 110],
  ['in the head', 30],
])('a request may arrive in two parts, split %s', async (_, at) => {
  const text = post(bodyOf(1))
  socket.write(post(bodyOf(0)) + text.slice(0, at))
  await positionsOf(echoOf(0))
  socket.write(text.slice(at))
  await positionsOf(echoOf(1))
})

test('connections buffer partial requests, and requests after a slow one, separately', async () => {
  const other = connect({ port: running.port, host: '127.0.0.1', noDelay: true })
  let answers = ''
  other.on('data', (chunk) => {
    answers += chunk.toString('latin1')
  })
  const othersAnswer = async (id: number) => {
    while (!answers.includes(echoOf(id))) await once(other, 'data')
  }
  const text = post(bodyOf(1))
  socket.write(post(bodyOf(0)) + text.slice(0, 90))
  await positionsOf(echoOf(0))
  other.write(post(bodyOf(7000)))
  await othersAnswer(7000)
  socket.write(text.slice(90))
  await positionsOf(echoOf(1))
  socket.write(post(bodyOf(2, 'test_wait')) + post(bodyOf(3)))
  await waiting
  other.write(post(bodyOf(8000)))
  await othersAnswer(8000)
  release()
  await positionsOf('"waited"', echoOf(3))
  other.destroy()
})

test('requests with different heads are told apart, repeated and evicted ones too', async () => {
  const ids = [1, 20, 300, 1, 4000, 50_000, 600_000, 20, 2, 300, 600_001, 7_000_000, 10]
  for (const id of ids) {
    received = ''
    socket.write(post(bodyOf(id)))
    await positionsOf(echoOf(id))
    expect(received.endsWith(echoOf(id))).toBe(true)
  }
})

test('a refusal, an empty answer and invalid JSON leave the connection open', async () => {
  socket.write(
    post(bodyOf(1), '', 'text/plain') +
      post('') +
      post('{"jsonrpc":"2.0","method":"test_echo"}') +
      post('{') +
      post(bodyOf(2)),
  )
  const [refused = 0, malformed = 0] = await positionsOf('invalid content type', 'parse error', echoOf(2))
  expect(received).toMatch(/^HTTP\/1\.1 415 /)
  expect(
    received.slice(refused, malformed).match(/HTTP\/1\.1 200 OK\r\ncontent-length: 0|content-length: 0\r/gi),
  ).toHaveLength(2)
})

test('a large answer arrives whole', async () => {
  const long = 'x'.repeat(60_000)
  const body = `{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["${long}"]}`
  socket.write(post(body))
  await positionsOf(`{"jsonrpc":"2.0","id":1,"result":"[\\"${long}\\"]"}`)
})

test('a client that does not read its answers is not answered further', async () => {
  socket.pause()
  const count = 40
  socket.write(Array.from({ length: count }, (_, id) => post(bodyOf(id, 'test_large'))).join(''))
  await expect.poll(() => largeAnswers).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 300))
  // The system buffers a few megabytes of the answers.
  expect(largeAnswers).toBeLessThan(count / 2)
  let bytes = 0
  socket.removeAllListeners('data')
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await expect.poll(() => bytes, { timeout: 20_000 }).toBeGreaterThan(count * largeLength)
  expect(largeAnswers).toBe(count)
})

test('an answer due at the end of a turn is sent before a half-closed connection ends', async () => {
  const body = bodyOf(1)
  // A full read is followed at once by another one, which finds the end.
  const bodyLength = 65_536 - post(body.padEnd(10_000)).length + 10_000
  socket.end(post(body.padEnd(bodyLength)))
  await once(socket, 'close')
  expect(received).toContain(echoOf(1))
})

test('an upgrade may follow a plain request', async () => {
  socket.write(post(bodyOf(1)))
  await positionsOf(echoOf(1))
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`)
  // The answer to this key in RFC 6455, section 1.3.
  await positionsOf('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
})

test.each([1, 70_000])('an offer to upgrade to HTTP/2 with a body of %i bytes is ignored', async (digits) => {
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAA\r\nUpgrade: h2c\r\n'
  const body = bodyOf(1).padEnd(digits)
  for (let i = 0; i < 3; i++) {
    socket.write(post(body).replace('Host:', `${offer}Host:`))
    await positionsOf(echoOf(1))
    received = ''
  }
})

test('the signal of a method aborts when its client disconnects', async () => {
  socket.write(post(bodyOf(1, 'test_wait')))
  const signal = await waiting
  expect(signal?.aborted).toBe(false)
  const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
  socket.destroy()
  await aborted
})

test('closing the server ends idle connections, those passed to node:http too', async () => {
  const other = connect({ port: running.port, host: '127.0.0.1' })
  other.write(chunked(bodyOf(2)))
  socket.write(post(bodyOf(1)))
  await Promise.all([positionsOf(echoOf(1)), once(other, 'data')])
  await Promise.all([running.server.close(60_000), once(socket, 'close'), once(other, 'close')])
})
