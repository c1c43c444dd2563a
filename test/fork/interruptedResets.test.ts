import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createNode } from '../../src/index.js'
import { callRpc } from '../support/rpc.js'
import { until } from '../support/until.js'
import { ownRemote, type Remote } from './remotes.js'

let remote: Remote
beforeAll(async () => {
  remote = await ownRemote()
})
afterAll(() => remote?.stop())

test('networks reset at the same time have separate forks, after a restart too', async () => {
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

test('a reset to an unresponsive remote ends when the node stops', async () => {
  let asked = 0
  const silent = createServer(() => void asked++)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const node = await createNode({ port: 0, forkUrl: remote.url, allowRemoteReset: true })
  const change = expect(node.request('anvil_setRpcUrl', [`http://127.0.0.1:${port}`])).rejects.toThrow()
  await until(() => asked > 0)
  await node.stop()
  await change
})

test('a reset that could not be saved in the manifest is not resumed by the next start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'standin-resets-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const options = { port: 0, network: ['sepolia'], dataDir, allowRemoteReset: true }
  const node = await createNode(options)
  // Blocks the path of the new manifest.
  const obstacle = join(dataDir, 'manifest.json.new')
  mkdirSync(obstacle)
  await expect(node.request('anvil_reset', [{ forking: { jsonRpcUrl: remote.url } }])).rejects.toThrow()
  rmdirSync(obstacle)
  // The first use of a network saves the manifest.
  await callRpc(node.url.replace('/v3/', '/sepolia/v3/'), 'eth_chainId', [])
  await node.stop()
  const again = await createNode(options)
  onTestFinished(() => again.stop())
  expect(await again.request('eth_blockNumber')).toBe('0x0')
  expect(await again.request('eth_chainId')).toBe('0x7a69')
})
