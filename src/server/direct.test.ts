import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ReplyQueue, formatReplyHead, readRequestHead, receive } from './direct.js'

const server = createServer()
let accepted: Socket
let client: Socket

beforeEach(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connected = once(server, 'connection') as Promise<[Socket]>
  client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true })
  ;[accepted] = await connected
})
afterEach(async () => {
  client.destroy()
  accepted.destroy()
  server.close()
  await once(server, 'close')
})

/** Collects received parts. */
function collect() {
  const parts: string[] = []
  let notify: () => void
  return {
    parts,
    take: (part: Buffer) => {
      parts.push(part.toString('latin1'))
      notify?.()
    },
    async until(length: number) {
      while (parts.join('').length < length) await new Promise<void>((resolve) => (notify = resolve))
      return parts.join('')
    },
  }
}

test.skipIf(process.platform === 'win32')('all parts share the same memory', async () => {
  const memory = new Set<ArrayBufferLike>()
  const collected = collect()
  receive(accepted, (part) => {
    memory.add(part.buffer)
    collected.take(part)
  })
  client.write('first')
  await collected.until(5)
  client.write('x'.repeat(300_000))
  expect(await collected.until(300_005)).toBe(`first${'x'.repeat(300_000)}`)
  expect([...memory].map(({ byteLength }) => byteLength)).toEqual([65_536])
})

test('once reading has ended, the socket is a stream that keeps the received bytes', async () => {
  const before = collect()
  const after = collect()
  const end = receive(accepted, before.take)
  client.write('before')
  await before.until(6)
  end()
  accepted.pause()
  accepted.unshift(Buffer.from('again'))
  accepted.on('data', after.take)
  client.write('first')
  accepted.resume()
  await after.until(10)
  client.end('x'.repeat(300_000))
  await once(accepted, 'end')
  expect(after.parts.join('')).toBe(`againfirst${'x'.repeat(300_000)}`)
  expect(before.parts).toEqual(['before'])
})

test('the end of the input is reported', async () => {
  const collected = collect()
  receive(accepted, collected.take)
  client.end('last')
  await once(accepted, 'end')
  expect(collected.parts).toEqual(['last'])
})

test('a socket without the expected members falls back to a listener', async () => {
  const stream = new PassThrough()
  const collected = collect()
  const end = receive(stream, collected.take)
  stream.write('before')
  expect(await collected.until(6)).toBe('before')
  end()
  stream.write('after')
  expect(String((await once(stream, 'data'))[0])).toBe('after')
  expect(collected.parts).toEqual(['before'])
})

const usual = [
  'POST /v3/abc?x=1 HTTP/1.1',
  'Host: 127.0.0.1:8545',
  'Content-Type: application/json',
  'Content-Length: 12',
]
const head = (...more: string[]) => readRequestHead([...usual, ...more].join('\r\n'))

test('a plain head is parsed, with names in lower case and values trimmed', () => {
  expect(head('Connection: Keep-Alive', 'X-Empty:', 'Accept: \t*/*\t ')).toEqual({
    target: '/v3/abc?x=1',
    headers: {
      host: '127.0.0.1:8545',
      'content-type': 'application/json',
      'content-length': '12',
      connection: 'Keep-Alive',
      'x-empty': '',
      accept: '*/*',
    },
    bodyLength: 12,
  })
})

test('an offer to upgrade to HTTP/2 is ignored', () => {
  const offer = ['Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAEAAEAA', 'Upgrade: h2c']
  expect(head(...offer)?.bodyLength).toBe(12)
})

describe('left to node:http', () => {
  test.each([
    ['an upgrade to WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket'],
    ['a field twice', 'content-length: 12'],
    ['two ways to tell the length', 'Transfer-Encoding: chunked'],
    ['a client that waits for leave to send', 'Expect: 100-continue'],
    ['an upgrade that no connection option names', 'Upgrade: h2c'],
    ['a connection that ends', 'Connection: close'],
    ['a list of connection options', 'Connection: keep-alive, x'],
    ['a blank before the colon', 'X-Name : x'],
    ['a folded line', ' folded'],
    ['a bare line feed', 'X-Name: x\nTransfer-Encoding: chunked'],
    ['a bare carriage return', 'X-Name: x\rTransfer-Encoding: chunked'],
    ['a control character', 'X-Name: \x00'],
    ['a byte outside ASCII', 'X-Name: \xe9'],
    ['a name that objects have', '__proto__: x'],
    ['more than node:http takes', `X-Name: ${'x'.repeat(16 * 1024)}`],
  ])('%s', (_, line) => {
    expect(head(line)).toBeUndefined()
  })

  test.each([
    ['another method', 'GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 0'],
    ['an older version', 'POST / HTTP/1.0\r\nhost: x\r\ncontent-length: 0'],
    ['a target with its host', 'POST http://x/ HTTP/1.1\r\nhost: x\r\ncontent-length: 0'],
    ['no host', 'POST / HTTP/1.1\r\ncontent-length: 0'],
    ['no length', 'POST / HTTP/1.1\r\nhost: x'],
    ['a length with a sign', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: +1'],
    ['a long body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 65537'],
  ])('%s', (_, text) => {
    expect(readRequestHead(text)).toBeUndefined()
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** Opens a queue that records the names of written answers. */
function openQueue() {
  const queue = new ReplyQueue()
  const written: string[] = []
  const connect = () => {
    const names: string[] = []
    return {
      names,
      write: () => written.push(names.shift() ?? ''),
    }
  }
  const [first, second, third] = [connect(), connect(), connect()]
  const send = (name: string, connection: ReturnType<typeof connect>): void => {
    connection.names.push(name)
    queue.send(connection)
  }
  return { queue, written, send, first, second, third }
}

test('answers to different connections are sent together at the end of the turn, in order', async () => {
  const { written, send, first, second, third } = openQueue()
  send('a', first)
  send('b', second)
  send('c', third)
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['a', 'b', 'c'])
  await nextTurn()
  expect(written).toHaveLength(3)
})

test('a lone client is answered at once', async () => {
  const { written, send, first, second } = openQueue()
  send('a', first)
  await nextTurn()
  send('b', first)
  send('c', first)
  expect(written).toEqual(['a', 'b', 'c'])
  send('d', second)
  expect(written).toEqual(['a', 'b', 'c'])
  await nextTurn()
  expect(written).toEqual(['a', 'b', 'c', 'd'])
})

test('an answer caused by writing another one waits for the end of its turn', async () => {
  const { queue, written, send, second } = openQueue()
  queue.send({ write: () => send('of the next request', second) })
  await nextTurn()
  expect(written).toEqual([])
  await nextTurn()
  expect(written).toEqual(['of the next request'])
})

test('answers wait at most a millisecond for requests not yet taken', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(5000)
  const { queue, written, send, first, second } = openQueue()
  send('a', first)
  clock.mockReturnValue(5000.9)
  queue.writeOverdue()
  expect(written).toEqual([])
  send('b', second)
  clock.mockReturnValue(5001.1)
  queue.writeOverdue()
  expect(written).toEqual(['a', 'b'])
  await nextTurn()
  expect(written).toHaveLength(2)
})

test.each([
  [200, 'OK'],
  [404, 'Not Found'],
  [413, 'Request Entity Too Large'],
  [416, 'Requested Range Not Satisfiable'],
])('the status line of %i has the phrase of geth and Kubo', (status, phrase) => {
  const [line] = formatReplyHead({ status, headers: {}, body: '' }, 75).split('\r\n')
  expect(line).toBe(`HTTP/1.1 ${status} ${phrase}`)
})
