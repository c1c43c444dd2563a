import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { startTorturedNode, type TorturedNode } from '../node.js'
import { TARGET, hash, many, oncePerNode, sendBody, sendCall, type Bomb } from './bomb.js'
import { type AnswerText, hexText, objectsText, remoteOf } from './remotes.js'

/** Starts a provider, which ends with this process. */
const provider = oncePerNode(() => startTorturedNode())

function cassette(node: TorturedNode, init: RequestInit): Promise<Response> {
  return fetch(new URL('/_standin/cassette', node.ready.url), init)
}

/** Starts recording or replaying. */
async function start(node: TorturedNode, order: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const started = await cassette(node, { method: 'PUT', headers, body: JSON.stringify(order) })
  if (!started.ok) throw new Error(await started.text())
}

/** Records the answers of another node, or of one at a URL, while a bomb runs. */
function recorded(
  name: string,
  send: (node: TorturedNode, signal: AbortSignal) => ReturnType<Bomb['run']>,
  urlOf = async (node: TorturedNode) => (await provider(node)).ready.url,
): Bomb {
  return {
    name: `recording: ${name}`,
    // The end of a recording cuts off what the provider has not answered.
    fault: 'eth_chainId: status 502',
    async prepare(node) {
      const upstream = await urlOf(node)
      await cassette(node, { method: 'DELETE' })
      await start(node, { record: { path: join(node.dataDir, 'bomb.cassette'), upstream } })
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

/** Replays a cassette of some calls, as JSON text with their results, while a bomb runs. */
function replayed(
  name: string,
  lines: () => readonly { method: string; params: string; result: string }[],
  send: (node: TorturedNode, signal: AbortSignal) => ReturnType<Bomb['run']>,
): Bomb {
  return {
    name: `replay: ${name}`,
    // The file network's calls are not in the cassette.
    fault: 'cat: status 500',
    async prepare(node) {
      const path = join(node.dataDir, 'replayed.cassette')
      await writeFile(
        path,
        [
          '{"cassette":1,"rules":{},"tags":{}}',
          ...[{ method: 'eth_chainId', params: '[]', result: '"0x1"' }, ...lines()].map(
            ({ method, params, result }, index) =>
              `{"call":["rpc","local","${method}",${params}],"nth":${index + 1},"result":${result}}`,
          ),
          '',
        ].join('\n'),
      )
      await start(node, { replay: { path } })
    },
    run: (node, signal) => send(node, signal).finally(() => cassette(node, { method: 'DELETE' })),
  }
}

const signer = privateKeyToAccount(`0x${'46'.repeat(32)}`)

/** A transaction that was recorded with another hash, so that later calls and answers are translated. */
const sent = {
  method: 'eth_sendRawTransaction',
  params: JSON.stringify([
    { chainId: '0x1', data: '0x', from: signer.address.toLowerCase(), to: TARGET, value: '0x1' },
  ]),
  result: JSON.stringify(hash(0)),
}

/** Replays an answer to a call after that transaction. */
function replayedAfter(
  name: string,
  line: () => { method: string; params: string; result: string },
  params: () => readonly unknown[],
): Bomb {
  return replayed(
    `${name} after a transaction with another hash`,
    () => [sent, line()],
    async (node, signal) => {
      const transaction = {
        type: 'eip1559',
        chainId: 1,
        nonce: 7,
        to: TARGET,
        value: 1n,
        gas: 21_000n,
      } as const
      const refusal = await sendCall(node, sent.method, [await signer.signTransaction(transaction)], signal)
      return refusal ?? sendCall(node, line().method, params(), signal)
    },
  )
}

const missed = (params: () => readonly unknown[]) => (node: TorturedNode, signal: AbortSignal) =>
  sendCall(node, 'eth_call', params(), signal)

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
  recorded(
    'a call of twenty megabytes',
    (node, signal) => sendCall(node, 'eth_call', [{ data: `0x${'ab'.repeat(1e7)}` }], signal),
    async (node) => (await remoteOf(node)).url,
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
  replayed(
    'an answer of twenty megabytes',
    () => [{ method: 'debug_traceTransaction', params: `["${hash(1)}"]`, result: hexText(1e7) }],
    (node, signal) => sendCall(node, 'debug_traceTransaction', [hash(1)], signal),
  ),
  replayed(
    'a call of twenty megabytes',
    () => [{ method: 'eth_call', params: `[{"data":${hexText(1e7)}}]`, result: '"0x"' }],
    missed(() => [{ data: `0x${'ab'.repeat(1e7)}` }]),
  ),
  replayedAfter(
    'an answer of twenty megabytes',
    () => ({ method: 'debug_traceTransaction', params: `["${hash(1)}"]`, result: hexText(1e7) }),
    () => [hash(1)],
  ),
  replayedAfter(
    'an answer of a million objects',
    () => ({ method: 'debug_traceTransaction', params: `["${hash(1)}"]`, result: objectsText() }),
    () => [hash(1)],
  ),
  replayedAfter(
    'a call of twenty megabytes',
    () => ({ method: 'eth_call', params: `[{"data":${hexText(1e7)}}]`, result: '"0x"' }),
    () => [{ data: `0x${'ab'.repeat(1e7)}` }],
  ),
  replayedAfter(
    'a call of half a million objects',
    () => ({ method: 'eth_call', params: `[[${'{"a":1},'.repeat(5e5)}1]]`, result: '"0x"' }),
    () => [[...many(5e5, () => ({ a: 1 })), 1]],
  ),
  ...[
    replayed(
      'a missed transaction of ten megabytes',
      () => [],
      (node, signal) => sendCall(node, sent.method, [`0x02f9${'ab'.repeat(1e7)}`], signal),
    ),
    replayed(
      'a missed call of twenty megabytes',
      () => [{ method: 'eth_call', params: `[{"data":${hexText(1e7)}}]`, result: '"0x"' }],
      missed(() => [{ data: `0x${'ab'.repeat(1e7)}cd` }]),
    ),
    replayed(
      'a missed call of a hundred thousand members',
      () => [{ method: 'eth_call', params: '[{}]', result: '"0x"' }],
      missed(() => [Object.fromEntries(many(1e5, (i) => [`a${i}`, hash(i).repeat(3)]))]),
    ),
    replayed(
      'a batch of a thousand missed calls of 32 kB',
      () =>
        many(20, (i) => ({
          method: 'eth_call',
          params: `[{"data":"0x${`c${i}`.repeat(16_000)}"}]`,
          result: '"0x"',
        })),
      (node, signal) => {
        const params = (id: number) => [{ data: `0x${`d${id}`.padEnd(6, 'e').repeat(5000)}` }]
        const calls = many(1000, (id) => ({ jsonrpc: '2.0', id, method: 'eth_call', params: params(id) }))
        return sendBody(node, JSON.stringify(calls), signal)
      },
    ),
  ].map((bomb) => ({ ...bomb, refusal: 'the cassette has no answer' })),
]
