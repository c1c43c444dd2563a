import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type Server, createServer, request as requestHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type NodeOptions, type StandinNode, createNode } from '../../src/index.js'
import { startKubo } from './replaying.js'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  path = join(directory, 'run.ndjson')
})

const nodes: StandinNode[] = []
const servers: Server[] = []
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(directory, { recursive: true, force: true })
})

async function start(options: NodeOptions = {}): Promise<StandinNode> {
  const node = await createNode(options)
  nodes.push(node)
  return node
}

/** Starts a proxy to a node that keeps request bodies; `answers` replace the node's answers to some methods. */
async function startProxy(target: string, answers: Readonly<Record<string, string>> = {}) {
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const asked = JSON.parse(body) as { method?: string }
      bodies.push(asked)
      const answer = answers[asked.method ?? '']
      const headers = { 'content-type': 'application/json' }
      const passed = answer ?? (await (await fetch(target, { method: 'POST', body, headers })).text())
      response.writeHead(200, headers).end(passed)
    })
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  return { status: response.status, text: await response.text() }
}

const call = (id: number, method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id, method, params })

test('a batch is forwarded and refused as one', async () => {
  const provider = await start({ chainId: 777, mode: 'guarded', key: ['key-of-the-provider'] })
  const proxy = await startProxy(provider.url.replace(/[^/]+$/, 'key-of-the-provider'))
  const batch = [call(7, 'eth_chainId'), call(8, 'no_such_method'), call(9, 'eth_blockNumber')]
  const recording = await start({ record: path, upstream: proxy.url })
  recording.faults.set({
    match: { method: 'eth_mining' },
    action: { type: 'error', code: -32005, message: 'no' },
  })
  const recorded = await post(recording.url, batch)
  expect(JSON.parse(recorded.text)).toMatchObject([
    { id: 7, result: '0x309' },
    { id: 8, error: { code: -32601 } },
    { id: 9, result: '0x0' },
  ])
  // A call refused by this node does not affect the others.
  await post(recording.url, [call(1, 'eth_mining'), call(2, 'net_version')])
  expect(proxy.bodies).toEqual([
    [call(0, 'eth_chainId'), call(1, 'no_such_method'), call(2, 'eth_blockNumber')],
    [call(0, 'net_version')],
  ])
  await recording.stop()
  const replaying = await start({ replay: path })
  expect(await post(replaying.url, batch)).toEqual(recorded)
  expect(await post(replaying.url, batch.toReversed())).toEqual({
    status: 200,
    text: JSON.stringify((JSON.parse(recorded.text) as unknown[]).toReversed()),
  })
})

test('a batch refused as a whole by the provider is refused as a whole on replay', async () => {
  const provider = await start({ mode: 'guarded', key: ['key-of-the-provider'] })
  const batch = [call(7, 'eth_chainId'), call(9, 'eth_blockNumber')]
  const direct = await post(provider.url.replace(/[^/]+$/, 'another-key'), batch)
  expect(direct.status).toBe(401)
  const recording = await start({ record: path, upstream: provider.url.replace(/[^/]+$/, 'another-key') })
  expect(await post(recording.url, batch)).toEqual(direct)
  await recording.stop()
  expect(await post((await start({ replay: path })).url, batch)).toEqual(direct)
})

test('numbers beyond the precision of doubles keep their digits', async () => {
  const digits =
    '{"z":12345678901234567890,"a":[1.10,-0,1e400,0.1234567890123456789],"text":"9007199254740993 , 1"}'
  const provider = await start()
  const spaced = `{"jsonrpc": "2.0", "id": 1,\n "result": ${digits.replaceAll(',"', ' ,\n "')} }`
  const proxy = await startProxy(provider.url, { eth_getBlockByHash: spaced.replace('"id": 1', '"id": 0') })
  const recording = await start({ record: path, upstream: proxy.url })
  const answer = { status: 200, text: `{"jsonrpc":"2.0","id":5,"result":${digits}}` }
  expect(await post(recording.url, call(5, 'eth_getBlockByHash', ['0x1', false]))).toEqual(answer)
  await recording.stop()
  expect(readFileSync(path, 'utf8')).toContain(`"result":${digits}`)
  const replaying = await start({ replay: path })
  expect(await post(replaying.url, call(5, 'eth_getBlockByHash', ['0x1', false]))).toEqual(answer)
})

