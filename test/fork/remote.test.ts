import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { runCommand, buildCommand } from '../support/command.js'
import { ownRemote, type Remote } from './remotes.js'

let remote: Remote
let folder: string
let proxy: Server
/** Secret that must not appear in any output. */
const secret = 'v3/0123456789abcdef0123456789abcdef'
let url: string
/** Methods of each request that passed through the proxy, in order. */
let seen: string[][]
let headers: IncomingHttpHeaders[]
/** Answers a request in place of the remote; undefined passes it on. */
let treat: (messages: { id: number; method: string }[]) => { status: number; body?: string } | undefined
const nodes: StandinNode[] = []

beforeAll(async () => {
  remote = await ownRemote()
  await buildCommand()
})

afterAll(() => remote.stop())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-fork-'))
  seen = []
  headers = []
  treat = () => undefined
  proxy = createServer((request, response) => {
    const pass = async (): Promise<unknown> => {
      headers.push(request.headers)
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const parsed = JSON.parse(body) as { id: number; method: string } | { id: number; method: string }[]
      const messages = Array.isArray(parsed) ? parsed : [parsed]
      seen.push(messages.map(({ method }) => method))
      const treated = treat(messages)
      if (treated !== undefined) return response.writeHead(treated.status).end(treated.body)
      const answer = await fetch(remote.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      return response.end(await answer.text())
    }
    // A node may still send requests when its test has ended and the remote is gone.
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/${secret}`
})

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
  proxy.closeAllConnections()
  proxy.close()
  await rm(folder, { recursive: true, force: true })
})

async function fork(options: Record<string, unknown> = {}): Promise<StandinNode> {
  const node = await createNode({ port: 0, forkUrl: url, ...options })
  nodes.push(node)
  return node
}

const slotOf = (node: StandinNode, slot: string) =>
  node.request('eth_getStorageAt', [remote.counter, slot, 'latest'])

test('remote data is fetched once, in batches, and cached for later runs', async () => {
  const node = await fork({ forkCache: folder })
  const all = seen.flat()
  expect(all.filter((method) => method === 'eth_getBalance')).toHaveLength(10)
  // The ten funded accounts in one request.
  expect(seen.some((batch) => batch.length === 30)).toBe(true)
  await Promise.all([slotOf(node, '0x2'), slotOf(node, '0x2')])
  await slotOf(node, '0x2')
  const asked = seen.flat().filter((method) => method === 'eth_getStorageAt')
  expect(asked).toHaveLength(1)
  await node.stop()
  const [chain = ''] = await readdir(folder)
  const [file = ''] = await readdir(join(folder, chain))
  expect(chain).toBe('77')
  expect(file).toMatch(new RegExp(`^${remote.head}-[0-9a-f]{16}\\.ndjson$`))
  const text = await readFile(join(folder, chain, file), 'utf8')
  expect(text).toContain('["slot"')
  expect(text).not.toContain(secret)
  seen = []
  const again = await fork({ forkCache: folder })
  expect(await slotOf(again, '0x2')).toMatch(/29$/)
  expect(new Set(seen.flat())).toEqual(new Set(['eth_chainId', 'eth_getBlockByNumber']))
})

test('a fork with an unwritable cache runs without one, with a warning', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const warnings: Error[] = []
  const collect = (warning: Error): void => void warnings.push(warning)
  process.on('warning', collect)
  onTestFinished(() => void process.off('warning', collect))
  const node = await fork({ forkCache: join(file, 'cache') })
  expect(await slotOf(node, '0x2')).toMatch(/29$/)
  const shown = warnings.filter(({ name }) => name === 'StandinWarning')
  expect(shown.map(({ message }) => message)).toEqual([expect.stringContaining(join(file, 'cache'))])
})

test('blocks, receipts and logs up to the fork are fetched once, and unknown ones again', async () => {
  const node = await fork()
  const number = `0x${remote.firstBlock.toString(16)}`
  const askAll = async () => [
    await node.request('eth_getBlockByNumber', [number, true]),
    await node.request('eth_getBlockReceipts', [number]),
    await node.request('eth_getLogs', [{ fromBlock: '0x0', toBlock: number }]),
    await node.request('eth_feeHistory', ['0x1', number, []]),
  ]
  const first = await askAll()
  seen = []
  expect(await askAll()).toEqual(first)
  expect(seen).toEqual([])
  for (let time = 0; time < 2; time++) {
    expect(await node.request('eth_getTransactionByHash', [`0x${'5'.repeat(64)}`])).toBeNull()
  }
  expect(seen.flat()).toEqual(['eth_getTransactionByHash', 'eth_getTransactionByHash'])
})

test('failed and rate-limited requests are retried', async () => {
  let failures = 0
  treat = (messages) => {
    failures++
    if (failures === 1) return { status: 503, body: 'busy' }
    if (failures === 2) return { status: 429, body: '' }
    if (failures === 3) {
      const error = { code: -32005, message: 'too many requests' }
      return { status: 200, body: JSON.stringify(messages.map(({ id }) => ({ jsonrpc: '2.0', id, error }))) }
    }
    return undefined
  }
  const node = await fork()
  expect(await slotOf(node, '0x2')).toMatch(/29$/)
})

test('a call aborted by the remote leaves no transient storage to the next one', async () => {
  const node = await fork()
  // With input: TSTORE(0, 7), then SLOAD of the slot in the input. Without: returns TLOAD(0).
  await node.request('anvil_setCode', [remote.counter, '0x36600c575f5c5f5260205ff35b60075f5d5f3554'])
  const call = (data: string) => node.request('eth_call', [{ to: remote.counter, data }, 'latest'])
  expect(await call('0x')).toBe(`0x${'0'.repeat(64)}`)
  const error = { code: -32000, message: 'pruned' }
  treat = (messages) => ({
    status: 200,
    body: JSON.stringify(messages.map(({ id }) => ({ jsonrpc: '2.0', id, error }))),
  })
  await expect(call(`0x${'5'.repeat(64)}`)).rejects.toThrow('pruned')
  expect(await call('0x')).toBe(`0x${'0'.repeat(64)}`)
})

test.each([
  ['eth_getBalance', `"0x${'1'.repeat(65)}"`],
  ['eth_getTransactionCount', '{}'],
  ['eth_getCode', '"0xgg"'],
])('an answer to %s that is no value of its kind is refused by name', async (wanted, result) => {
  const node = await fork()
  treat = (messages) => {
    const answers = messages.map(
      ({ id, method }) => `{"jsonrpc":"2.0","id":${id},"result":${method === wanted ? result : '"0x1"'}}`,
    )
    return { status: 200, body: `[${answers.join(',')}]` }
  }
  const failing = node.request('eth_getBalance', [`0x${'7'.repeat(40)}`, 'latest'])
  await expect(failing).rejects.toThrow(`does not answer ${wanted} with at most`)
})

test('a remote without batch support receives single requests', async () => {
  treat = (messages) =>
    messages.length > 1
      ? { status: 200, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}' }
      : undefined
  const node = await fork()
  expect(await slotOf(node, '0x2')).toMatch(/29$/)
})

test('a remote that answers more often than it is asked is refused', async () => {
  const node = await fork({ forkRetries: 0 })
  treat = (messages) => ({
    status: 200,
    body: JSON.stringify(messages.flatMap(({ id }) => [{ id }, { id }])),
  })
  await expect(node.request('eth_call', [{ to: remote.counter }, 'latest'])).rejects.toThrow(
    /answers (\d+) calls \d+ times/,
  )
})

test('a megabyte of white space around an answer is skipped', async () => {
  const node = await fork({ forkRetries: 0 })
  const space = ' '.repeat(1_000_000)
  treat = (messages) => {
    const answers = messages.map(({ id }) => `{"jsonrpc":"2.0",${space}"id":${id},"result":"0x5"}`)
    return { status: 200, body: `${space}[${answers.join(',')}]` }
  }
  expect(await node.request('eth_getBalance', [`0x${'5'.repeat(40)}`, 'latest'])).toBe('0x5')
})

test('an answer with a string of more than 32 MB is refused, and others follow', async () => {
  const node = await fork({ forkRetries: 0 })
  const code = (characters: number) => `"0x${'00'.repeat(characters / 2 - 1)}"`
  const trace = async (characters: number) => {
    treat = ([message]) => ({ status: 200, body: `{"id":${message!.id},"result":${code(characters)}}` })
    return node.request('trace_block', ['0x1'])
  }
  await expect(trace(2 ** 25 + 2)).rejects.toThrow(
    / answers with too much: A string has more than 33554432 characters$/,
  )
  expect(await trace(2 ** 25)).toHaveLength(2 ** 25)
})

test('a call that needs a lost remote fails with its host but not its key', async () => {
  const node = await fork({ forkRetries: 0 })
  treat = () => ({ status: 500 })
  const failing = node.request('eth_call', [{ to: remote.counter }, 'latest'])
  await expect(failing).rejects.toThrow(
    /the forked chain could not be read: http:\/\/127\.0\.0\.1:\d+\/… does not/,
  )
  treat = () => undefined
  expect(await node.request('eth_call', [{ to: remote.counter }, 'latest'])).toBe('0x')
})

test('the command shows the remote without its key, and reports a faulty one', async () => {
  const args = ['--port', '0', '--ipfs-port', '0', '--fork-retries', '0']
  treat = () => ({ status: 401, body: 'invalid project id' })
  const refused = runCommand([...args, '--fork-url', url])
  expect(await refused.ended).toBe(2)
  expect(refused.stderr()).toMatch(
    /^standin: http:\/\/127\.0\.0\.1:\d+\/… refuses: HTTP 401 invalid project id/,
  )
  expect(refused.stdout() + refused.stderr()).not.toContain(secret)
  treat = () => ({ status: 403, body: `Cannot POST /${secret}` })
  const echoed = runCommand([...args, '--fork-url', url])
  expect(await echoed.ended).toBe(2)
  expect(echoed.stderr()).toContain('refuses: HTTP 403 Cannot POST /v3/…')
  const message = `no access to ${url}`
  treat = ([call]) => ({
    status: 200,
    body: JSON.stringify({ jsonrpc: '2.0', id: call?.id, error: { code: -32000, message } }),
  })
  const echoing = runCommand([...args, '--fork-url', url])
  expect(await echoing.ended).toBe(2)
  expect(echoing.stderr()).toMatch(/no access to http:\/\/127\.0\.0\.1:\d+\/…$/m)
  treat = () => undefined
  const absent = runCommand([...args, '--fork-url', `${url}@999`])
  expect(await absent.ended).toBe(2)
  expect(absent.stderr()).toContain('has no block 999')
})

test('a data directory of a fork reopens as that fork', async () => {
  const dataDir = join(folder, 'data')
  const first = await fork({ dataDir, forkBlock: remote.firstBlock })
  await first.mine()
  const head = await first.request('eth_getBlockByNumber', ['latest', false])
  await first.stop()
  const second = await fork({ dataDir })
  expect(await second.request('eth_getBlockByNumber', ['latest', false])).toEqual(head)
  expect(await slotOf(second, '0x1')).toMatch(/7$/)
  await second.stop()
  await expect(createNode({ port: 0, dataDir, chainId: 77 })).rejects.toThrow('--fork-url')
  await expect(fork({ dataDir, forkBlock: remote.head })).rejects.toThrow('another block')
})

test('headers and the credentials in the URL are sent only to the remote', async () => {
  const withCredentials = url.replace('http://', 'http://user:pass%20word@')
  const basic = `Basic ${Buffer.from('user:pass word').toString('base64')}`
  const node = await fork({ forkUrl: withCredentials, forkHeader: ['X-Team: a:b'], allowRemoteReset: true })
  expect(headers.length).toBeGreaterThan(0)
  for (const sent of headers) expect(sent).toMatchObject({ authorization: basic, 'x-team': 'a:b' })
  headers = []
  await node.request('anvil_setRpcUrl', [url.replace('127.0.0.1', 'localhost')])
  await node.request('eth_getBalance', [`0x${'77'.repeat(20)}`])
  expect(headers.length).toBeGreaterThan(0)
  for (const sent of headers) {
    expect(sent).not.toHaveProperty('x-team')
    expect(sent).not.toHaveProperty('authorization')
  }
  await expect(fork({ forkHeader: ['no header'] })).rejects.toThrow('forkHeader: expected')
})

test('the remote can be read under fake timers', async () => {
  const node = await fork()
  const address = `0x${'ab'.repeat(20)}`
  const before = seen.length
  vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(await node.request('eth_getBalance', [address, 'latest'])).toBe('0x0')
  expect(seen.length).toBeGreaterThan(before)
})
