import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Provider, ProviderSettings } from '../../src/provider/provider.js'
import { createApiKey, noAllowlists } from '../../src/provider/keys/apiKey.js'
import type { NodeServer } from '../../src/server/server.js'
import { request, sendRaw, startServer } from '../support/server.js'

const keys = [
  createApiKey('key', 'secret'),
  createApiKey('bare'),
  { ...createApiKey('cardless', 'secret'), billingCard: false },
  { ...createApiKey('paged', 'secret'), allowlists: { ...noAllowlists, origins: ['https://app.example'] } },
]
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const plain = { 'content-type': 'text/plain; charset=utf-8' }

const servers: NodeServer[] = []
const ports: Record<string, number> = {}
let strictProvider: Provider
beforeAll(async () => {
  const providers: Record<string, Partial<ProviderSettings>> = {
    open: { mode: 'open' },
    guarded: { mode: 'guarded', keys },
    strict: { mode: 'strict', keys },
    relaxed: { mode: 'guarded', keys, filesWithoutCredentials: true },
  }
  for (const [name, provider] of Object.entries(providers)) {
    const running = await startServer({
      provider,
      limits: { maxUpload: name === 'strict' ? 100 : undefined },
    })
    servers.push(running.server)
    ports[name] = running.port
    if (name === 'strict') strictProvider = running.provider
  }
})
afterAll(async () => {
  for (const server of servers) await server.close()
})

const ask = (mode: string, path: string, asked: Parameters<typeof request>[2] = {}) =>
  request(ports[mode] ?? 0, path, asked)

describe("in open mode, in Kubo's order", () => {
  test('an operation is forwarded with its query and body', async () => {
    expect(await ask('open', '/api/v0/pin/add?arg=a&arg=b', { body: 'four' })).toMatchObject({
      status: 200,
      body: '{"operation":"pin/add","arg":["a","b"],"length":4}',
    })
  })

  test.each(['GET', 'PUT', 'PATCH'])('%s is 405, even if something else is wrong', async (method) => {
    const answer = await ask('open', '/api/v0/cat?arg=x', {
      method,
      headers: { origin: 'https://app.example' },
    })
    expect(answer.status).toBe(405)
    expect(answer.headers).toMatchObject({ ...plain, allow: 'OPTIONS, POST' })
    expect(answer.body).toBe('405 - Method Not Allowed\n')
  })

  test('OPTIONS without preflight headers is 204 with Allow', async () => {
    expect(await ask('open', '/api/v0/cat', { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      headers: { allow: 'OPTIONS, POST' },
    })
  })

  test('the version is told in plain text, as Kubo tells it', async () => {
    expect(await ask('open', '/version', { method: 'GET' })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'Commit: \nClient Version: kubo/0.42.0\n',
    })
  })

  test('a path after cat is 405 with advice', async () => {
    expect(await ask('open', '/api/v0/cat/QmFoo')).toMatchObject({
      status: 405,
      body: '/api/v0/cat/QmFoo is an undocumented behavior, use /api/v0/cat?arg=QmFoo instead\n',
    })
  })

  test.each([
    [{ origin: 'https://app.example' }],
    [{ referer: 'https://app.example/page' }],
    [{ origin: 'http://localhost:3000', referer: 'https://app.example/page' }],
    [{ 'user-agent': 'Mozilla/5.0' }],
  ])('a page with %j is 403', async (headers) => {
    const body = '403 - Forbidden\n'
    expect(await ask('open', '/api/v0/version', { headers })).toMatchObject({
      status: 403,
      body,
      headers: plain,
    })
  })

  test.each([
    [{ origin: 'http://localhost:3000', 'user-agent': 'Mozilla/5.0' }],
    [{ origin: 'http://127.0.0.1' }],
    [{ origin: 'http://[::1]:80' }],
    [{ referer: 'http://localhost:3000/page' }],
    [basic('wrong:wrong')],
  ])('%j is admitted', async (headers) => {
    expect(await ask('open', '/api/v0/version', { headers })).toMatchObject({ status: 200 })
  })

  test('an admitted page may read the answer', async () => {
    const origin = 'http://localhost:3000'
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-y',
    }
    expect(await ask('open', '/api/v0/version', { headers: { origin } })).toMatchObject({
      headers: { 'access-control-allow-origin': origin },
    })
    expect(await ask('open', '/api/v0/version', { method: 'OPTIONS', headers })).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'x-y',
      },
    })
    const foreign = await ask('open', '/api/v0/version', {
      method: 'OPTIONS',
      headers: { ...headers, origin: 'https://app.example' },
    })
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('in guarded mode', () => {
  test.each([
    [{}, 401, 'project id required\n'],
    [basic('key:wrong'), 401, 'basic auth failure: invalid project id or project secret\n'],
    [basic('nobody:secret'), 401, 'basic auth failure: invalid project id or project secret\n'],
    [basic('bare:'), 401, 'basic auth failure: invalid project id or project secret\n'],
    [{ authorization: 'Bearer x' }, 401, 'basic auth failure: invalid project id or project secret\n'],
    [{ ...basic('paged:secret'), origin: 'https://other.example' }, 403, 'not allowed - invalid origin\n'],
  ])('%j is refused', async (headers, status, body) => {
    expect(await ask('guarded', '/api/v0/version', { headers })).toMatchObject({
      status,
      body,
      headers: plain,
    })
  })

  test('valid credentials are admitted, from any page that the key allows', async () => {
    const from = (origin: string, user: string) =>
      ask('guarded', '/api/v0/version', { headers: { ...basic(`${user}:secret`), origin } })
    expect(await from('https://other.example', 'key')).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'https://other.example' },
    })
    expect(await from('https://app.example', 'paged')).toMatchObject({ status: 200 })
  })

  test('the method is checked before the credentials', async () => {
    expect(await ask('guarded', '/api/v0/version', { method: 'GET' })).toMatchObject({ status: 405 })
  })

  test('credentials are optional if so configured', async () => {
    expect(await ask('relaxed', '/api/v0/version')).toMatchObject({ status: 200 })
  })
})

