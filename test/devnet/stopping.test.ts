import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberToHex } from 'viem'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNode } from '../../src/index.js'
import { until } from '../support/until.js'
import { startDevnet, stopAll } from './support.js'

/** More blocks than a test could wait for. */
const endless = numberToHex(10_000_000)

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'standin-stopping-'))
})
afterEach(async () => {
  await stopAll()
  rmSync(dataDir, { recursive: true })
})

function failureOf(request: Promise<unknown>): Promise<Error> {
  return request.then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  )
}

/** Parses the number of mined blocks from an error message. */
function blocksMined(message: string): number {
  return Number(/^the node is stopping: (\d+) of 10000000 blocks were mined$/.exec(message)?.[1])
}

describe('a node that stops while it mines', () => {
  test('ends a request to mine many blocks, keeps those mined, and reports how many', async () => {
    const { node, call, height } = await startDevnet({ dataDir })
    const mining = failureOf(call('hardhat_mine', endless))
    const behind = failureOf(call('hardhat_mine', endless))
    await until(async () => (await height()) > 2)
    await node.stop()
    const reported = [blocksMined((await mining).message), blocksMined((await behind).message)]
    const mined = reported.reduce((sum, count) => sum + count)
    expect(mined).toBeGreaterThan(2)
    const again = await startDevnet({ dataDir })
    expect(await again.height()).toBe(mined)
  })

  test('answers the HTTP request', async () => {
    const { node, height } = await startDevnet({ dataDir })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: [endless] })
    const headers = { 'content-type': 'application/json' }
    const reply = fetch(node.url, { method: 'POST', headers, body })
    await until(async () => (await height()) > 2)
    await node.stop()
    const { error } = (await (await reply).json()) as { error: { code: number; message: string } }
    expect(error.code).toBe(-32000)
    expect(blocksMined(error.message)).toBeGreaterThan(2)
  })

  test('keeps transactions pending that it would have mined one after another', async () => {
    const { node, call, from, to, height } = await startDevnet({ dataDir, noMining: true })
    const count = 300
    for (let nonce = 0; nonce < count; nonce++) {
      await call('eth_sendTransaction', { from, to, value: '0x1', nonce: numberToHex(nonce) })
    }
    const mining = call('evm_setAutomine', true)
    await until(async () => (await height()) > 0)
    await node.stop()
    await mining
    const again = await startDevnet({ dataDir, noMining: true })
    const { pending } = await again.call<{ pending: string }>('txpool_status')
    expect((await again.height()) + Number(pending)).toBe(count)
    expect(Number(pending)).toBeGreaterThan(0)
  })
})

test('a reset to an unresponsive remote ends when the node stops', async () => {
  let asked = 0
  const remote = createServer(() => void asked++)
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    remote.closeAllConnections()
    remote.close()
  })
  const { port } = remote.address() as AddressInfo
  const { node, call } = await startDevnet({ dataDir, allowRemoteReset: true })
  const order = { forking: { jsonRpcUrl: `http://127.0.0.1:${port}` } }
  let isOver = false
  const reset = failureOf(call('anvil_reset', order)).finally(() => {
    isOver = true
  })
  await until(() => asked > 0)
  await node.stop()
  expect(isOver).toBe(true)
  expect((await reset).message).not.toBe('it did not fail')
})

test('a node that fails to start does not start interval mining', async () => {
  const wait = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => void wait.mockRestore())
  const blockTime = 100_000
  const start = createNode({ port: 0, blockTime, loadState: join(dataDir, 'absent.json') })
  await expect(start).rejects.toThrow('--load-state')
  // No other timer waits a day.
  expect(wait.mock.calls.filter(([, delay = 0]) => delay > 0.9 * blockTime * 1000)).toEqual([])
})

test('a stopped node accepts no change and does not start interval mining', async () => {
  const { node, call, from, to } = await startDevnet({ dataDir })
  await node.stop()
  const send = failureOf(call('eth_sendTransaction', { from, to, value: '0x1' }))
  expect((await send).message).toBe('the node is stopping')
  const clock = failureOf(call('evm_setIntervalMining', 1))
  expect((await clock).message).toBe('the node is stopping')
})
