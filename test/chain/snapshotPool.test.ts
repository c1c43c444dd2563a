import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'

const directory = mkdtempSync(join(tmpdir(), 'standin-snapshot-pool-'))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** More transactions than one part of a snapshot holds. */
const COUNT = 2500

async function withNode<T>(use: (node: StandinNode) => Promise<T>): Promise<T> {
  const node = await createNode({ port: 0, dataDir: directory, noMining: true })
  try {
    return await use(node)
  } finally {
    await node.stop()
  }
}

async function send(node: StandinNode, count: number): Promise<void> {
  const from = node.accounts[0]?.address
  const fees = { gas: '0x5208', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
  for (let index = 0; index < count; index++)
    await node.request('eth_sendTransaction', [{ from, to: from, ...fees }])
}

async function pendingHashes(node: StandinNode): Promise<unknown[]> {
  const pending = (await node.request('eth_pendingTransactions', [])) as { hash: string }[]
  return pending.map(({ hash }) => hash)
}

test(
  'snapshots bring back mempools of several parts, which they share, after restarts',
  { timeout: 120_000 },
  async () => {
    const { first, second, kept } = await withNode(async (node) => {
      await send(node, COUNT)
      const first = await node.request('evm_snapshot', [])
      await send(node, 10)
      const second = await node.request('evm_snapshot', [])
      const kept = await pendingHashes(node)
      await node.request('anvil_dropAllTransactions', [])
      await send(node, 5)
      return { first, second, kept }
    })
    expect(kept).toHaveLength(COUNT + 10)
    await withNode(async (node) => {
      expect(await pendingHashes(node)).toHaveLength(5)
      expect(await node.request('evm_revert', [second])).toBe(true)
      expect(await pendingHashes(node)).toEqual(kept)
    })
    await withNode(async (node) => {
      expect(await pendingHashes(node)).toEqual(kept)
      expect(await node.request('evm_revert', [first])).toBe(true)
      expect(await pendingHashes(node)).toEqual(kept.slice(0, COUNT))
    })
    await withNode(async (node) => expect(await pendingHashes(node)).toEqual(kept.slice(0, COUNT)))
  },
)