test('errors are replayed as the provider wrote them', async () => {
  const long = `{"code":3,"message":"execution reverted","data":"0x${'ab'.repeat(100_000)}"}`
  const exact = '{"message":"<no> & é","code":3,"data":{"n":9007199254740993,"f":[1.0,1e3]},"more":-0}'
  // An error that is not a JSON-RPC error object becomes the data of an internal error.
  const errors = [
    ['eth_call', exact, exact],
    ['eth_getCode', long, long],
    ['eth_getProof', '"no"', '{"code":-32603,"message":"no","data":"no"}'],
    ['eth_getLogs', '{"message":"no"}', '{"code":-32603,"message":"no","data":{"message":"no"}}'],
  ] as const
  const answers = errors.map(([method, error]) => [method, `{"jsonrpc":"2.0","id":0,"error":${error}}`])
  const proxy = await startProxy('http://127.0.0.1:9', Object.fromEntries(answers) as Record<string, string>)
  const expectErrors = async ({ url }: StandinNode): Promise<void> => {
    for (const [method, , answered] of errors) {
      const text = `{"jsonrpc":"2.0","id":5,"error":${answered}}`
      expect(await post(url, call(5, method))).toEqual({ status: 200, text })
    }
  }
  const recording = await start({ record: path, upstream: proxy.url })
  await expectErrors(recording)
  await recording.stop()
  const replaying = await start({ replay: path, compat: 'hardhat' })
  await expectErrors(replaying)
  const inBatch = { status: 200, text: `[{"jsonrpc":"2.0","id":5,"error":${exact}}]` }
  expect(await post(replaying.url, [call(5, 'eth_call')])).toEqual(inBatch)
})

test('a replayed refusal keeps its Retry-After', async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(429, {
      'retry-after': '7',
      'x-ratelimit-remaining': '0',
      'set-cookie': 'a=b',
      etag: 'c',
    })
    response.end('too many\n')
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async ({ url }: StandinNode) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(call(1, 'eth_chainId')), headers })
    const names = ['retry-after', 'x-ratelimit-remaining', 'set-cookie', 'etag']
    return [answer.status, await answer.text(), ...names.map((name) => answer.headers.get(name))]
  }
  const expected = [429, 'too many\n', '7', '0', null, null]
  const recording = await start({ record: path, upstream })
  expect(await ask(recording)).toEqual(expected)
  await recording.stop()
  expect(await ask(await start({ replay: path }))).toEqual(expected)
})

test('recorded delays are kept, scaled or dropped', async () => {
  const provider = await start()
  const recording = await start({ record: path, upstream: provider.url })
  await post(recording.url, call(1, 'eth_chainId'))
  await post(recording.url, call(1, 'eth_chainId'))
  await recording.stop()
  const delays = readFileSync(`${path}.delays`, 'utf8').trim().split('\n')
  expect(delays).toHaveLength(2)
  // Pretends that the provider took an hour for the second answer.
  const hour = delays.map((line, index) => line.replace(/"ms":\d+/, `"ms":${index === 0 ? 0 : 3_600_000}`))
  writeFileSync(`${path}.delays`, `${hour.join('\n')}\n`)
  const ask = async (replayDelay: number): Promise<'answered' | 'waits'> => {
    const { url } = await start({ replay: path, replayDelay })
    await post(url, call(1, 'eth_chainId'))
    const second = post(url, call(1, 'eth_chainId')).then(
      () => 'answered' as const,
      () => 'waits' as const,
    )
    return Promise.race([second, new Promise<'waits'>((done) => setTimeout(done, 300, 'waits'))])
  }
  expect(await ask(0)).toBe('answered')
  expect(await ask(1e-9)).toBe('answered')
  expect(await ask(1)).toBe('waits')
})

