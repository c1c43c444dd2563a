import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type RunningNode, startNode } from '../../src/node.js'
import { type NodeOptions, parseNodeOptions } from '../../src/options.js'
import { type FaultInput, faultSchema } from '../../src/provider/faults/faultSchema.js'

const running: RunningNode[] = []
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'standin-provider-'))
})
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function start(options: NodeOptions = {}): Promise<RunningNode> {
  const node = await startNode(parseNodeOptions({ port: 0, ipfsPort: 0, ...options }))
  running.push(node)
  return node
}

async function write(name: string, content: unknown): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, JSON.stringify(content))
  return path
}

interface Answer {
  status: number
  headers: Headers
  result?: never
  error?: { code: number; message: string }
}

async function ask(
  url: string,
  method: string,
  params: unknown[] = [],
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const body = text.startsWith('{') ? (JSON.parse(text) as object) : { text }
  return { status: response.status, headers: response.headers, ...body } as Answer & { text?: string }
}

const set = (node: RunningNode, fault: FaultInput) => node.provider.faults.set([faultSchema.parse(fault)])

/** Returns init code that emits `count` logs without topics or data. */
const emitLogs = (count: number) => `0x${'5f5fa0'.repeat(count)}`

async function createLogs(node: RunningNode, count: number): Promise<void> {
  const [account] = node.network.accounts
  await node.network.pipeline.request('eth_sendTransaction', [
    { from: account?.address, data: emitLogs(count), gas: '0xf4240' },
  ])
}

describe('networks', () => {
  test('have separate chains at separate paths, and share keys', async () => {
    const node = await start({ network: ['sepolia', 'mine:777'] })
    const sepolia = node.furtherNetworks.get('sepolia')?.url ?? ''
    expect(sepolia).toMatch(/\/sepolia\/v3\/local$/)
    expect((await ask(sepolia, 'eth_chainId')).result).toBe('0xaa36a7')
    expect((await ask(node.furtherNetworks.get('mine')?.url ?? '', 'net_version')).result).toBe('777')
    expect((await ask(node.urls.url, 'eth_chainId')).result).toBe('0x7a69')
    await ask(sepolia, 'evm_mine')
    expect((await ask(sepolia, 'eth_blockNumber')).result).toBe('0x1')
    expect((await ask(node.urls.url, 'eth_blockNumber')).result).toBe('0x0')
    const socket = new WebSocket(node.furtherNetworks.get('sepolia')?.wsUrl ?? '')
    socket.once('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'))
    const [data] = (await once(socket, 'message')) as [Buffer]
    expect(data.toString()).toContain('0xaa36a7')
    socket.terminate()
  })

  test.each([
    [['atlantis'], '--network: the chain id of atlantis is unknown; write atlantis:CHAIN_ID'],
    [['sepolia', 'sepolia:5'], '--network: sepolia is given twice'],
    [['v3:5'], '--network: the name v3 is taken'],
  ])('%j is refused at start', async (network, message) => {
    await expect(start({ network })).rejects.toThrow(message)
  })
})

