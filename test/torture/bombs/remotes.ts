import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callRpc } from '../../support/rpc.js'
import { oncePerNode, many, sendCall, type Bomb } from './bomb.js'

/** Members of an answer, as JSON text. */
export type AnswerText = { result: string } | { error: string }

/** A node that answers some methods in its own way. */
export interface Remote {
  url: string
  /** Answers by method. */
  answers: Map<string, AnswerText>
}

const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`

/** The block at which a fork leaves the remote. */
const block = {
  number: '0x64',
  hash: `0x${'5'.repeat(64)}`,
  parentHash: zeros(32),
  sha3Uncles: zeros(32),
  miner: zeros(20),
  stateRoot: `0x${'6'.repeat(64)}`,
  transactionsRoot: zeros(32),
  receiptsRoot: zeros(32),
  logsBloom: zeros(256),
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x65000000',
  extraData: '0x',
  baseFeePerGas: '0x7',
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Starts a remote, which ends with this process. */
export const remoteOf = oncePerNode(async (): Promise<Remote> => {
  const answers = new Map<string, AnswerText>([
    ['eth_chainId', { result: '"0x1"' }],
    ['eth_getBlockByNumber', { result: JSON.stringify(block) }],
  ])
  const answer = ({ id, method }: { id: number; method: string }): string => {
    const members = answers.get(method) ?? { result: '"0x0"' }
    const [name, text] = Object.entries(members)[0] as [string, string]
    return `{"jsonrpc":"2.0","id":${id},"${name}":${text}}`
  }
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const calls = JSON.parse(text) as Parameters<typeof answer>[0] | Parameters<typeof answer>[0][]
      response.end(Array.isArray(calls) ? `[${calls.map(answer).join(',')}]` : answer(calls))
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers }
})

/** Hexadecimal digits of a number of bytes, as JSON text. */
export const hexText = (bytes: number) => `"0x${'ab'.repeat(bytes)}"`

/** A million objects, as JSON text. */
export const objectsText = () => `[${many(1e6, (i) => `{"a":${i}}`).join(',')}]`

/** Logs of twenty megabytes. */
const largeLogs = () =>
  JSON.stringify(
    many(5000, (index) => ({
      address: zeros(20),
      topics: [zeros(32)],
      data: `0x${'ab'.repeat(2000)}`,
      blockNumber: '0x1',
      transactionHash: zeros(32),
      transactionIndex: '0x0',
      blockHash: zeros(32),
      logIndex: `0x${index.toString(16)}`,
      removed: false,
    })),
  )

function forked(
  name: string,
  { method, params }: { method: string; params: unknown[] },
  answer: () => AnswerText,
): Bomb {
  return {
    name: `fork: ${name}`,
    async prepare(node) {
      const { url, answers } = await remoteOf(node)
      answers.set(method, answer())
      await callRpc(node.ready.url, 'anvil_reset', [{ forking: { jsonRpcUrl: url, blockNumber: 100 } }])
    },
    run: (node, signal) => sendCall(node, method, params, signal),
  }
}

const trace = { method: 'trace_block', params: ['0x1'] }

/** A fee history of more blocks than any node returns: a million and a half tips. */
const longHistory = () => {
  const blocks = 15_000
  return JSON.stringify({
    oldestBlock: '0x1',
    reward: many(blocks, () => many(100, () => '0x1')),
    baseFeePerGas: many(blocks + 1, () => '0x7'),
    gasUsedRatio: many(blocks, () => 0.5),
  })
}

const logs = (toBlock: string) => ({ method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock }] })

/** Bombs for a fork whose remote answers with much. */
export const remotes: readonly Bomb[] = [
  forked('twenty megabytes of hexadecimal', trace, () => ({ result: hexText(1e7) })),
  forked('thirty megabytes of hexadecimal', trace, () => ({ result: hexText(1.5e7) })),
  {
    ...forked('sixty megabytes of hexadecimal', trace, () => ({ result: hexText(3e7) })),
    refusal: 'A string has more than 33554432 characters',
  },
  forked('a million objects', trace, () => ({ result: objectsText() })),
  forked(
    'a fee history of a million tips before local blocks',
    { method: 'eth_feeHistory', params: ['0x400', 'pending', many(100, (i) => i)] },
    () => ({ result: longHistory() }),
  ),
  forked(
    'a call of twenty megabytes',
    { method: 'trace_call', params: [{ data: `0x${'ab'.repeat(1e7)}` }, ['trace'], '0x1'] },
    () => ({ result: '{}' }),
  ),
  forked('logs of twenty megabytes', logs('0x2'), () => ({ result: largeLogs() })),
  forked('logs of twenty megabytes before local blocks', logs('latest'), () => ({ result: largeLogs() })),
  {
    name: 'fork: an error that repeats the URL a million times',
    async prepare(node) {
      const { url, answers } = await remoteOf(node)
      answers.set(trace.method, { error: `{"code":-32000,"message":"${`${url} `.repeat(1e6)}"}` })
      const forking = { jsonRpcUrl: url, blockNumber: 100 }
      await callRpc(node.ready.url, 'anvil_reset', [{ forking }])
    },
    run: (node, signal) => sendCall(node, trace.method, trace.params, signal),
    refusal: 'http',
  },
  {
    ...forked('an error with twenty megabytes of data', trace, () => ({
      error: `{"code":3,"message":"execution reverted","data":${hexText(1e7)}}`,
    })),
    refusal: 'execution reverted',
  },
]
