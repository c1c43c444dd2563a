import { once } from 'node:events'
import { type IncomingMessage, get } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { CurrentCassette } from '../../src/cassette/currentCassette.js'
import { createControl } from '../../src/control/app.js'
import { ChainWatch } from '../../src/control/chainWatch.js'
import { faultReportSchema, journalEntrySchema } from '../../src/control/schemas.js'
import { describeClientSchemas } from '../../src/control/openApi.js'
import { createCassetteControl } from '../../src/node/cassette.js'
import { parseNodeOptions } from '../../src/options.js'
import type { JournalEntry } from '../../src/provider/journal/journal.js'
import { createApiKey } from '../../src/provider/keys/apiKey.js'
import { Provider } from '../../src/provider/provider.js'
import { type RunningServer, call, request, startServer } from '../support/server.js'
import { until } from '../support/until.js'

let running: RunningServer
beforeEach(async () => {
  const provider = new Provider({ mode: 'guarded', keys: [createApiKey('first-key-of-all', 'sesame')] })
  const control = createControl({
    provider,
    networks: ['local', 'sepolia'],
    version: '1.2.3',
    describeNode: () => ({}),
    chains: new ChainWatch(),
    artifacts: undefined,
    cassette: createCassetteControl(new CurrentCassette(), parseNodeOptions({})),
    garbage: () => Promise.resolve({ blocks: 0, bytes: 0 }),
  })
  running = await startServer({ control: () => Promise.resolve(control) }, provider)
})
afterEach(() => running.server.close())

