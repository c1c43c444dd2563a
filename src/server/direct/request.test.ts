import { describe, expect, test } from 'vitest'
import { readRequestHead } from './request.js'

const usual = [
  'POST /v3/abc?x=1 HTTP/1.1',
  'Host: 127.0.0.1:8545',
  'Content-Type: application/json',
  'Content-Length: 12',
]
const head = (...more: string[]) => readRequestHead([...usual, ...more].join('\r\n'))

test('a plain head is read, with names in lower case and values without the blanks around them', () => {
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

test('an offer to go on with HTTP/2 is left aside', () => {
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
