import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NodeServer } from '../../src/server/server.js'
import { type RawRequest, call, request, sendRaw, startServer } from '../support/server.js'

let server: NodeServer
let port: number
const json = { 'content-type': 'application/json' }
const body = '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["x"]}'
const answer = '{"jsonrpc":"2.0","id":1,"result":"[\\"x\\"]"}'

beforeAll(async () => {
  ;({ server, port } = await startServer())
})
afterAll(() => server.close())

describe('in open mode', () => {
  test.each(['/', '/v3', '/v3/', '/v3/any', '/v3/any/', '/sepolia/v3/any', '/sepolia', '/_standin/rpc'])(
    'POST %s is answered',
    async (path) => {
      const { status, headers, body } = await call(port, path)
      expect(body).toBe(answer)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(answer.length),
        'access-control-allow-origin': '*',
      })
    },
  )

  test.each(['/v4/any', '/v3/any/more', '/mainnet/v3/any'])('POST %s is not found', async (path) => {
    expect(await call(port, path)).toMatchObject({ status: 404, body: '' })
  })
})

describe('transport rules', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json-rpc',
    'application/jsonrequest',
  ])('the media type %s is accepted', async (type) => {
    expect(await request(port, '/', { headers: { 'content-type': type }, body })).toMatchObject({
      status: 200,
    })
  })

  test.each<[string, RawRequest & { path?: string }]>([
    ['POST with another media type', { headers: { 'content-type': 'text/plain' }, body }],
    ['POST without a media type', { body }],
    ['POST with a longer media type', { headers: { 'content-type': 'application/jsonx' }, body }],
    ['GET with a query', { method: 'GET', path: '/?x=1' }],
    ['PATCH', { method: 'PATCH', body }],
  ])('%s is 415', async (_, { path = '/', ...asked }: RawRequest & { path?: string }) => {
    expect(await request(port, path, asked)).toMatchObject({
      status: 415,
      body: 'invalid content type, only application/json is supported\n',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    })
  })

  test.each(['GET', 'PATCH', 'OPTIONS'])('%s with a JSON body is answered like POST', async (method) => {
    expect(await request(port, '/', { method, headers: json, body })).toMatchObject({
      status: 200,
      body: answer,
    })
  })

  // As geth 1.17.10 answers.
  test.each([
    [200, 'application/json;'],
    [200, 'application/json; charset=utf-8;'],
    [200, 'application/json ; charset = utf-8'],
    [200, 'application/json;charset=""'],
    [200, 'application/json;charset=utf-8;Charset="utf-8"'],
    [200, 'application/json;charset="a\\"b"'],
    [200, 'application/json;charset="a\\b";charset="a\\\\b"'],
    [200, "application/json;a*=utf-8''x"],
    [415, 'application/json;;'],
    [415, 'application/json; ;'],
    [415, 'application/json; charset=utf-8; ;'],
    [415, 'application/json; charset'],
    [415, 'application/json;charset='],
    [415, 'application/json;charset=utf-8;charset=UTF-8'],
    [415, 'application/json;charset="a\\b";charset=ab'],
    [415, 'application/json;charset="ab'],
    [415, 'application/json;charset="a"b'],
    [415, 'application/json;a*0=x;a*1=y;a*0=z'],
    [415, 'application/json;=x'],
    [415, ';application/json'],
    [415, 'application/json, text/plain'],
    [415, 'application / json'],
  ])('%i for the media type %s', async (status, type) => {
    expect(await request(port, '/', { headers: { 'content-type': type }, body })).toMatchObject({ status })
  })

  test.each(['PUT', 'DELETE'])('%s is 405', async (method) => {
    expect(await request(port, '/', { method })).toMatchObject({ status: 405, body: 'method not allowed\n' })
  })

  test('GET without body and query is 200 and empty', async () => {
    expect(await request(port, '/', { method: 'GET' })).toMatchObject({ status: 200, body: '' })
    expect(await request(port, '/v3/any', { method: 'GET' })).toMatchObject({ status: 200, body: '' })
  })

  test('a browser gets a page', async () => {
    const { status, headers, body } = await request(port, '/', {
      method: 'GET',
      headers: { accept: 'text/html,*/*' },
    })
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('text/html')
    expect(body).toContain('<title>Standin</title>')
  })

  test('an empty body has an empty answer', async () => {
    expect(await request(port, '/', { headers: json, body: '' })).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-type': 'application/json' },
    })
  })

  test('a body whose Content-Length is too long is 413', async () => {
    const text = `"${'x'.repeat(10_000)}"`
    expect(await request(port, '/v3/any', { headers: json, body: text })).toMatchObject({
      status: 413,
      body: 'content length too large (10002>10000)\n',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    expect(await request(port, '/', { headers: json, body: text })).toMatchObject({ status: 200 })
  })

  test('a chunked body that is too long is cut, and not valid JSON', async () => {
    const chunk = `2800\r\n"${'x'.repeat(0x27fe)}"\r\n`
    const head = `POST /v3/any HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    expect(await sendRaw(port, `${head}${chunk}0\r\n\r\n`)).toMatchObject({
      status: 200,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
    })
  })

  test('a body in many chunks is reassembled', async () => {
    const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join('')
    const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    expect(await sendRaw(port, `${head}${chunks}0\r\n\r\n`)).toMatchObject({ status: 200, body: answer })
  })
})

describe('web pages', () => {
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' }

  test('a preflight allows JSON-RPC from every page', async () => {
    expect(await request(port, '/v3/any', { method: 'OPTIONS', headers: preflight })).toMatchObject({
      status: 200,
      body: '',
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Content-Type, Authorization, Enable-Failover',
        vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      },
    })
  })

  test('OPTIONS without preflight headers has an empty answer', async () => {
    expect(await request(port, '/', { method: 'OPTIONS' })).toMatchObject({ status: 200, body: '' })
  })

  test('the controls are closed to foreign origins and host names', async () => {
    const get = (headers: Record<string, string>) =>
      request(port, '/_standin/health', { method: 'GET', headers })
    expect(await get({})).toMatchObject({ status: 200, body: '{"ready":true}' })
    expect(await get({ host: 'localhost:1' })).toMatchObject({ status: 200 })
    expect(await get({ origin: 'http://localhost:3000' })).toMatchObject({ status: 200 })
    expect(await get({ host: 'rebound.example' })).toMatchObject({
      status: 403,
      body: 'invalid host specified\n',
    })
    expect(await get({ origin: 'https://app.example' })).toMatchObject({
      status: 403,
      body: 'invalid origin\n',
    })
    expect(await get({ origin: 'null' })).toMatchObject({ status: 403 })
    expect(await call(port, '/_standin/rpc', { host: 'rebound.example' })).toMatchObject({ status: 403 })
    expect(await call(port, '/_standin/rpc', { origin: 'https://app.example' })).toMatchObject({
      status: 403,
    })
  })
})

test('a connection serves further requests after a refused one', async () => {
  const head = `POST /v3/any HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n`
  const refused = `${head}content-type: text/plain\r\n\r\n${body}`
  const answered = `${head}content-type: application/json\r\nconnection: close\r\n\r\n${body}`
  const { body: all } = await sendRaw(port, refused + answered.replace('/v3/any', '/'))
  expect(all).toContain('invalid content type')
})
