import { BARE, overHttp } from '../lib/goals.mjs'
import { startNode } from '../lib/nodes.mjs'
import { rate } from '../lib/statistics.mjs'
import { WsClient } from '../lib/wsClient.mjs'

const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'

/** Small requests over HTTP and WebSocket. */
export const transport = ({ requests }) => ({
  id: 'transport',
  withReference: true,
  // A measurement takes half a second, and the placement of two processes on the cores changes it by a fifth.
  roundsFactor: 3,
  measures: [1, 32].flatMap((inFlight) => [
    {
      title: overHttp(inFlight),
      unit: 'requests/s',
      better: 'higher',
      goal: inFlight === 1 ? { times: 0.9, of: BARE } : { times: 1, of: 'anvil' },
      run: ({ client }) =>
        rate(() => client.load(BODY), { count: inFlight === 1 ? requests : 4 * requests, inFlight }),
    },
    {
      title: `eth_blockNumber over WebSocket, ${inFlight} in flight`,
      unit: 'requests/s',
      better: 'higher',
      goal: inFlight === 1 ? undefined : { times: 0.9, of: 'anvil' },
      async run(running) {
        if (running.name === BARE) return undefined
        running.ws ??= await WsClient.open(running.wsUrl)
        let id = 0
        const count = inFlight === 1 ? requests : 4 * requests
        return rate(() => running.ws.request(++id, 'eth_blockNumber'), { count, inFlight })
      },
    },
  ]),
})

/** Measures milliseconds from process start to the first answer, one node after another. */
export async function measureColdStart({ nodes, rounds }) {
  const values = {}
  for (let round = 0; round < rounds; round++) {
    for (const node of nodes) {
      const running = await startNode(node)
      ;(values[node.name] ??= []).push(running.startMilliseconds)
      await running.stop('SIGKILL')
    }
  }
  return values
}