describe('configuration', () => {
  test('a keys file sets keys, plans and limits', async () => {
    const keys = await write('keys.json', {
      keys: [
        { key: 'small', plan: 'tiny' },
        { key: 'own', limits: { logsMaxResults: 5, maxBatch: 1, maxBody: 80 } },
        { key: 'plain' },
      ],
      plans: { tiny: { creditsPerDay: 1_000_000, creditsPerSecond: 100_000, limits: { logsMaxResults: 3 } } },
    })
    const node = await start({ keys })
    expect(node.mode).toBe('guarded')
    await createLogs(node, 4)
    const url = (key: string) => node.urls.url.replace(/[^/]+$/, key)
    const logs = (key: string) => ask(url(key), 'eth_getLogs', [{ fromBlock: 'earliest' }])
    expect((await logs('small')).error).toEqual({
      code: -32005,
      message: 'query returned more than 3 results',
    })
    expect((await logs('plain')).result).toHaveLength(4)
    const long = await ask(url('own'), 'eth_getLogs', [{ fromBlock: 'earliest' }])
    expect(long).toMatchObject({ status: 413 })
    const batch = await fetch(url('own'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '[{"jsonrpc":"2.0","id":1},{"jsonrpc":"2.0"}]',
    })
    expect(await batch.text()).toContain('batch too large')
  })

  test('the calls of a batch that follow maxResponse bytes of answers are refused as by geth', async () => {
    const node = await start({ maxResponse: 600 })
    const item = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] }
    const response = await fetch(node.urls.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([item, item, item]),
    })
    // A block has more than 600 bytes: its bloom filter alone has 512 digits.
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: expect.objectContaining({ number: '0x0' }) as unknown },
      { jsonrpc: '2.0', id: 1, error: { code: -32003, message: 'response too large' } },
      { jsonrpc: '2.0', id: 1, error: { code: -32003, message: 'response too large' } },
    ])
  })

  test('the gas of a call is capped by the node or the key', async () => {
    // GAS PUSH0 MSTORE PUSH1 32 PUSH0 RETURN: returns the gas left after the first opcode.
    const gasLeft = '0x5a5f5260205ff3'
    const keys = { keys: [{ key: 'plain' }, { key: 'narrow', limits: { gasCapBlocks: 1 } }] }
    const node = await start({ keys, gasCapBlocks: 2 })
    const gasOf = async (key: string) => {
      const answer = await ask(node.urls.url.replace(/[^/]+$/, key), 'eth_call', [
        { data: gasLeft, gas: '0xffffffffff' },
      ])
      return Number(BigInt(answer.result ?? '0x0'))
    }
    expect(await gasOf('plain')).toBeGreaterThan(59_900_000)
    expect(await gasOf('plain')).toBeLessThan(60_000_000)
    expect(await gasOf('narrow')).toBeGreaterThan(29_900_000)
    expect(await gasOf('narrow')).toBeLessThan(30_000_000)
    const traced = await ask(node.urls.url.replace(/[^/]+$/, 'narrow'), 'debug_traceCall', [
      { data: gasLeft, gas: '0xffffffffff' },
      'latest',
      { tracer: 'callTracer' },
    ])
    expect(traced.result).toMatchObject({ gas: '0x1c9c380' })
  })

  test.each([
    [{ keys: [{ key: 'a', plan: 'gold' }] }, /keys\.json, keys\[0\]\.plan: expected one of free/],
    [{ keys: [{ key: 'a' }, { key: 'a' }] }, /keys\[1\]\.key: the same as that of keys\[0\]$/],
    [{ keys: [{ key: 'a', allowlists: { methods: 'eth_call' } }] }, /keys\[0\]\.allowlists\.methods: /],
    [
      { keys: [{ key: 'a', allowlists: { methods: Array(31).fill('eth_call') } }] },
      /keys\[0\]\.allowlists\.methods: /,
    ],
    [[], /keys\.json: /],
  ])('the keys file %j is refused', async (content, message) => {
    await expect(start({ keys: await write('keys.json', content) })).rejects.toThrow(message)
  })

  test('unknown faults and scenarios are refused', async () => {
    const faults = await write('faults.json', {
      faults: [{ action: { type: 'hang' } }, { action: { type: 'boom' } }],
    })
    await expect(start({ faults })).rejects.toThrow(
      /faults\.json, faults\[1\]\.action\.type: expected one of status/,
    )
    await expect(start({ scenario: ['none'] })).rejects.toThrow('there is no scenario none')
    await expect(start({ keys: join(directory, 'missing.json') })).rejects.toThrow('--keys: ')
  })

  test('a program passes keys and faults as objects', async () => {
    const node = await start({
      keys: { keys: [{ key: 'inline', secret: 'hush' }] },
      faults: { faults: [{ match: { nth: 1 }, action: { type: 'status', status: 500 } }] },
    })
    expect(node.urls.url).toMatch(/\/v3\/inline$/)
    expect((await ask(node.urls.url, 'eth_chainId')).status).toBe(500)
    expect((await ask(node.urls.url, 'eth_chainId')).result).toBe('0x7a69')
    await expect(start({ keys: { keys: [{ key: 'inline', plan: 'gold' }] } })).rejects.toThrow(
      'keys, keys[0].plan: ',
    )
  })

  test('a scenario applies from the first request', async () => {
    const node = await start({ scenario: ['rate-limited'] })
    const statuses: number[] = []
    for (let i = 0; i < 6; i += 1) statuses.push((await ask(node.urls.url, 'eth_chainId')).status)
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
  })
})

