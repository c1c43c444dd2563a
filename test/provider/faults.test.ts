import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type FaultInput, faultSchema } from '../../src/provider/faults/faultSchema.js'
import { type RunningServer, call, request, startServer, upgrade } from '../support/server.js'

let running: RunningServer
beforeEach(async () => {
  running = await startServer({ provider: { seed: 7 } })
})
afterEach(() => running.server.close())

const set = (fault: FaultInput) => running.provider.faults.set([faultSchema.parse(fault)])[0]!
const ask = (path = '/') => call(running.port, path)

async function connect(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${running.port}/`)
  await once(socket, 'open')
  return socket
}

const echo = '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["x"]}'
const answer = '{"jsonrpc":"2.0","id":1,"result":"[\\"x\\"]"}'

describe('faults over HTTP', () => {
  test('a status with a body replaces the reply', async () => {
    set({ action: { type: 'status', status: 502, body: 'Bad Gateway\n' } })
    expect(await ask()).toMatchObject({ status: 502, body: 'Bad Gateway\n' })
  })

  test('an error is reported inside the reply', async () => {
    set({ action: { type: 'error', code: -32000, message: 'header not found', data: { a: 1 } } })
    expect(await ask()).toMatchObject({
      status: 200,
      body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found","data":{"a":1}}}',
    })
  })

  test("quotas refuse with the profile's messages", async () => {
    set({ action: { type: 'quota', span: 'second' } })
    const { status, body } = await ask()
    expect(status).toBe(429)
    expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code: 429, event: -33200 } })
  })

  test('a delayed answer is sent whole', async () => {
    set({ action: { type: 'delay', milliseconds: { minimum: 30, maximum: 60 } } })
    const started = performance.now()
    expect(await ask()).toMatchObject({ status: 200, body: answer })
    expect(performance.now() - started).toBeGreaterThan(25)
  })

  test('a throttled answer arrives slowly but in full', async () => {
    set({ action: { type: 'throttle', bytesPerSecond: 200 } })
    const started = performance.now()
    expect(await ask()).toMatchObject({ status: 200, body: answer })
    expect(performance.now() - started).toBeGreaterThan(100)
  })

  test('a cut answer ends early', async () => {
    set({ action: { type: 'cut', bytes: 10 } })
    const { headers, body } = await ask()
    expect(headers['content-length']).toBe(String(answer.length))
    expect(body).toBe(answer.slice(0, 10))
  })

  test('a closed connection has no answer', async () => {
    set({ action: { type: 'close' } })
    await expect(ask()).rejects.toThrow()
  })

  test('a hanging request does not keep the server from stopping', async () => {
    set({ action: { type: 'hang' } })
    const waiting = ask().catch(() => 'ended')
    await expect.poll(() => running.provider.faults.list()[0]?.hits).toBe(1)
    await running.server.close(50)
    expect(await waiting).toBe('ended')
  })

  test('an outage is 503', async () => {
    set({ action: { type: 'outage' } })
    expect(await ask()).toMatchObject({
      status: 503,
      body: 'service unavailable\n',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  })

  test('in a batch only the matching items fail', async () => {
    set({ match: { nth: 2 }, action: { type: 'status', status: 500 } })
    const { status, body } = await request(running.port, '/', {
      headers: { 'content-type': 'application/json' },
      body: `[${echo},${echo}]`,
    })
    expect(status).toBe(200)
    expect(body).toBe(`[${answer},{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"HTTP 500"}}]`)
  })
})

describe('faults over WebSocket', () => {
  test('an upgrade is refused', async () => {
    set({ match: { transport: 'upgrade' }, action: { type: 'status', status: 429, body: 'slow down\n' } })
    expect(await upgrade(running.port, '/')).toMatchObject({ status: 429, body: 'slow down\n' })
  })

  test('the connection is closed with a frame', async () => {
    set({
      match: { transport: 'websocket' },
      action: { type: 'close-websocket', code: 1012, reason: 'restart' },
    })
    const socket = await connect()
    socket.send(echo)
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
    expect([code, reason.toString()]).toEqual([1012, 'restart'])
  })

  test('the connection is closed when idle', async () => {
    set({ match: { transport: 'websocket' }, action: { type: 'idle-close', milliseconds: 200 } })
    const socket = await connect()
    const closed = once(socket, 'close') as Promise<[number]>
    for (let count = 0; count < 4; count++) {
      socket.send(echo)
      await once(socket, 'message')
      await new Promise((resolve) => setTimeout(resolve, 80))
      expect(socket.readyState).toBe(socket.OPEN)
    }
    expect((await closed)[0]).toBe(1001)
  })

  test('the connection ends without a frame', async () => {
    set({ match: { transport: 'websocket' }, action: { type: 'close-websocket', frame: false } })
    const socket = await connect()
    socket.on('error', () => undefined)
    socket.send(echo)
    expect(((await once(socket, 'close')) as [number])[0]).toBe(1006)
  })

  test('messages before the affected one are answered first', async () => {
    set({ match: { transport: 'websocket', nth: 2 }, action: { type: 'close' } })
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}/`)
    const upgraded = once(socket, 'upgrade') as Promise<[IncomingMessage]>
    await once(socket, 'open')
    const [{ socket: stream }] = await upgraded
    const received: string[] = []
    socket.on('message', (data: Buffer) => received.push(data.toString()))
    // Both messages arrive in one read.
    stream.cork()
    socket.send(echo)
    socket.send(echo)
    stream.uncork()
    await once(socket, 'close')
    expect(received).toEqual([answer])
  })
})

