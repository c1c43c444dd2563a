import { RpcClient } from './rpcClient.mjs'

/**
 * Measures the longest wait of a small request to a node during the given work, in milliseconds.
 *
 * @param {string} url
 * @param {() => Promise<unknown>} work
 */
export async function longestStop(url, work) {
  const other = new RpcClient(url)
  await other.call('eth_blockNumber')
  let isDone = false
  let longest = 0
  const large = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const start = performance.now()
    await other.call('eth_blockNumber')
    longest = Math.max(longest, performance.now() - start)
  }
  other.close()
  await large
  return longest
}

/** A row of the table: the longest stop during a large request. @param request - returns its method and parameters */
export function stopDuring(title, limit, request) {
  return {
    title: `longest stop of eth_blockNumber during ${title}`,
    unit: 'ms',
    better: 'lower',
    goal: { limit },
    async run(running) {
      const { client, url } = running
      const [method, ...parameters] = await request(running)
      const body = client.body(method, parameters)
      let answer
      const longest = await longestStop(url, async () => (answer = await client.post(body)))
      client.result(answer)
      return longest
    },
  }
}