describe('backend faults', () => {
  test('a lagging backend shows an older chain', async () => {
    const node = await start()
    const { pipeline, accounts } = node.network
    const [account] = accounts
    for (let i = 0; i < 3; i += 1) await pipeline.request('evm_mine')
    const hash = await pipeline.request('eth_sendTransaction', [
      { from: account?.address, to: account?.address, value: '0x1' },
    ])
    const { url } = node.urls
    expect((await ask(url, 'eth_blockNumber')).result).toBe('0x4')
    set(node, { action: { type: 'lag', blocks: 2 } })
    expect((await ask(url, 'eth_blockNumber')).result).toBe('0x2')
    expect((await ask(url, 'eth_getTransactionReceipt', [hash])).result).toBeNull()
    expect((await ask(url, 'eth_getBlockByNumber', ['0x3', false])).result).toBeNull()
    expect((await ask(url, 'eth_getBlockByNumber', ['latest', false])).result).toMatchObject({
      number: '0x2',
    })
    expect((await ask(url, 'eth_getBalance', [account?.address, '0x4'])).error).toEqual({
      code: -32000,
      message: 'header not found',
    })
    expect((await ask(url, 'eth_getTransactionCount', [account?.address, 'latest'])).result).toBe('0x0')
    for (const range of [{ fromBlock: '0x0' }, { fromBlock: '0x4', toBlock: '0x4' }]) {
      expect((await ask(url, 'trace_filter', [range])).result).toEqual([])
    }
    node.provider.faults.clear()
    expect((await ask(url, 'eth_getTransactionCount', [account?.address, 'latest'])).result).toBe('0x1')
    expect((await ask(url, 'trace_filter', [{ fromBlock: '0x4' }])).result).toMatchObject([
      { transactionHash: hash },
    ])
  })

  test('a backend without history lacks old states', async () => {
    const node = await start()
    for (let i = 0; i < 3; i += 1) await node.network.pipeline.request('evm_mine')
    const { url } = node.urls
    const balance = (block: string) => ask(url, 'eth_getBalance', [node.network.accounts[0]?.address, block])
    set(node, { action: { type: 'missing-history', blocks: 1 } })
    expect((await balance('0x1')).error?.message).toBe(
      'no nodes available for requested block height after filtering 6 available nodes',
    )
    expect((await balance('0x2')).result).toBeDefined()
    expect((await balance('latest')).result).toBeDefined()
  })
})

describe('failover', () => {
  const plans = ['growth', 'custom', 'team', 'developer', 'free']
  const keysOfPlans = () => write('plans.json', { keys: plans.map((plan) => ({ key: plan, plan })) })
  const estimate = [{ to: `0x${'11'.repeat(20)}`, data: '0x' }]
  const asked = { 'enable-failover': 'true' }

  test('estimates and proofs go to the partner on request, on growth and custom plans', async () => {
    const partner = await start({ chainId: 99 })
    await partner.network.pipeline.request('evm_mine')
    const node = await start({ keys: await keysOfPlans(), failoverUrl: partner.urls.url })
    const url = (key: string) => node.urls.url.replace(/[^/]+$/, key)
    node.provider.outages.add('local')
    for (const plan of plans) {
      const isForwarded = plan === 'growth' || plan === 'custom'
      const answer = await ask(url(plan), 'eth_estimateGas', estimate, asked)
      expect(answer.status).toBe(isForwarded ? 200 : 503)
      if (isForwarded) {
        expect(answer.result).toBe('0x5208')
        expect(answer.headers.get('x-standin-answered-by')).toBe('partner')
      } else expect(answer.text).toBe('service unavailable\n')
    }
    const proof = await ask(url('growth'), 'eth_getProof', [`0x${'11'.repeat(20)}`, [], '0x1'], asked)
    expect(proof.result).toMatchObject({ balance: '0x0' })
    expect(await ask(url('growth'), 'eth_chainId', [], asked)).toMatchObject({ status: 503 })
    expect(await ask(url('growth'), 'eth_estimateGas', estimate)).toMatchObject({ status: 503 })
    expect(node.provider.journal.list({ method: 'eth_getProof' })).toMatchObject([{ answeredBy: 'partner' }])
    node.provider.outages.delete('local')
    const after = await ask(url('growth'), 'eth_estimateGas', estimate, asked)
    expect(after.headers.get('x-standin-answered-by')).toBe('primary')
  })

  test('the node is its own partner by default', async () => {
    const node = await start({ keys: await keysOfPlans(), scenario: ['outage-with-failover'] })
    const url = node.urls.url.replace(/[^/]+$/, 'custom')
    expect((await ask(url, 'eth_estimateGas', estimate, asked)).result).toBe('0x5208')
    expect((await ask(url, 'eth_blockNumber', [], asked)).status).toBe(503)
  })

  test('an error of the partner is passed on', async () => {
    const partner = await start()
    const node = await start({ keys: await keysOfPlans(), failoverUrl: partner.urls.url })
    node.provider.outages.add('local')
    const url = node.urls.url.replace(/[^/]+$/, 'growth')
    expect((await ask(url, 'eth_estimateGas', ['0x'], asked)).error?.code).toBe(-32602)
  })
})

