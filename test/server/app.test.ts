import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/provider/keys/apiKey.js'
import type { AppEnv } from '../../src/server/app.js'
import { type RunningServer, startServer } from '../support/server.js'

let open: RunningServer
let guarded: RunningServer
let app: Hono<AppEnv>
let guardedApp: Hono<AppEnv>

beforeAll(async () => {
  const control = async () => new Hono().get('/node', (context) => context.json({ name: 'node' }))
  open = await startServer({ control })
  guarded = await startServer({ provider: { mode: 'guarded', keys: [createApiKey('key', 'secret')] } })
  app = await open.server.app()
  guardedApp = await guarded.server.app()
})
afterAll(() => Promise.all([open.server.close(), guarded.server.close()]))

const call = (id = 1) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: `{"jsonrpc":"2.0","id":${id},"method":"test_echo","params":["é"]}`,
})
const answer = '{"jsonrpc":"2.0","id":1,"result":"[\\"é\\"]"}'

describe('the app answers in process', () => {
  test.each([
    '/',
    '/v3/any',
    '/v3/any/',
    '/ws/v3/any',
    '/sepolia',
    '/sepolia/',
    '/sepolia/v3/any',
    '/_standin/rpc',
  ])('JSON-RPC at %s', async (path) => {
    const response = await app.request(path, call())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.text()).toBe(answer)
  })

  test('a batch, a body that is not JSON and a too long one', async () => {
    const ask = async (body: string) => (await app.request('/v3/any', { ...call(), body })).text()
    expect(await ask(`[${call().body},${call(2).body}]`)).toBe(
      `[${answer},${answer.replace('"id":1', '"id":2')}]`,
    )
    expect(await ask('{')).toContain('-32700')
    expect(await ask(`"${'x'.repeat(10_000)}"`)).toContain('-32700')
  })

  test('refusals of admission', async () => {
    expect((await guardedApp.request('/v3/unknown', call())).status).toBe(401)
    const authorization = `Basic ${Buffer.from(':wrong').toString('base64')}`
    const wrong = { ...call(), headers: { ...call().headers, authorization } }
    expect((await guardedApp.request('/v3/key', wrong)).status).toBe(401)
    expect(await (await guardedApp.request('/v3/key', call())).text()).toBe(answer)
  })

  test('preflights', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    const response = await app.request('/v3/any', { method: 'OPTIONS', headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-methods')).toBe('POST')
  })

  test('operations of the IPFS API and the gateway', async () => {
    const added = await app.request('/api/v0/add?pin=true&arg=a', { method: 'POST', body: 'four' })
    expect(await added.json()).toEqual({ operation: 'add', arg: ['a'], length: 4 })
    expect((await app.request('/api/v0/cat', { method: 'GET' })).status).toBe(405)
    expect(await (await app.request('/ipfs/cid/%41?x')).json()).toEqual({
      gateway: 'GET',
      path: '/ipfs/cid/%41',
    })
    const byHost = await app.request('http://cid.ipfs.localhost/v3/any', call())
    expect(await byHost.json()).toEqual({ gateway: 'POST', path: '/v3/any' })
  })

  test('health and the controls, only under local host names', async () => {
    expect(await (await app.request('/_standin/health')).json()).toEqual({ ready: true })
    expect(await (await app.request('/_standin/node')).json()).toEqual({ name: 'node' })
    expect((await app.request('http://rebound.example/_standin/node')).status).toBe(403)
    expect((await app.request('/_standin/node', { headers: { origin: 'https://app.example' } })).status).toBe(
      403,
    )
    expect((await app.request('http://rebound.example/_standin/rpc', call())).status).toBe(403)
  })

  test('the page at its own path and, for browsers, at the root', async () => {
    const headers = { accept: 'text/html' }
    const [root, page] = await Promise.all([app.request('/', { headers }), app.request('/_standin/page/')])
    expect(page.status).toBe(root.status)
    expect(await page.text()).toBe(await root.text())
    expect((await app.request('/_standin/page')).headers.get('location')).toBe('/_standin/page/')
    expect((await app.request('http://rebound.example/_standin/page/')).status).toBe(403)
  })

  test('nothing at other paths', async () => {
    const response = await app.request('/v4/any', call())
    expect(response.status).toBe(404)
    expect(await response.text()).toBe('')
  })

  test('a connection closed by a fault as a network error', async () => {
    open.provider.faults.set([{ id: 'close', match: {}, action: { type: 'close' } }])
    expect((await app.request('/v3/any', call())).type).toBe('error')
    open.provider.faults.clear('close')
  })
})
