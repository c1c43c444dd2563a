import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entryPageSchema } from '../../src/control/routes/cassette.js'
import { createNode, type StandinNode } from '../../src/index.js'
import { until } from '../support/until.js'
import { compileVault, useVault, writeBuild } from './vault.mjs'

let node: StandinNode
let build: Awaited<ReturnType<typeof compileVault>>
let used: Awaited<ReturnType<typeof useVault>>
beforeAll(async () => {
  build = await compileVault()
  node = await createNode({ port: 0, ipfsPort: 0, artifacts: await writeBuild(build), network: ['sepolia'] })
  used = await useVault(node.url, build)
})
afterAll(() => node.stop())

async function read(path: string, init?: RequestInit): Promise<never> {
  const response = await fetch(`${node.controlUrl}${path}`, init)
  return (await response.json()) as never
}

interface Entry {
  id: number
  method: string
  params?: unknown
  preview?: string
  answer?: unknown
}

test('the journal is read page by page, newest first, and searched', async () => {
  const all: Entry[] = await read('/requests')
  const newest: Entry[] = await read('/requests?limit=3&summary=true')
  expect(newest.map(({ id }) => id)).toEqual(all.slice(-3).map(({ id }) => id))
  const older: Entry[] = await read(`/requests?limit=2&before=${newest[0]?.id}`)
  expect(older.map(({ id }) => id)).toEqual(all.slice(-5, -3).map(({ id }) => id))
  const selector = '2e1a7d4d'
  const found: Entry[] = await read(`/requests?text=${selector.toUpperCase()}&summary=true`)
  expect(found.length).toBeGreaterThan(0)
  for (const { params, preview } of found) expect([params, typeof preview]).toEqual([undefined, 'string'])
  const others = all.filter(({ id }) => !found.some((entry) => entry.id === id))
  expect(JSON.stringify(others)).not.toContain(selector)
})

test('a request can be read with its answer', async () => {
  const sent: Entry[] = await read('/requests?method=eth_sendRawTransaction')
  const answers = await Promise.all(sent.map(({ id }) => read(`/requests/${id}`)))
  expect(answers.map(({ answer }: Entry) => answer)).toContain(used.failed)
  expect((await fetch(`${node.controlUrl}/requests/999999`)).status).toBe(404)
})

test('a timeline counts every request once', async () => {
  const all: Entry[] = await read('/requests')
  const { count, failed }: { count: number[]; failed: number[] } = await read('/requests/timeline?spans=7')
  expect(count).toHaveLength(7)
  expect(count.reduce((sum, value) => sum + value)).toBe(all.length)
  expect(failed).toHaveLength(7)
})

test('requests can opt out of the journal, but only on the path of the controls', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_syncing', params: [] })
  const headers = { 'content-type': 'application/json', 'standin-journal': 'off' }
  await read('/rpc', { method: 'POST', headers, body })
  expect(await read('/requests?method=eth_syncing')).toEqual([])
  await fetch(node.url, { method: 'POST', headers, body })
  expect(await read('/requests?method=eth_syncing')).toHaveLength(1)
})

test('the node describes itself, and shows a key only if any key is accepted', async () => {
  expect(await read('/node')).toMatchObject({
    mode: 'open',
    artifacts: true,
    urls: { url: node.url },
    networks: [
      { name: 'local', chainId: '31337', isOpen: true },
      { name: 'sepolia', chainId: '11155111', isOpen: false },
    ],
  })
  const guarded = await createNode({ port: 0, ipfsPort: 0, key: ['hidden-key:hidden-secret'] })
  const text = await (await fetch(`${guarded.controlUrl}/node`)).text()
  await guarded.stop()
  expect(text).toContain('/v3/<API_KEY>')
  expect(text).not.toContain('hidden')
})

