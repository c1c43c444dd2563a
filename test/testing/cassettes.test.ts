import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'
import { beginCassette, cassettePath } from '../../src/testing/cassettes.js'
import { useNode } from '../../src/testing/vitest.js'

const directory = mkdtempSync(join(tmpdir(), 'cassettes-'))
const provider = await createNode({ chainId: 4242 })
afterAll(async () => {
  await provider.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function ask(url: string, method: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await answer.json()) as { result?: unknown }).result
}

describe('a file with cassettes', () => {
  const node = useNode({ upstream: provider.url, chainId: 1 }, { cassettes: directory })

  it('records: the first time', async () => {
    expect(await ask(node().url, 'eth_chainId')).toBe('0x1092')
  })

  it('has a cassette for each test', async () => {
    expect(existsSync(cassettePath(directory, 'a file with cassettes records: the first time'))).toBe(true)
    expect(await ask(node().url, 'eth_blockNumber')).toBe('0x0')
  })
})

it('replays the recording of a name without the provider', async () => {
  const recording = await createNode({ upstream: provider.url })
  const end = await beginCassette(recording, { cassettes: directory }, 'a name')
  expect(await ask(recording.url, 'eth_chainId')).toBe('0x1092')
  await end()
  await recording.stop()

  const replaying = await createNode()
  const endReplay = await beginCassette(replaying, { cassettes: directory }, 'a name')
  expect(await ask(replaying.url, 'eth_chainId')).toBe('0x1092')
  expect(await ask(replaying.url, 'eth_blockNumber')).toBeUndefined()
  await endReplay()
  await replaying.stop()
})

it('reports why a test can neither be replayed nor recorded', async () => {
  const node = await createNode()
  await expect(beginCassette(node, { cassettes: directory }, 'another')).rejects.toThrow(
    'expected an upstream',
  )
  await node.stop()
})

it('distinguishes similar names', () => {
  expect(cassettePath('c', 'a: b')).not.toBe(cassettePath('c', 'a? b'))
  expect(cassettePath('c', 'a: b')).toMatch(/a-b-[0-9a-f]{8}\.ndjson$/)
})
