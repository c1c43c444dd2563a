import { join } from 'node:path'
import { startTorturedNode, type TorturedNode } from '../node.js'
import { hash, many, oncePerNode, sendBody, sendCall, type Bomb } from './bomb.js'
import { type AnswerText, hexText, objectsText, remoteOf } from './remotes.js'

/** Starts a provider, which ends with this process. */
const provider = oncePerNode(() => startTorturedNode())

/** Records the answers of another node, or of one at a URL, while a bomb runs. */
function recorded(
  name: string,
  send: (node: TorturedNode, signal: AbortSignal) => ReturnType<Bomb['run']>,
  urlOf = async (node: TorturedNode) => (await provider(node)).ready.url,
): Bomb {
  const cassette = (node: TorturedNode, init: RequestInit) =>
    fetch(new URL('/_standin/cassette', node.ready.url), init)
  return {
    name: `recording: ${name}`,
    // The end of a recording cuts off what the provider has not answered.
    fault: 'eth_chainId: status 502',
    async prepare(node) {
      const upstream = await urlOf(node)
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

/** Records an answer given as JSON text. */
function recordedAnswer(name: string, answer: () => AnswerText): Bomb {
  const method = 'debug_traceTransaction'
  return recorded(
    name,
    (node, signal) => sendCall(node, method, [hash(1)], signal),
    async (node) => {
      const { url, answers } = await remoteOf(node)
      answers.set(method, answer())
      return url
    },
  )
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
  recordedAnswer('twenty megabytes of hexadecimal', () => ({ result: hexText(1e7) })),
  recordedAnswer('a million objects', () => ({ result: objectsText() })),
  recordedAnswer('twenty megabytes with spaces', () => ({ result: objectsText().replaceAll('{', '\n  { ') })),
  {
    ...recordedAnswer('an error with twenty megabytes of data', () => ({
      error: `{"code":3,"message":"execution reverted","data":${hexText(1e7)}}`,
    })),
    refusal: 'execution reverted',
  },
]