test('contracts are recognised by their code regardless of immutables, with their sources', async () => {
  const list: { id: number; name: string; hasSource: boolean }[] = await read('/contracts')
  expect(list.map(({ name, hasSource }) => [name, hasSource])).toEqual([
    ['Oracle', true],
    ['Vault', true],
  ])
  const code = await used.client.getCode({ address: used.vault })
  const init = { method: 'POST', body: JSON.stringify({ code }) }
  expect(await read('/contracts/identify', init)).toEqual({ id: 1, name: 'Vault' })
  const unknown = { method: 'POST', body: JSON.stringify({ code: '0x00' }) }
  expect(await read('/contracts/identify', unknown)).toBeNull()
  const source: { sourceMap: string; files: { path: string; text: string }[] } =
    await read('/contracts/1/source')
  const { evm } = build.output.contracts['contracts/Vault.sol'].Vault
  expect(source.sourceMap).toBe(evm.deployedBytecode.sourceMap)
  expect(source.files[0]?.text).toBe(build.input.sources['contracts/Vault.sol'].content)
})

test('a reorganisation is listed with the blocks that it removed', async () => {
  const block = (number: string): Promise<{ hash: string }> =>
    node.request('eth_getBlockByNumber', [number, false]) as never
  const before = await block('latest')
  await node.request('anvil_reorg', [1, []])
  expect((await block('latest')).hash).not.toBe(before.hash)
  expect(await read('/reorganisations/local')).toMatchObject([
    { removed: [{ hash: before.hash, transactions: 1 }] },
  ])
  expect(await read('/reorganisations/sepolia')).toEqual([])
})

test('events report requests and blocks in batches', async () => {
  const stop = new AbortController()
  const { body, headers } = await fetch(`${node.controlUrl}/events`, { signal: stop.signal })
  expect(headers.get('content-type')).toBe('text/event-stream')
  const updates: { requests: number; chain: number }[] = []
  const reading = (async () => {
    for await (const text of body!.pipeThrough(new TextDecoderStream())) {
      updates.push(...[...text.matchAll(/^data: (.+)$/gm)].map(([, json]) => JSON.parse(json!) as never))
    }
  })().catch(() => undefined)
  await until(() => updates.length === 1)
  const first = updates[0]!
  await node.request('anvil_mine', [50])
  for (let i = 0; i < 100; i++) await used.client.getBlockNumber({ cacheTime: 0 })
  const [newest]: Entry[] = await read('/requests?limit=1')
  await until(() => updates.at(-1)?.requests === newest?.id && updates.at(-1)!.chain > first.chain)
  expect(updates.length).toBeLessThan(20)
  stop.abort()
  await reading
})

test('plans are listed, and events count changes through the control API', async () => {
  expect(await read('/plans')).toMatchObject({ free: { creditsPerDay: 3_000_000, creditsPerSecond: 500 } })
  const stop = new AbortController()
  const { body } = await fetch(`${node.controlUrl}/events`, { signal: stop.signal })
  const updates: { controls: number; files: number }[] = []
  const reading = (async () => {
    for await (const text of body!.pipeThrough(new TextDecoderStream())) {
      updates.push(...[...text.matchAll(/^data: (.+)$/gm)].map(([, json]) => JSON.parse(json!) as never))
    }
  })().catch(() => undefined)
  await until(() => updates.length === 1)
  const before = updates[0]!.controls
  const fault = JSON.stringify({ id: 'slow', action: { type: 'delay', milliseconds: 1 } })
  await fetch(`${node.controlUrl}/faults`, { method: 'POST', body: fault })
  await fetch(`${node.controlUrl}/faults`, { method: 'POST', body: '{"action":{"type":"unheard-of"}}' })
  await fetch(`${node.controlUrl}/faults/slow`, { method: 'DELETE' })
  await until(() => updates.at(-1)?.controls === before + 2)
  await fetch(`${node.ipfsUrl}/api/v0/files/mkdir?arg=/made`, { method: 'POST' })
  await until(() => updates.at(-1)?.files === updates[0]!.files + 1)
  stop.abort()
  await reading
})