async function control(method: string, path: string, body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${running.port}/_standin${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const text = await response.text()
  return { status: response.status, text, json: () => JSON.parse(text) as never }
}

const ask = (key: string) => call(running.port, `/v3/${key}`)

describe('keys', () => {
  test('are added, changed and removed while others stay in use', async () => {
    expect((await ask('new')).status).toBe(401)
    expect(await control('PUT', '/keys/new', { secret: 'hush' })).toMatchObject({ status: 200 })
    expect((await ask('new')).status).toBe(200)
    await control('PUT', '/keys/new', { disabled: true })
    expect(await ask('new')).toMatchObject({ status: 401, body: 'account disabled\n' })
    expect((await control('DELETE', '/keys/new')).status).toBe(204)
    expect(await ask('new')).toMatchObject({ status: 401, body: 'invalid project id\n' })
    expect((await ask('first-key-of-all')).status).toBe(200)
    expect((await control('DELETE', '/keys/new')).status).toBe(404)
  })

  test('removing a key closes its WebSockets', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}/ws/v3/first-key-of-all`)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    await control('DELETE', '/keys/first-key-of-all')
    await closed
  })

  test('neither keys nor secrets are shown', async () => {
    const { text } = await control('GET', '/keys')
    expect(text).not.toContain('sesame')
    expect(text).not.toContain('first-key-of-all')
    expect(JSON.parse(text)).toMatchObject([{ key: 'firs…ll', hasSecret: true }])
  })

  test.each([
    [{ plan: 'gold' }, 'the body.plan: expected one of free, developer, team, growth, custom, got "gold"'],
    [
      { allowlists: { addresses: ['0x12'] } },
      'the body, allowlists.addresses[0]: expected a 0x-prefixed address of 20 bytes',
    ],
    [{ allowlists: { methods: ['no method'] } }, 'the body, allowlists.methods[0]: expected a method name'],
    [{ allowlists: { origins: ['not an origin'] } }, 'the body, allowlists.origins[0]: expected an origin'],
    [
      { token: { keys: [{ id: 'a', publicKey: 'x' }] } },
      'the body, token.keys[0].publicKey: expected a public key',
    ],
    [{ requireSecret: true }, 'the body.secret: expected a secret'],
    [{ colour: 'red' }, 'the body: '],
  ])('%j is refused', async (body, message) => {
    const { status, json } = await control('PUT', '/keys/bad', body)
    expect(status).toBe(400)
    expect((json() as { error: string }).error).toContain(message)
  })
})

describe('faults', () => {
  test('are set, listed with their hits and removed', async () => {
    const fault = { match: { method: 'test_*' }, action: { type: 'status', status: 500 } }
    expect((await control('POST', '/faults', { id: 'mine', ...fault })).json()).toEqual({ ids: ['mine'] })
    expect((await control('POST', '/faults', { faults: [fault, fault] })).status).toBe(201)
    expect((await ask('first-key-of-all')).status).toBe(500)
    const listed = (await control('GET', '/faults')).json() as { id: string; hits: number }[]
    expect(listed.map(({ id, hits }) => [id, hits])).toEqual([
      ['mine', 1],
      ['fault-1', 1],
      ['fault-2', 1],
    ])
    expect((await control('DELETE', '/faults/mine')).json()).toEqual({ lifted: 1 })
    expect((await control('DELETE', '/faults/mine')).status).toBe(404)
    expect((await control('DELETE', '/faults')).json()).toEqual({ lifted: 2 })
    expect((await ask('first-key-of-all')).status).toBe(200)
  })

  test('are listed without the keys that they match', async () => {
    const fault = { match: { key: ['first-key-of-all', 'other-key'] }, action: { type: 'outage' } }
    await control('POST', '/faults', { id: 'keyed', ...fault })
    const listed = JSON.stringify((await control('GET', '/faults')).json())
    expect(listed).toContain('keyed')
    expect(listed).not.toContain('first-key-of-all')
    expect(listed).not.toContain('other-key')
    await control('DELETE', '/faults')
  })

  test.each([
    [{ action: { type: 'explode' } }, 'the body, action.type: expected one of status, error, quota, delay'],
    [{ action: { type: 'status', status: 700 } }, 'the body, action.status: '],
    [{ match: { nth: 0 }, action: { type: 'hang' } }, 'the body, match.nth'],
    [{}, 'the body'],
  ])('%j is refused', async (body, message) => {
    const { status, json } = await control('POST', '/faults', body)
    expect(status).toBe(400)
    expect((json() as { error: string }).error).toContain(message)
  })

  test('scenarios are listed and started by name', async () => {
    const names = Object.keys((await control('GET', '/scenarios')).json())
    expect(names).toEqual([
      ...['rate-limited', 'flaky-network', 'websocket-death', 'lagging-backend'],
      ...['archive-missing', 'outage-with-failover', 'quota-exhausted', 'slow-gateway'],
    ])
    for (const name of names) expect((await control('POST', `/scenarios/${name}`)).status).toBe(201)
    expect((await control('POST', '/scenarios/none')).status).toBe(400)
  })
})

describe('the journal', () => {
  test('records every request, including those refused by admission', async () => {
    await ask('first-key-of-all')
    await ask('nobody-knows-it')
    await request(running.port, '/api/v0/cat?arg=x')
    const entries = (await control('GET', '/requests')).json() as JournalEntry[]
    expect(entries).toMatchObject([
      { key: 'firs…ll', transport: 'http', method: 'test_echo', params: ['x'], status: 200, credits: 80 },
      { key: 'nobo…it', transport: 'http', status: 401, answeredBy: 'admission', credits: 0 },
      { transport: 'files', method: 'cat', status: 401, answeredBy: 'admission' },
    ])
    expect(JSON.stringify(entries)).not.toContain('first-key-of-all')
  })

  test('distinguishes keys that look the same when masked', async () => {
    await ask('first-key-of-all')
    await ask('firsT-keyof-all')
    await ask('short-1')
    await ask('short-2')
    await ask('short-1')
    await ask('first-other-all')
    const idsOf = async (key: string): Promise<number[]> => {
      const entries = (
        await control('GET', `/requests?key=${encodeURIComponent(key)}`)
      ).json() as JournalEntry[]
      return entries.map(({ id }) => id)
    }
    expect(await idsOf('first-key-of-all')).toEqual([1])
    expect(await idsOf('first-other-all')).toEqual([6])
    expect(await idsOf('short-1')).toEqual([3, 5])
    expect(await idsOf('short-2')).toEqual([4])
    expect(await idsOf('short-3')).toEqual([])
    const labels = running.provider.journal.list().map(({ key }) => key)
    expect(labels).toEqual(['firs…ll', 'firs…ll (2)', '*******', '******* (2)', '*******', 'firs…ll (3)'])
    expect(await idsOf('firs…ll (2)')).toEqual([2])
  })

  test('includes refusals of the transport, invalid JSON, and each WebSocket', async () => {
    const path = '/v3/first-key-of-all'
    await request(running.port, path, { headers: { 'content-type': 'text/plain' }, body: '{}' })
    await request(running.port, path, { headers: { 'content-type': 'application/json' }, body: '{' })
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}/ws/v3/first-key-of-all`)
    await once(socket, 'open')
    socket.terminate()
    expect((await control('GET', '/requests')).json()).toMatchObject([
      { transport: 'http', status: 415 },
      { transport: 'http', status: 200, error: { code: -32700 } },
      { transport: 'upgrade', status: 101 },
    ])
  })

  test('truncates long names and messages', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(5000), params: [] })
    const headers = { 'content-type': 'application/json' }
    await request(running.port, '/v3/first-key-of-all', { headers, body })
    const { text } = await control('GET', '/requests')
    expect(JSON.parse(text)).toMatchObject([{ method: `${'x'.repeat(1024)}…` }])
    expect(text.length).toBeLessThan(2500)
  })

  test('is filtered, limited and cleared', async () => {
    for (const key of ['first-key-of-all', 'nobody', 'first-key-of-all']) await ask(key)
    const list = async (query: string) =>
      ((await control('GET', `/requests?${query}`)).json() as JournalEntry[]).map(({ id }) => id)
    expect(await list('key=first-key-of-all')).toEqual([1, 3])
    expect(await list('status=401')).toEqual([2])
    expect(await list('failed=false&limit=1')).toEqual([3])
    expect(await list('method=test_*&after=1')).toEqual([3])
    expect((await control('GET', '/requests?status=x')).status).toBe(400)
    expect((await control('GET', '/requests?format=ndjson')).text.trim().split('\n')).toHaveLength(3)
    await control('DELETE', '/requests')
    expect(await list('')).toEqual([])
  })

  test('can be followed live', async () => {
    await ask('nobody')
    const stop = new AbortController()
    const url = `http://127.0.0.1:${running.port}/_standin/requests?format=stream&method=test_*`
    const { body } = await fetch(url, { signal: stop.signal })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    await ask('first-key-of-all')
    let text = ''
    while (!text.includes('\n')) text += (await reader?.read())?.value ?? ''
    expect(JSON.parse(text)).toMatchObject({ id: 2, method: 'test_echo' })
    stop.abort()
  })

  test('disconnects a follower that does not read', async () => {
    await ask('first-key-of-all')
    const { journal } = running.provider
    const [entry] = journal.list({})
    const path = '/_standin/requests?format=stream'
    const [response] = (await once(get({ port: running.port, path }), 'response')) as [IncomingMessage]
    const params = ['x'.repeat(10_000)]
    for (let turn = 0; turn < 100; turn++) {
      for (let i = 0; i < 50; i++) journal.record({ ...(entry as JournalEntry), params })
      await new Promise((resolve) => setImmediate(resolve))
    }
    let received = 0
    for await (const piece of response) received += (piece as Buffer).length
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(40_000_000)
  })

  test('lets a test wait for a request', async () => {
    const { journal } = running.provider
    const waiting = journal.waitFor({ status: 401 })
    await ask('nobody')
    expect(await waiting).toMatchObject({ id: 1, status: 401 })
    await expect(journal.waitFor({ status: 999 }, AbortSignal.timeout(5))).rejects.toThrow()
  })
})

