import { expect, test } from 'vitest'
import { useNode } from 'standin/vitest'
import { createPublicClient, http } from 'viem'

// Faults affect all clients of a node, so this file uses its own.
const node = useNode({ chainId: 5 })

test('the client waits and retries when the provider is busy', async () => {
  node().faults.set({ match: { method: 'eth_chainId', nth: 1 }, action: { type: 'status', status: 503 } })
  const client = createPublicClient({ transport: http(node().url, { retryDelay: 1 }) })
  expect(await client.getChainId()).toBe(5)
  const asked = node().journal.list({ method: 'eth_chainId', transport: 'http' })
  expect(asked.map(({ status }) => status)).toEqual([503, 200])
})
