import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type NodeOptions, type StandinNode, createNode } from '../../src/index.js'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassette-'))
  path = join(directory, 'run.ndjson')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const open: StandinNode[] = []
afterEach(async () => {
  for (const node of open.splice(0)) await node.stop()
})

async function start(options: NodeOptions = {}): Promise<StandinNode> {
  const node = await createNode(options)
  open.push(node)
  return node
}

async function recordFrom(
  provider: StandinNode,
  run: (node: StandinNode) => Promise<unknown>,
): Promise<unknown> {
  const node = await start({
    record: path,
    upstream: provider.url,
    upstreamWs: provider.wsUrl,
    upstreamIpfs: provider.ipfsUrl.replace(/\/api\/v0$/, ''),
  })
  try {
    return await run(node)
  } finally {
    await node.stop()
  }
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string; json: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  const text = await response.text()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: response.status, text, json }
}

interface RpcAnswer {
  result?: unknown
  error?: { code: number; message: string }
}

let id = 0
const rpc = async (node: StandinNode, method: string, params: unknown[] = []): Promise<RpcAnswer> =>
  (await post(node.url, { jsonrpc: '2.0', id: ++id, method, params })).json as RpcAnswer

test('a recording replays without the provider, with batches and errors', async () => {
  const provider = await start({ chainId: 777, accounts: 3 })
  const run = async (node: StandinNode) => [
    (await rpc(node, 'eth_chainId')).result,
    (await rpc(node, 'eth_getBlockByNumber', ['latest', true])).result,
    (await rpc(node, 'eth_call', [{ to: `0x${'11'.repeat(20)}`, gas: '0x1' }, 'latest'])).error,
    (await rpc(node, 'no_such_method')).error,
    (
      await post(node.url, [
        { jsonrpc: '2.0', id: 7, method: 'eth_blockNumber' },
        { jsonrpc: '2.0', id: 8, method: 'eth_accounts', params: [] },
      ])
    ).json,
  ]
  const direct = await run(provider)
  const recorded = await recordFrom(provider, run)
  await provider.stop()
  const replay = await start({ replay: path })
  expect(recorded).toEqual(direct)
  expect(await run(replay)).toEqual(direct)
  const missed = await rpc(replay, 'eth_getBalance', [`0x${'22'.repeat(20)}`, 'latest'])
  expect(missed.error).toMatchObject({ code: -32000 })
  expect(missed.error?.message).toContain('the cassette has no answer to eth_getBalance')
})

test('quotas and faults of this node apply on top', async () => {
  const provider = await start()
  await recordFrom(provider, (node) => rpc(node, 'eth_chainId'))
  const replay = await start({ replay: path, mode: 'guarded', key: ['a-key-of-this-node'] })
  replay.faults.set({ match: { method: 'eth_chainId' }, action: { type: 'status', status: 503 } } as never)
  const url = replay.url.replace(/[^/]+$/, 'a-key-of-this-node')
  expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status).toBe(503)
  replay.faults.clear()
  expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).json).toMatchObject({
    result: '0x7a69',
  })
  const foreign = replay.url.replace(/[^/]+$/, 'another-key')
  expect((await post(foreign, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status).toBe(401)
})

test('the control API starts, shows and ends a cassette', async () => {
  const provider = await start({ chainId: 777 })
  const node = await start({ upstream: provider.url })
  const control = async (method: string, body?: unknown) => {
    const response = await fetch(`${node.controlUrl}/cassette`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    return { status: response.status, body: (await response.json()) as { answers?: object; error?: string } }
  }
  expect((await control('GET')).body).toEqual({ state: 'none' })
  expect((await control('PUT', { record: { path } })).body).toMatchObject({ state: 'recording', path })
  expect((await rpc(node, 'eth_chainId')).result).toBe('0x309')
  expect((await control('DELETE')).body).toMatchObject({ state: 'recording', answers: { recorded: 1 } })
  expect((await rpc(node, 'eth_chainId')).result).toBe('0x7a69')
  expect((await control('PUT', { replay: { path, mode: 'loose' } })).body).toMatchObject({
    state: 'replaying',
  })
  expect((await rpc(node, 'eth_chainId')).result).toBe('0x309')
  expect((await rpc(node, 'eth_blockNumber')).result).toBe('0x0')
  expect((await control('GET')).body.answers).toEqual({ replayed: 1, recorded: 0, own: 1, refused: 0 })
  const missing = await control('PUT', { replay: { path: join(directory, 'nothing.ndjson') } })
  expect(missing).toEqual({
    status: 400,
    body: { error: `${join(directory, 'nothing.ndjson')}: does not exist` },
  })
  const other = { path, upstream: 'http://127.0.0.1:1' }
  expect((await control('PUT', { record: other })).body.error).toContain('--allow-remote-reset')
})

test('uploads, streams and trailers of the IPFS API are replayed', async () => {
  const provider = await start()
  const run = async (node: StandinNode): Promise<unknown[]> => {
    const form = new FormData()
    form.append('file', new Blob(['hello']), 'hello.txt')
    form.append('file', new Blob([new Uint8Array(300_000).fill(7)]), 'large.bin')
    const answers = []
    const added = await fetch(`${node.ipfsUrl}/api/v0/add?progress=true&cid-version=1`, {
      method: 'POST',
      body: form,
    })
    const lines = (await added.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { Hash?: string })
    answers.push(added.status, lines)
    for (const { Hash } of lines.filter(({ Hash: hash }) => hash !== undefined)) {
      const cat = await fetch(`${node.ipfsUrl}/api/v0/cat?arg=${Hash}`, { method: 'POST' })
      answers.push(Buffer.from(await cat.arrayBuffer()).toString('base64'))
      const page = await fetch(`${node.ipfsUrl}/ipfs/${Hash}`, { headers: { range: 'bytes=1-3' } })
      answers.push(page.status, page.headers.get('content-range'), await page.text())
    }
    const wrong = await fetch(`${node.ipfsUrl}/api/v0/cat?arg=nonsense`, { method: 'POST' })
    answers.push(wrong.status, await wrong.text())
    return answers
  }
  const direct = await run(provider)
  expect(await recordFrom(provider, run)).toEqual(direct)
  await provider.stop()
  expect(readdirSync(`${path}.bodies`).length).toBeGreaterThan(0)
  expect(readFileSync(path, 'utf8')).toContain('/api/v0/add')
  expect(await run(await start({ replay: path }))).toEqual(direct)
})