describe('faults of the IPFS API', () => {
  const cat = () => request(running.port, '/api/v0/cat?arg=x')

  test('status, quota and cut', async () => {
    set({
      id: 'a',
      match: { operation: 'cat' },
      action: { type: 'status', status: 504, body: 'Gateway Timeout\n' },
    })
    expect(await cat()).toMatchObject({ status: 504, body: 'Gateway Timeout\n' })
    expect(await request(running.port, '/api/v0/version')).toMatchObject({ status: 200 })
    set({ id: 'a', match: { operation: 'c*' }, action: { type: 'quota', span: 'second' } })
    expect(await cat()).toMatchObject({ status: 429, body: 'Too Many Requests\n' })
    set({ id: 'a', match: { transport: 'files' }, action: { type: 'cut', bytes: 5 } })
    expect((await cat()).body.length).toBeLessThan(20)
  })
})

describe('matching', () => {
  const statuses = async (count: number, path = '/') => {
    const seen: number[] = []
    for (let i = 0; i < count; i += 1) seen.push((await ask(path)).status)
    return seen
  }
  const action = { type: 'status', status: 500 } as const

  test('the nth, and every nth', async () => {
    set({ id: 'f', match: { nth: [2, 3] }, action })
    expect(await statuses(4)).toEqual([200, 500, 500, 200])
    set({ id: 'f', match: { every: 2 }, action })
    expect(await statuses(4)).toEqual([200, 500, 200, 500])
    expect(running.provider.faults.list()).toMatchObject([{ id: 'f', seen: 4, hits: 2 }])
  })

  test('a probability hits the same requests in every run', async () => {
    set({ id: 'f', match: { probability: 0.5 }, action })
    const first = await statuses(20)
    set({ id: 'f', match: { probability: 0.5 }, action })
    expect(await statuses(20)).toEqual(first)
    expect(new Set(first)).toEqual(new Set([200, 500]))
  })

  test('networks, methods and transports', async () => {
    set({ id: 'f', match: { network: 'sepolia' }, action })
    expect(await statuses(1, '/')).toEqual([200])
    set({ id: 'f', match: { method: ['eth_*', 'test_other'] }, action })
    expect(await statuses(1)).toEqual([200])
    set({ id: 'f', match: { method: 'test_*' }, action })
    expect(await statuses(1)).toEqual([500])
    set({ id: 'f', match: { transport: 'websocket' }, action })
    expect(await statuses(1)).toEqual([200])
  })

  test('the controls are unaffected, and removing the fault ends it', async () => {
    const id = set({ action })
    expect(await statuses(1, '/_standin/rpc')).toEqual([200])
    expect(await statuses(1)).toEqual([500])
    expect(running.provider.faults.clear(id)).toBe(1)
    expect(await statuses(1)).toEqual([200])
  })
})

test('a time window opens and closes', async () => {
  set({ match: { from: 60_000 }, action: { type: 'status', status: 500 } })
  set({ match: { until: 60_000 }, action: { type: 'status', status: 503 } })
  expect((await ask()).status).toBe(503)
})
