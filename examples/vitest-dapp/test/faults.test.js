import { expect, test } from 'vitest'
import { useNode } from 'standin/vitest'
import { createPublicClient, http } from 'viem'

// Faults belong to one node for all that use it: this file has a node of its own.
const node = useNode({ chainId: 5 })

test('the client waits and asks again when the provider is busy', async () => {
  node().faults.set({ match: { method: 'eth_chainId', nth: 1 }, action: { type: 'status', status: 503 } })
  const client = createPublicClient({ transport: http(node().url, { retryDelay: 1 }) })
  expect(await client.getChainId()).toBe(5)
  const asked = node().journal.list({ method: 'eth_chainId', transport: 'http' })
  expect(asked.map(({ status }) => status)).toEqual([503, 200])
})