test('usage reports what the run would have cost', async () => {
  for (let i = 0; i < 3; i += 1) await ask('first-key-of-all')
  expect((await control('GET', '/usage')).json()).toMatchObject({
    requests: 3,
    failed: 0,
    credits: 240,
    byMethod: { test_echo: { calls: 3, credits: 240 } },
    byKey: { 'firs…ll': { requests: 3, credits: 240 } },
    plans: { free: { day: 240 / 3_000_000 } },
  })
})

test('method names and keys beyond a thousand are counted together', () => {
  const { usage, plans } = running.provider
  const entry = { time: 0, network: 'local', transport: 'http', milliseconds: 0, bytes: 0 } as const
  for (let i = 0; i < 3000; i++) {
    usage.add({ ...entry, method: `eth_${i}`, key: `key-${i}`, status: 200, credits: 160 })
  }
  const { byMethod, byKey, requests } = usage.report(plans)
  expect(requests).toBe(3000)
  expect(Object.keys(byMethod)).toHaveLength(1001)
  expect(byMethod['(others)']).toMatchObject({ calls: 2000, credits: 320_000 })
  expect(byKey['(others)']).toEqual({ requests: 2000, credits: 320_000 })
})

test('metrics are in the Prometheus text format', async () => {
  await ask('first-key-of-all')
  const { text } = await control('GET', '/metrics')
  expect(text).toContain('standin_requests_total{method="test_echo"} 1')
  expect(text).toMatch(/^# TYPE standin_requests_total counter$/m)
})

test('the quota clock is set, frozen and reset', async () => {
  const time = '2031-02-03T04:05:06.000Z'
  expect((await control('PUT', '/clocks/quota', { time, frozen: true })).json()).toEqual({
    time,
    frozen: true,
  })
  expect((await control('GET', '/clocks')).json()).toEqual({ quota: { time, frozen: true } })
  for (const wrong of ['noon', 8.65e15]) {
    expect((await control('PUT', '/clocks/quota', { time: wrong })).status).toBe(400)
  }
  expect((await control('DELETE', '/clocks/quota')).json()).toMatchObject({ frozen: false })
})

test('a request follows one that was refused for its length on the same connection', async () => {
  const socket = connect(running.port, '127.0.0.1')
  const answers: string[] = []
  socket.on('data', (bytes) => answers.push(bytes.toString()))
  const head = (method: string) => `${method} /_standin/clocks/quota HTTP/1.1\r\nhost: localhost\r\n`
  socket.write(`${head('PUT')}content-length: 8000000\r\n\r\n${' '.repeat(8e6)}`)
  await until(() => answers.length > 0)
  socket.write(`${head('DELETE')}\r\n`)
  await until(() => answers.join('').includes('200 OK'))
  socket.destroy()
  expect(answers.join('')).toContain('expected at most 2097152 bytes')
})

test('a body nested a thousand levels deep is refused', async () => {
  const nested = (levels: number) =>
    control('POST', '/faults', {
      match: { method: 'none' },
      action: {
        type: 'error',
        code: 1,
        message: '',
        data: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown,
      },
    })
  expect(await nested(50)).toMatchObject({ status: 201 })
  expect(await nested(1000)).toMatchObject({
    status: 400,
    text: '{"error":"the body: expected at most 100 levels"}',
  })
})

test('an outage is turned on and off', async () => {
  expect((await control('PUT', '/outages/local')).json()).toEqual(['local'])
  expect(await ask('first-key-of-all')).toMatchObject({ status: 503 })
  expect((await control('PUT', '/outages/none')).status).toBe(404)
  expect((await control('DELETE', '/outages/local')).json()).toEqual([])
  expect(await ask('first-key-of-all')).toMatchObject({ status: 200 })
})

test('the OpenAPI document has every path', async () => {
  const { text, json } = await control('GET', '/openapi.json')
  const { openapi, paths, components } = json() as {
    openapi: string
    paths: Record<string, unknown>
    components: { schemas: Record<string, unknown> }
  }
  expect(openapi).toBe('3.1.0')
  for (const path of [
    '/health',
    '/rpc',
    '/metrics',
    '/requests',
    '/usage',
    '/faults',
    '/faults/{id}',
    '/keys/{key}',
  ]) {
    expect(paths).toHaveProperty([path])
  }
  // The clients' types are generated from these.
  expect(components.schemas).toMatchObject(describeClientSchemas())
  for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
    expect(components.schemas).toHaveProperty([name!])
})

test('entries and faults have exactly the documented members', async () => {
  await control('POST', '/faults', { id: 'tired', action: { type: 'error', code: -32099, message: 'tired' } })
  await ask('first-key-of-all')
  await ask('unknown')
  await control('DELETE', '/faults')
  await control('POST', '/faults', { match: { method: 'eth_*', nth: [1] }, action: { type: 'outage' } })
  await ask('first-key-of-all')
  const body = '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},1]'
  await request(running.port, '/v3/first-key-of-all', {
    headers: { 'content-type': 'application/json' },
    body,
  })
  for (const query of ['', '?summary=true']) {
    const entries = (await control('GET', `/requests${query}`)).json() as unknown[]
    expect(entries.length).toBeGreaterThan(3)
    for (const entry of entries) expect(journalEntrySchema.strict().parse(entry)).toEqual(entry)
  }
  const [fault] = (await control('GET', '/faults')).json() as unknown[]
  expect(faultReportSchema.strict().parse(fault)).toEqual(fault)
})

test('a request that would exceed a thousand faults sets none of them', async () => {
  const faults = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `f${from + i}`, action: { type: 'lag', blocks: 1 } }))
  expect(await control('POST', '/faults', { faults: faults(0, 999) })).toMatchObject({ status: 201 })
  const refused = await control('POST', '/faults', { faults: faults(998, 3) })
  expect(refused).toMatchObject({ status: 400, text: '{"error":"faults: expected at most 1000"}' })
  expect((await control('GET', '/faults')).json()).toHaveLength(999)
  expect(await control('POST', '/faults', { faults: faults(998, 2) })).toMatchObject({ status: 201 })
})