describe('in strict mode', () => {
  test('operations that the hosted IPFS API lacks are refused', async () => {
    const headers = basic('key:secret')
    expect(await ask('strict', '/api/v0/repo/gc', { headers })).toMatchObject({
      status: 403,
      body: 'ipfs method not allowed\n',
    })
    expect(await ask('strict', '/api/v0/pin/ls', { headers })).toMatchObject({ status: 200 })
  })

  test('an account requires a billing card', async () => {
    expect(await ask('strict', '/api/v0/cat', { headers: basic('cardless:secret') })).toMatchObject({
      status: 403,
      body: 'billing card required\n',
    })
  })

  test('an upload that is too long is refused, with or without Content-Length', async () => {
    const headers = basic('key:secret')
    const refused = { status: 400, body: 'payload too large\n' }
    expect(await ask('strict', '/api/v0/add', { headers, body: 'x'.repeat(101) })).toMatchObject(refused)
    expect(await ask('strict', '/api/v0/add', { headers, body: 'x'.repeat(100) })).toMatchObject({
      status: 200,
    })
    const head = `POST /api/v0/add HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\n`
    const chunked = `transfer-encoding: chunked\r\n\r\n65\r\n${'x'.repeat(101)}\r\n0\r\n\r\n`
    expect(await sendRaw(ports['strict'] ?? 0, head + chunked)).toMatchObject(refused)
  })
})

describe('the gateway', () => {
  const host = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi.ipfs.localhost'

  test.each(['open', 'guarded', 'strict'])('answers without credentials in %s mode', async (mode) => {
    expect(await ask(mode, '/ipfs/bafy/a%20b?x=1', { method: 'GET' })).toMatchObject({
      status: 200,
      body: '{"gateway":"GET","path":"/ipfs/bafy/a%20b"}',
    })
  })

  test('nothing else answers under the host name of content', async () => {
    for (const path of ['/', '/_standin/requests', '/_standin/rpc', '/api/v0/version', '/v3/any']) {
      expect(await ask('open', path, { headers: { host } })).toMatchObject({
        body: JSON.stringify({ gateway: 'POST', path }),
      })
    }
  })

  test.each([`http://${host}`, `http://${host}:8545`, 'null'])(
    'a page of %s is not trusted',
    async (origin) => {
      expect(await ask('open', '/api/v0/add', { headers: { origin } })).toMatchObject({ status: 403 })
      expect(await ask('open', '/_standin/health', { method: 'GET', headers: { origin } })).toMatchObject({
        status: 403,
      })
      expect(await ask('open', '/_standin/rpc', { headers: { origin } })).toMatchObject({ status: 403 })
    },
  )

  test('allows a hundred requests per second in strict mode', async () => {
    strictProvider.clock.set(Date.now() + 60_000, { frozen: true })
    for (let i = 0; i < 100; i += 1) {
      expect((await ask('strict', '/ipfs/bafy', { method: 'GET' })).status).toBe(200)
    }
    expect(await ask('strict', '/ipfs/bafy', { method: 'GET' })).toMatchObject({
      status: 429,
      body: 'Too Many Requests\n',
    })
    strictProvider.clock.advance(1000)
    expect((await ask('strict', '/ipfs/bafy', { method: 'GET' })).status).toBe(200)
  })
})

/** Sends a request to a port that serves only the IPFS API. */
async function askFilePort(path: string) {
  const { server } = await startServer()
  const port = await server.listenForFiles({ hosts: ['127.0.0.1'], port: 0 })
  return request(port, path).finally(() => server.close())
}

test.each(['/', '/nothing/id'])('%s is no operation on a port for the IPFS API alone', async (path) => {
  expect(await askFilePort(path)).toMatchObject({ status: 404, body: '404 page not found\n' })
})

test.each([
  ['//', '/'],
  ['//:x/', '/:x/'],
  ['/./', '/'],
  ['/api/v0/../v0/id', '/api/v0/id'],
  ['/api/v0/../../nothing/id', '/nothing/id'],
])('%s redirects to %s on a port for the IPFS API alone', async (path, location) => {
  const answer = await askFilePort(path)
  expect(answer.status).toBe(307)
  expect(answer.headers.location).toBe(location)
})

test('the path is escaped in the page of a redirect', async () => {
  const { server } = await startServer()
  const port = await server.listenForFiles({ hosts: ['127.0.0.1'], port: 0 })
  const sent = 'GET /api/v0//x"><script> HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const answer = await sendRaw(port, sent).finally(() => server.close())
  expect(answer).toMatchObject({
    status: 307,
    body: '<a href="/api/v0/x&quot;&gt;&lt;script&gt;">Temporary Redirect</a>.\n\n',
  })
})

const webUi = '/ipfs/bafybeihxglpcfyarpm7apn7xpezbuoqgk3l5chyk7w4gvrjwk45rqohlmm'

test.each([
  ['/webui', 307, '/webui/'],
  ['/webui?x=1', 307, '/webui/?x=1'],
  ['/webui/', 302, webUi],
  ['/webui/x/y?q=1', 302, webUi],
])('%s leads to the web interface with status %i, like in Kubo', async (path, status, location) => {
  const answer = await askFilePort(path)
  expect(answer).toMatchObject({ status, body: '' })
  expect(answer.headers.location).toBe(location)
})
