import { readFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import { type ConnectionOptions, connect } from 'node:tls'
import { FetchRequest, InfuraProvider } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningNode, startNode } from '../../src/node.js'
import { parseNodeOptions } from '../../src/options.js'

// The recipe of docs/guides/provider.md for clients with fixed hosts.

let node: RunningNode
beforeAll(async () => {
  node = await startNode(
    parseNodeOptions({
      port: 0,
      ipfsPort: 0,
      network: ['mainnet', 'sepolia'],
      domain: 'infura.io',
      tls: true,
      key: ['0123456789abcdef0123456789abcdef'],
    }),
  )
  const ca = await readFile(node.certificatePath ?? '', 'utf8')
  const agent = new Agent({ ca })
  agent.createConnection = (options) =>
    connect({ ...(options as ConnectionOptions), host: '127.0.0.1', port: node.port })
  FetchRequest.registerGetUrl(FetchRequest.createGetUrlFunc({ agent }))
})
afterAll(async () => {
  FetchRequest.registerGetUrl(FetchRequest.createGetUrlFunc())
  await node.stop()
})

test.each([
  ['mainnet', 1n],
  ['sepolia', 11_155_111n],
])("ethers' InfuraProvider reaches %s through its own host", async (name, chainId) => {
  const provider = new InfuraProvider(name, '0123456789abcdef0123456789abcdef')
  expect(await provider.getBlockNumber()).toBe(0)
  expect(BigInt((await provider.send('eth_chainId', [])) as string)).toBe(chainId)
  provider.destroy()
})

test('is refused with an unknown key', async () => {
  const provider = new InfuraProvider('mainnet', 'fedcba9876543210fedcba9876543210')
  await expect(provider.send('eth_blockNumber', [])).rejects.toThrow(/401/)
  provider.destroy()
})
