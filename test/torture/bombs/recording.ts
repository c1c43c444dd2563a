import { join } from 'node:path'
import { startTorturedNode, type TorturedNode } from '../node.js'
import { many, oncePerNode, sendBody, sendCall, type Bomb } from './bomb.js'

/** Starts a provider, which ends with this process. */
const provider = oncePerNode(() => startTorturedNode())

/** Records the answers of another node while a bomb runs. */
function recorded(
  name: string,
  send: (node: TorturedNode, signal: AbortSignal) => ReturnType<Bomb['run']>,
): Bomb {
  const cassette = (node: TorturedNode, init: RequestInit) =>
    fetch(new URL('/_standin/cassette', node.ready.url), init)
  return {
    name: `recording: ${name}`,
    async prepare(node) {
      const { url: upstream } = (await provider(node)).ready
      await cassette(node, { method: 'DELETE' })
      const started = await cassette(node, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ record: { path: join(node.dataDir, 'bomb.cassette'), upstream } }),
      })
      if (!started.ok) throw new Error(await started.text())
    },
    async run(node, signal) {
      try {
        return await send(node, signal)
      } finally {
        await cassette(node, { method: 'DELETE' })
      }
    },
  }
}

/** Bombs for a node that records another. */
export const recording: readonly Bomb[] = [
  recorded('a batch of a thousand blocks', (node, signal) => {
    const calls = many(1000, (id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getBlockByNumber',
      params: ['0x0', false],
    }))
    return sendBody(node, JSON.stringify(calls), signal)
  }),
  recorded('an answer of a megabyte', (node, signal) =>
    sendCall(
      node,
      'eth_simulateV1',
      [{ blockStateCalls: many(256, () => ({ calls: [{ to: `0x${'7'.repeat(40)}` }] })) }, 'latest'],
      signal,
    ),
  ),
]
