import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNode } from '../../src/index.js'
import { callRpc } from '../support/rpc.js'
import { ownRemote, type Remote } from './remotes.js'

let remote: Remote
beforeAll(async () => {
  remote = await ownRemote()
})
afterAll(() => remote?.stop())

test('networks that are reset at the same time stand on a fork each, also after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'standin-resets-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const network = ['sepolia', 'holesky']
  const options = { port: 0, network, dataDir, allowRemoteReset: true }
  const blocks = [1, 2]
  const urlsOf = (url: string) => network.map((name) => url.replace('/v3/', `/${name}/v3/`))
  const onEach = (url: string, method: string, paramsOf: (i: number) => unknown[] = () => []) =>
    Promise.all(urlsOf(url).map((each, i) => callRpc(each, method, paramsOf(i))))

  const first = await createNode(options)
  await onEach(first.url, 'eth_chainId')
  await onEach(first.url, 'anvil_reset', (i) => [
    { forking: { jsonRpcUrl: remote.url, blockNumber: blocks[i] } },
  ])
  await onEach(first.url, 'anvil_setBalance', (i) => [remote.counter, `0x${i + 7}`])
  await onEach(first.url, 'evm_mine')
  await first.stop()

  const second = await createNode(options)
  onTestFinished(() => second.stop())
  expect(await onEach(second.url, 'eth_blockNumber')).toEqual(['0x2', '0x3'])
  expect(await onEach(second.url, 'eth_getBalance', () => [remote.counter, 'latest'])).toEqual(['0x7', '0x8'])
})
