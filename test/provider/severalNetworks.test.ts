import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createNode } from '../../src/index.js'
import { callRpc } from '../support/rpc.js'

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'standin-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const address = '0x00000000000000000000000000000000000000aa'

test('networks that get their first requests at once have separate chains, after a restart too', async () => {
  const options = { dataDir: temporaryDirectory(), network: ['sepolia', 'holesky'] }
  const balances = ['0x1', '0x2']
  const urlsOf = (url: string) => options.network.map((name) => url.replace('/v3/', `/${name}/v3/`))

  const first = await createNode(options)
  const set = urlsOf(first.url).map((url, i) => callRpc(url, 'anvil_setBalance', [address, balances[i]]))
  await Promise.all(set)
  const read = (url: string) => callRpc(url, 'eth_getBalance', [address, 'latest'])
  const chainIds = await Promise.all(urlsOf(first.url).map((url) => callRpc(url, 'eth_chainId', [])))
  expect(chainIds).toEqual(['0xaa36a7', '0x4268'])
  expect(await Promise.all(urlsOf(first.url).map(read))).toEqual(balances)
  await first.stop()

  const second = await createNode(options)
  onTestFinished(() => second.stop())
  expect(await Promise.all(urlsOf(second.url).map(read))).toEqual(balances)
})