describe('subscriptions', () => {
  test("cost credits for each block, and end when the day's credits are used up", async () => {
    const keys = await write('daily.json', {
      keys: [{ key: 'daily', plan: 'daily' }],
      plans: { daily: { creditsPerDay: 400, creditsPerSecond: 100_000 } },
    })
    const node = await start({ keys })
    const [key] = node.provider.keys.list()
    const spent = () => (key === undefined ? 0 : node.provider.quotas.meter(key).today)
    const socket = new WebSocket(node.urls.wsUrl)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    for (const kind of ['["newHeads"]', '["logs",{}]']) {
      socket.send(`{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":${kind}}`)
      await once(socket, 'message')
    }
    expect(spent()).toBe(10)
    await node.network.pipeline.request('evm_mine')
    expect(spent()).toBe(10 + 50 + 300)
    await node.network.pipeline.request('evm_mine')
    expect(spent()).toBe(10 + 350 + 350)
    const [code, reason] = (await closed) as [number, Buffer]
    expect([code, reason.toString()]).toEqual([1008, 'daily credit limit reached'])
    expect((await ask(node.urls.url, 'eth_chainId')).status).toBe(402)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    const control = `${node.urls.controlUrl}/rpc`
    expect((await ask(control, 'standin_setQuotaTime', [tomorrow])).result).toBe(
      Math.floor(Date.parse(tomorrow) / 1000),
    )
    expect((await ask(node.urls.url, 'eth_chainId')).status).toBe(200)
  })

  test('dropped events are not pushed', async () => {
    const node = await start()
    const socket = new WebSocket(node.urls.wsUrl)
    await once(socket, 'open')
    set(node, { match: { method: 'eth_subscribe' }, action: { type: 'drop-events' } })
    const messages: string[] = []
    socket.on('message', (data: Buffer) => messages.push(data.toString()))
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await once(socket, 'message')
    await node.network.pipeline.request('evm_mine')
    socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_blockNumber"}')
    await once(socket, 'message')
    expect(messages.map((message) => (JSON.parse(message) as { id?: number }).id)).toEqual([1, 2])
    socket.terminate()
  })
})

describe('web pages', () => {
  test('of a foreign origin cannot drive the chain, on any path and transport', async () => {
    const node = await start({ allowOrigin: ['https://own.example'] })
    const { url } = node.urls
    expect((await ask(url, 'evm_mine', [], { origin: 'https://app.example' })).error).toMatchObject({
      code: -32002,
    })
    expect((await ask(url, 'eth_blockNumber', [], { origin: 'https://app.example' })).result).toBe('0x0')
    expect((await ask(url, 'evm_mine', [], { origin: 'https://own.example' })).error).toBeUndefined()
    expect((await ask(url, 'evm_mine', [], { origin: 'http://localhost:3000' })).error).toBeUndefined()
    const socket = new WebSocket(node.urls.wsUrl, { origin: 'https://app.example' })
    await once(socket, 'open')
    socket.send('{"jsonrpc":"2.0","id":1,"method":"evm_mine"}')
    expect(String(((await once(socket, 'message')) as [Buffer])[0])).toContain('-32002')
    socket.terminate()
  })
})

describe('strict mode', () => {
  test("has only the provider's methods, except on the path of the controls", async () => {
    const node = await start({ mode: 'strict', key: ['key:secret'] })
    expect((await ask(node.urls.url, 'evm_mine')).error).toEqual({
      code: -32601,
      message: 'The method evm_mine does not exist/is not available',
    })
    expect((await ask(node.urls.url, 'web3_sha3', ['0x'])).error?.code).toBe(-32601)
    expect((await ask(node.urls.url, 'eth_chainId')).result).toBe('0x7a69')
    expect((await ask(`${node.urls.controlUrl}/rpc`, 'evm_mine')).error).toBeUndefined()
  })
})
