import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../support/until.js'
import { startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

const pendingAt = async ({ node }: Devnet, path: string): Promise<Record<string, unknown>> => {
  const response = await fetch(new URL(path, node.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: ['pending', false],
    }),
  })
  return ((await response.json()) as { result: Record<string, unknown> }).result
}

/** Returns the null members, and whether the block has its number. */
const nullsOf = (block: Record<string, unknown>): string[] =>
  Object.keys(block)
    .filter((name) => block[name] === null)
    .sort()

describe('the pending block', () => {
  test("has geth's nulls on the plain path, and the document's behind a key", async () => {
    const devnet = await startDevnet()
    expect(nullsOf(await pendingAt(devnet, '/'))).toEqual(['hash', 'miner', 'nonce'])
    expect((await pendingAt(devnet, '/')).number).toBe('0x1')
    expect(nullsOf(await pendingAt(devnet, '/v3/abc'))).toEqual(['hash', 'logsBloom', 'nonce', 'number'])
  })

  test.each([
    ['spec', ['hash', 'logsBloom', 'nonce', 'number']],
    ['geth', ['hash', 'miner', 'nonce']],
    ['anvil', []],
  ] as const)('has those of --pending-fields %s on both', async (pendingFields, nulls) => {
    const devnet = await startDevnet({ pendingFields })
    expect(nullsOf(await pendingAt(devnet, '/'))).toEqual(nulls)
    expect(nullsOf(await pendingAt(devnet, '/v3/abc'))).toEqual(nulls)
  })
})

describe('requested mining', () => {
  test.each([
    ['hardhat_mine', '0x3b9aca00'],
    ['anvil_mine', '0x3b9aca00'],
    ['evm_mine', { blocks: 1_000_000_000 }],
  ])('by %s ends when its client disconnects', async (method, count) => {
    const devnet = await startDevnet()
    const client = new AbortController()
    const answer = fetch(devnet.node.url, {
      method: 'POST',
      signal: client.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [count] }),
    })
    while ((await devnet.height()) === 0) await setImmediate()
    client.abort()
    await expect(answer).rejects.toThrow()
    await until(async () => {
      const height = await devnet.height()
      await sleep(100)
      return (await devnet.height()) === height
    })
  })
})

describe('controls', () => {
  const snapshotFrom = async ({ node }: Devnet, origin: string): Promise<unknown> => {
    const response = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_snapshot', params: [] }),
    })
    return ((await response.json()) as { error?: { code: number } }).error?.code
  }

  test('are open to a client with an Origin of no page, like titanoboa, and closed to pages', async () => {
    const devnet = await startDevnet()
    expect(await snapshotFrom(devnet, 'Titanoboa')).toBeUndefined()
    for (const origin of ['null', 'https://example.com', 'http://10.0.0.1:3000', 'chrome-extension://abc']) {
      expect(await snapshotFrom(devnet, origin)).toBe(-32002)
    }
  })
})
