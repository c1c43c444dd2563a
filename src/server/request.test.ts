import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, createServer } from 'node:http'
import { type AddressInfo, Socket, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { MemoryShare, requestBodies } from '../encoding/memoryShare.js'
import { readBody } from './bodyReader.js'
import { DirectRequest, PaceableRequest, UploadBody, parseRpcRoute } from './request.js'

const MEBIBYTE = 1024 * 1024
const endings: (() => void)[] = []
afterEach(() => endings.splice(0).forEach((end) => end()))

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer({ IncomingMessage: PaceableRequest }, listener).listen(0, '127.0.0.1')
  endings.push(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Serves a request and returns the result of reading its body. */
function readWith<T>(read: (body: UploadBody, request: IncomingMessage) => Promise<T>, limit?: number) {
  let settle: (result: Promise<T>) => void
  const result = new Promise<T>((resolve) => (settle = resolve))
  const port = serve((request, response) => {
    settle(read(new UploadBody(request, limit), request).finally(() => response.end('read')))
  })
  return { port, result }
}

async function collect(body: UploadBody): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

test('a body arrives whole and in order, however slowly it is read, while the client waits', async () => {
  const sent = randomBytes(16 * MEBIBYTE)
  let mostUnread = 0
  const { port, result } = readWith(async (body, request) => {
    const pieces: Uint8Array[] = []
    for await (const piece of body) {
      pieces.push(piece)
      if (pieces.length % 32 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      mostUnread = Math.max(mostUnread, request.socket.bytesRead - body.length)
    }
    return Buffer.concat(pieces)
  })
  const answer = await fetch(`http://127.0.0.1:${await port}/`, { method: 'POST', body: sent })
  expect(await answer.text()).toBe('read')
  expect((await result).equals(sent)).toBe(true)
  expect(mostUnread).toBeLessThan(2 * MEBIBYTE)
})

/** Sends a body in chunks of the given lengths and returns it. */
async function sendChunks(port: number, lengths: readonly number[]): Promise<Buffer> {
  const sent = randomBytes(lengths.reduce((sum, length) => sum + length, 0))
  const socket = connect(port, '127.0.0.1')
  const pieces: (Buffer | string)[] = ['POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n']
  let start = 0
  for (const length of lengths) {
    pieces.push(`${length.toString(16)}\r\n`, sent.subarray(start, (start += length)), '\r\n')
  }
  socket.write(Buffer.concat([...pieces, '0\r\n\r\n'].map((piece) => Buffer.from(piece))))
  await once(socket, 'data')
  socket.destroy()
  return sent
}

const chunkLengths = Array.from({ length: 30_000 }, (_, i) => (i % 1000 === 999 ? 20_000 : 1 + (i % 3)))

test('a body in short chunks arrives in few pieces', async () => {
  let count = 0
  const { port, result } = readWith(async (body) => {
    const pieces: Uint8Array[] = []
    for await (const piece of body) {
      count++
      pieces.push(Buffer.from(piece))
    }
    return Buffer.concat(pieces)
  })
  const sent = await sendChunks(await port, chunkLengths)
  expect((await result).equals(sent)).toBe(true)
  expect(count).toBeLessThan(1000)
})

test('in a turn of the event loop, a body in chunks of a byte is read from its socket once', async () => {
  let most = 0
  const { port, result } = readWith(async (body, { socket }) => {
    const whole = collect(body)
    let before = socket.bytesRead
    while (!socket.destroyed) {
      await nextTurn()
      most = Math.max(most, socket.bytesRead - before)
      before = socket.bytesRead
      if (body.length === 200_000) break
    }
    return whole
  })
  const sent = await sendChunks(await port, Array<number>(200_000).fill(1))
  expect((await result).equals(sent)).toBe(true)
  expect(most).toBeGreaterThan(0)
  // Node reads at most 64 KiB at a time.
  expect(most).toBeLessThanOrEqual(65_536)
})

test('a body in short chunks can be read as a whole', async () => {
  let read: unknown
  const port = await serve((request, response) => {
    void readBody(request, MEBIBYTE).then((body) => {
      read = body
      if ('release' in body) body.release?.()
      response.end('read')
    })
  })
  const sent = await sendChunks(port, chunkLengths)
  expect(read).toMatchObject({ content: sent })
  await sendChunks(port, [MEBIBYTE, 1])
  expect(read).toEqual({ tooLong: true })
})

test('the client of a long body waits while others hold too much memory', async () => {
  const others = new MemoryShare(requestBodies)
  expect(others.hold(65 * MEBIBYTE)).toBeUndefined()
  endings.push(() => others.end())
  let received = 0
  const port = await serve((request, response) => {
    request.on('data', (piece: Buffer) => (received += piece.length))
    void readBody(request, Infinity).then((body) => {
      if ('release' in body) body.release?.()
      response.end('read')
    })
  })
  const sent = sendChunks(port, [16 * MEBIBYTE])
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(received).toBeGreaterThan(0)
  expect(received).toBeLessThan(MEBIBYTE)
  others.end()
  expect(await sent).toHaveLength(16 * MEBIBYTE)
  expect(received).toBe(16 * MEBIBYTE)
})

test('a long body releases its memory when its client disconnects', async () => {
  const port = await serve((request) => void readBody(request, Infinity))
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999\r\n\r\n')
  socket.write(Buffer.alloc(32 * MEBIBYTE))
  // 4 bytes are taken for each byte.
  while (isFree()) await nextTurn()
  socket.destroy()
  while (!isFree()) await nextTurn()
})

/** Whether no body holds memory. */
function isFree(): boolean {
  const share = new MemoryShare(requestBodies)
  const granted = share.claim(64 * MEBIBYTE)
  // Ended at once, so that it is not granted after a while.
  share.end()
  return granted === undefined
}

test('an empty body ends at once', async () => {
  const { port, result } = readWith(collect)
  await fetch(`http://127.0.0.1:${await port}/`, { method: 'POST', body: '' })
  expect(await result).toHaveLength(0)
})

test('a body is refused once it exceeds the limit', async () => {
  const { port, result } = readWith(async (body) => {
    await expect(collect(body)).rejects.toThrow('payload too large')
    return body.tooLong
  }, 1000)
  const answer = await fetch(`http://127.0.0.1:${await port}/`, { method: 'POST', body: 'x'.repeat(1001) })
  expect(await answer.text()).toBe('read')
  expect(await result).toBe(true)
})

test('a body that the client truncates fails', async () => {
  const { port, result } = readWith(async (body) => {
    const problem: unknown = await collect(body).catch((error: unknown) => error)
    return { problem, length: body.length }
  })
  const socket = connect(await port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf')
  setTimeout(() => socket.destroy(), 50)
  const { problem, length } = await result
  expect(problem).toBeInstanceOf(Error)
  expect(length).toBe(4)
})

test('nothing more is read of a body whose client is gone', async () => {
  const stream = new Readable({ read: () => undefined })
  const body = new UploadBody(stream)
  stream.push(Buffer.alloc(2000))
  await body.next()
  stream.push(Buffer.alloc(2000))
  await nextTurn()
  stream.destroy()
  await once(stream, 'close')
  await expect(body.next()).rejects.toThrow('aborted')
})

test('the signal of a request is aborted if its client has already left', async () => {
  const socket = new Socket()
  socket.destroy()
  const request = new DirectRequest({ target: '/', headers: {}, bodyLength: 0 }, '', socket)
  expect(request.signal.aborted).toBe(true)
})

test('a body whose request is destroyed fails', async () => {
  const { port, result } = readWith(async (body, request) => {
    setTimeout(() => request.destroy(), 50)
    return collect(body).catch((error: unknown) => error)
  })
  const socket = connect(await port, '127.0.0.1')
  endings.push(() => socket.destroy())
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf')
  expect(await result).toBeInstanceOf(Error)
})

test('the rest of an unwanted body is read, and the next request on the connection answered', async () => {
  const { port, result } = readWith(async (body) => {
    for await (const piece of body) {
      // By now the limit of unread bytes is reached and the client is paused.
      await new Promise((resolve) => setTimeout(resolve, 100))
      return piece.length
    }
    return 0
  })
  const socket = connect(await port, '127.0.0.1')
  endings.push(() => socket.destroy())
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${8 * MEBIBYTE}\r\n\r\n`)
  socket.write(Buffer.alloc(8 * MEBIBYTE))
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
  let received = ''
  for await (const piece of socket as AsyncIterable<Buffer>) {
    received += piece.toString()
    if (received.split('HTTP/1.1 200 OK').length === 3) break
  }
  expect(await result).toBeGreaterThan(0)
})

const names = { all: new Set(['local', 'sepolia']), standard: 'local', domain: 'node.example' }
const parse = (target: string, host = '127.0.0.1:8545') => parseRpcRoute(names, target, host)

describe('parseRpcRoute', () => {
  test.each([
    ['/', { network: 'local', key: undefined, trailing: false, form: 'root' }],
    ['/?x=1', { network: 'local', key: undefined, trailing: false, form: 'root' }],
    ['/v3', { network: 'local', key: undefined, trailing: false, form: 'v3' }],
    ['/v3/', { network: 'local', key: undefined, trailing: false, form: 'v3' }],
    ['/v3/abc', { network: 'local', key: 'abc', trailing: false, form: 'v3' }],
    ['/v3/abc/', { network: 'local', key: 'abc', trailing: true, form: 'v3' }],
    ['/ws/v3/abc', { network: 'local', key: 'abc', trailing: false, form: 'ws' }],
    ['/ws/v3', { network: 'local', key: undefined, trailing: false, form: 'ws' }],
    ['/sepolia', { network: 'sepolia', key: undefined, trailing: false, form: 'root' }],
    ['/sepolia/v3/abc', { network: 'sepolia', key: 'abc', trailing: false, form: 'v3' }],
    ['/sepolia/ws/v3/abc', { network: 'sepolia', key: 'abc', trailing: false, form: 'ws' }],
    ['/_standin/rpc', { network: 'local', key: undefined, trailing: false, form: 'control' }],
    ['/_standin/rpc/sepolia', { network: 'sepolia', key: undefined, trailing: false, form: 'control' }],
  ])('%s', (target, route) => {
    expect(parse(target)).toEqual(route)
  })

  test.each([
    '/v4/abc',
    '/v3/abc/def',
    '/mainnet/v3/abc',
    '/_standin/health',
    '/_standin/rpc/mainnet',
    '/api/v0/add',
  ])('%s is no route', (target) => {
    expect(parse(target)).toBeUndefined()
  })

  test('the host selects the network if the path does not', () => {
    expect(parse('/v3/abc', 'sepolia.localhost:8545')?.network).toBe('sepolia')
    expect(parse('/v3/abc', 'SEPOLIA.node.example')?.network).toBe('sepolia')
    expect(parse('/v3/abc', 'sepolia.elsewhere.example')?.network).toBe('local')
    expect(parse('/v3/abc', 'mainnet.localhost')?.network).toBe('local')
    expect(parse('/local/v3/abc', 'sepolia.localhost')?.network).toBe('local')
  })
})
