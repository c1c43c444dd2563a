import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createConnection } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { NodeServer } from '../../src/server/server.js'
import { startServer, upgrade } from '../support/server.js'

let server: NodeServer
let port: number
beforeAll(async () => {
  ;({ server, port } = await startServer())
})
afterAll(() => server.close())

async function connect(path = '/', to = port): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${to}${path}`)
  await once(socket, 'open')
  return socket
}

async function ask(socket: WebSocket, message: string): Promise<string> {
  socket.send(message)
  const [data] = (await once(socket, 'message')) as [Buffer]
  return data.toString()
}

const echo = (id: number, params: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'test_echo', params })

describe('in open mode', () => {
  test.each(['/', '/v3/any', '/ws/v3', '/ws/v3/any', '/sepolia/ws/v3/any', '/_standin/rpc'])(
    'messages on %s are answered',
    async (path) => {
      const socket = await connect(path)
      expect(await ask(socket, echo(7, ['x']))).toBe('{"jsonrpc":"2.0","id":7,"result":"[\\"x\\"]"}')
      expect(await ask(socket, `[${echo(1, [])},${echo(2, [])}]`)).toBe(
        '[{"jsonrpc":"2.0","id":1,"result":"[]"},{"jsonrpc":"2.0","id":2,"result":"[]"}]',
      )
      socket.terminate()
    },
  )

  test('another path is refused with a status and a body', async () => {
    expect(await upgrade(port, '/ws/v4/any')).toMatchObject({
      status: 404,
      body: 'not found\n',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '10' },
    })
  })

  test('the controls are closed to foreign origins and host names', async () => {
    expect(await upgrade(port, '/_standin/rpc', { host: 'rebound.example' })).toMatchObject({ status: 403 })
    expect(await upgrade(port, '/_standin/rpc', { origin: 'https://app.example' })).toMatchObject({
      status: 403,
    })
  })
})

test.each([
  ['the client closes', (socket: WebSocket) => socket.close(1000), 1000],
  ['the next one is too long', (socket: WebSocket) => socket.send('x'.repeat(10_001)), 1009],
] as const)('a message is answered before the connection ends if %s at once', async (_, end, code) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
  const upgraded = once(socket, 'upgrade') as Promise<[IncomingMessage]>
  await once(socket, 'open')
  const [{ socket: stream }] = await upgraded
  const received: (string | number)[] = []
  socket.on('message', (data: Buffer) => received.push(data.toString()))
  socket.on('close', (closed) => received.push(closed))
  // Everything arrives in one read.
  stream.cork()
  socket.send(echo(1, ['é']))
  socket.send(echo(2, []))
  end(socket)
  stream.uncork()
  await once(socket, 'close')
  expect(received).toEqual([
    '{"jsonrpc":"2.0","id":1,"result":"[\\"é\\"]"}',
    '{"jsonrpc":"2.0","id":2,"result":"[]"}',
    code,
  ])
})

test('a too long message closes the connection with 1009', async () => {
  const socket = await connect()
  socket.send('x'.repeat(10_001))
  const [code] = (await once(socket, 'close')) as [number]
  expect(code).toBe(1009)
})

test('a message that is not JSON is answered, and ends the connection', async () => {
  const socket = await connect()
  const closed = once(socket, 'close')
  expect(await ask(socket, '{bad}')).toContain('-32700')
  await closed
})

test('thousands of messages in flight are all answered', async () => {
  const socket = await connect()
  const ids = new Set<number>()
  const done = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      ids.add((JSON.parse(data.toString()) as { id: number }).id)
      if (ids.size === 5000) resolve()
    })
  })
  for (let id = 0; id < 5000; id += 1) socket.send(echo(id, []))
  await done
  socket.terminate()
})

test('an idle connection is closed if so configured', async () => {
  const impatient = await startServer({ limits: { idleTimeout: 0.05 } })
  const socket = await connect('/', impatient.port)
  await once(socket, 'close')
  await impatient.server.close()
})

test('a refused upgrade closes the connection of a client that keeps sending, and the server can be closed', async () => {
  const own = await startServer()
  const socket = createConnection({ port: own.port, host: '127.0.0.1', allowHalfOpen: true })
  const refused = once(socket, 'end')
  socket.resume()
  socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await refused
  await own.server.close(60_000)
  socket.destroy()
})

test('closing the server ends an unanswered upgrade', async () => {
  let asked: () => void
  const upgrading = new Promise<void>((resolve) => (asked = resolve))
  const own = await startServer({
    pipelineOf: () => {
      asked()
      return new Promise(() => undefined)
    },
  })
  const socket = new WebSocket(`ws://127.0.0.1:${own.port}/`)
  const ended = once(socket, 'error')
  await upgrading
  await own.server.close(50)
  await ended
})

test('closing the server sends every connection a going-away frame', async () => {
  const own = await startServer()
  const socket = await connect('/', own.port)
  const closed = once(socket, 'close')
  await own.server.close()
  expect(((await closed) as [number])[0]).toBe(1001)
})