/** Connects, subscribes, sends calls and collects messages until the connection ends. */
async function listen(url: string): Promise<{ messages: unknown[]; close: [code: number, reason: string] }> {
  const socket = new WebSocket(url)
  const messages: unknown[] = []
  socket.on('error', () => undefined)
  const steps = [
    call(1, 'eth_subscribe', ['newHeads']),
    call(2, 'evm_mine'),
    call(3, 'eth_chainId'),
    call(4, 'net_version'),
  ]
  socket.on('open', () => socket.send(JSON.stringify(steps.shift())))
  socket.on('message', (data: Buffer) => {
    const { id, params, result } = JSON.parse(data.toString()) as {
      id?: number
      params?: { result: { number: string } }
      result?: unknown
    }
    messages.push(id === 1 ? 'subscribed' : (params?.result.number ?? result))
    if (id !== undefined && steps.length > 0) socket.send(JSON.stringify(steps.shift()))
  })
  const [code, reason] = await new Promise<[number, string]>((done) =>
    socket.on('close', (status, why) => done([status, why.toString()])),
  )
  return { messages: messages.sort(), close: [code, reason] }
}

test.each([
  [{ frame: true, code: 1012, reason: 'restart' }, [1012, 'restart']],
  [{ frame: true, code: 4321, reason: '' }, [4321, '']],
  [{ frame: false }, [1006, '']],
])(
  'a WebSocket that the provider ends with %j ends alike while recording and on replay',
  async (how, close) => {
    const provider = await start({ chainId: 5 })
    // By then the subscription and two answers were received, and one call is in flight.
    provider.faults.set({
      match: { method: 'net_version' },
      action: { type: 'close-websocket', ...how },
    } as never)
    const direct = await listen(provider.wsUrl)
    expect(direct.close).toEqual(close)
    expect(direct.messages).toEqual(expect.arrayContaining(['0x5', 'subscribed']))
    await provider.request('anvil_reset')
    const upstream = { upstream: provider.url, upstreamWs: provider.wsUrl }
    const recording = await start({ record: path, ...upstream })
    expect(await listen(recording.wsUrl)).toEqual(direct)
    await recording.stop()
    await provider.stop()
    const replaying = await start({ replay: path })
    expect(await listen(replaying.wsUrl)).toEqual(direct)
  },
)

/** Adds a file of two blocks, removes the second and reads it: the answer ends early, with an error in its trailer. */
async function readCutFile(ipfsUrl: string) {
  const api = `${ipfsUrl.replace(/\/api\/v0$/, '')}/api/v0`
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(262_144).fill(1), new Uint8Array(1000).fill(2)]))
  const added = (await (
    await fetch(`${api}/add?pin=false&raw-leaves=true`, { method: 'POST', body: form })
  ).json()) as {
    Hash: string
  }
  const { Links } = (await (await fetch(`${api}/dag/get?arg=${added.Hash}`, { method: 'POST' })).json()) as {
    Links: { Hash: { '/': string } }[]
  }
  await fetch(`${api}/block/rm?arg=${Links[1]!.Hash['/']}`, { method: 'POST' })
  return new Promise<{ bytes: number; trailers: unknown }>((done, fail) => {
    const request = requestHttp(
      `${api}/cat?arg=${added.Hash}&offline=true`,
      { method: 'POST' },
      (response) => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => (bytes += chunk.length))
        response.on('end', () => done({ bytes, trailers: response.trailers }))
        response.on('error', fail)
      },
    )
    request.on('error', fail)
    request.end()
  })
}

test.for(['a second node', 'Kubo'])(
  'trailers of streams are replayed, recorded from %s',
  async (name, { skip }) => {
    const kubo = name === 'Kubo' ? await startKubo() : undefined
    if (name === 'Kubo' && kubo === undefined) skip('ipfs is not installed')
    const provider = kubo ?? (await start())
    try {
      const direct = await readCutFile(provider.ipfsUrl)
      expect(direct.trailers).toHaveProperty('x-stream-error')
      const upstreamIpfs = provider.ipfsUrl.replace(/\/api\/v0$/, '')
      const recording = await start({ record: path, upstream: 'http://127.0.0.1:9', upstreamIpfs })
      expect(await readCutFile(recording.ipfsUrl)).toEqual(direct)
      await recording.stop()
      expect(await readCutFile((await start({ replay: path })).ipfsUrl)).toEqual(direct)
    } finally {
      await kubo?.stop()
    }
  },
)