test('a garbage collection frees what was predicted', async () => {
  const form = new FormData()
  form.append('file', new Blob(['nobody needs this'.repeat(100)]))
  await fetch(`${node.ipfsUrl}/api/v0/add?pin=false&cid-version=1`, { method: 'POST', body: form })
  const { blocks, bytes }: { blocks: number; bytes: number } = await read('/files/garbage')
  expect([blocks, bytes]).toEqual([1, 1700])
  const removed = await (await fetch(`${node.ipfsUrl}/api/v0/repo/gc`, { method: 'POST' })).text()
  expect(removed.trim().split('\n')).toHaveLength(blocks)
  expect(await read('/files/garbage')).toEqual({ blocks: 0, bytes: 0 })
})

test('entries of the current cassette are listed page by page, with their uses on replay', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'entries-'))
  const path = join(directory, 'run.ndjson')
  const upstream = node.url
  const other = await createNode({ upstream: `${upstream}?token=0123456789abcdef`, accounts: 2 })
  const at = async (query: string): Promise<Page> => {
    const page = (await (await fetch(`${other.controlUrl}/cassette/entries${query}`)).json()) as Page
    expect(entryPageSchema.strict().parse(page)).toEqual(page)
    return page
  }
  const use = async (body: object): Promise<object> => {
    const init = { method: 'PUT', body: JSON.stringify(body) }
    const answer = await fetch(`${other.controlUrl}/cassette`, init)
    return (await answer.json()) as object
  }
  const long = `0x${'ab'.repeat(500)}`
  const asked = [
    ['eth_getCode', ['0x00000000000000000000000000000000000000aa', 'latest']],
    ['eth_chainId', []],
    ['web3_sha3', [long]],
    ['eth_getBalance', ['no address', 'latest']],
    ['eth_chainId', []],
  ] as const
  const askAll = async (): Promise<void> => {
    for (const [method, params] of asked) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      await fetch(other.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    }
  }
  expect(await at('')).toEqual({ entries: [] })
  const recording = await use({ record: { path } })
  expect(recording).toMatchObject({
    state: 'recording',
    file: { version: 1, upstream: expect.stringMatching(/\/…$/) },
  })
  expect(JSON.stringify(recording)).not.toContain('0123456789abcdef')
  await askAll()
  const recorded = await at('')
  expect(recorded.entries.map(({ method }) => method)).toEqual(asked.map(([method]) => method))
  expect(recorded.entries.every(({ used }) => used === undefined)).toBe(true)
  expect(await use({ replay: { path } })).toMatchObject({ state: 'replaying', file: { entries: 4 } })
  for (let round = 0; round < 3; round++) await askAll()
  const { entries } = await at('')
  expect(entries).toMatchObject([
    { network: 'local', method: 'eth_chainId', params: '[]', answer: '"0x7a69"', times: 2, used: 6 },
    { method: 'eth_getBalance', error: expect.stringMatching(/^error -32602: /), times: 1, used: 3 },
    { method: 'eth_getCode', answer: '"0x"', times: 1, used: 3 },
    { method: 'web3_sha3', times: 1, used: 3 },
  ])
  expect(entries[3]!.params).toHaveLength(160)
  const first = await at('?limit=3')
  expect(first.entries).toEqual(entries.slice(0, 3))
  const second = await at(`?limit=3&from=${first.next}`)
  expect(second).toEqual({ entries: entries.slice(3) })
  expect((await at('?method=eth_get*&limit=1')).entries).toEqual([entries[1]])
  expect(await at('?method=web3_sha3')).toEqual({ entries: [entries[3]] })
  expect(await at('?method=net_version')).toEqual({ entries: [] })
  expect((await fetch(`${other.controlUrl}/cassette/entries?limit=0`)).status).toBe(400)
  await other.stop()
  rmSync(directory, { recursive: true })
})

interface Page {
  entries: { method: string; params: string; used?: number }[]
  next?: number
}
