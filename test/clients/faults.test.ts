import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { JsonRpcProvider } from 'ethers'
import { create } from 'kubo-rpc-client'
import { createPublicClient, http, webSocket } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RunningNode, startNode } from '../../src/node.js'
import { parseNodeOptions } from '../../src/options.js'
import { type FaultInput, faultSchema } from '../../src/provider/faults/faultSchema.js'

// docs/guides/clients-under-faults.md lists these results in a table.

type Action = FaultInput['action']

const actions: Record<string, Action> = {
  'status 402': { type: 'quota', span: 'day' },
  'status 403': { type: 'status', status: 403, body: 'forbidden\n' },
  'status 429': { type: 'quota', span: 'second' },
  'status 500': { type: 'status', status: 500, body: 'oops\n' },
  'status 502': { type: 'status', status: 502, body: 'Bad Gateway\n' },
  'status 503': { type: 'outage' },
  'error -32000': { type: 'error', code: -32000, message: 'header not found' },
  'error -32005': { type: 'error', code: -32005, message: 'query returned more than 10000 results' },
  'error -32603': { type: 'error', code: -32603, message: 'internal error' },
  'closed connection': { type: 'close' },
  'cut answer': { type: 'cut', bytes: 10 },
}

const require = createRequire(resolve('test/peers/package.json'))

/** Loads a package of test/peers; undefined if it is not installed. */
function installed(name: string): unknown {
  try {
    return require(name)
  } catch {
    console.warn(`skipped: ${name}; npm install --prefix test/peers`)
    return undefined
  }
}

const ethers5 = installed('ethers5') as
  | {
      ethers: {
        providers: Record<
          'StaticJsonRpcProvider',
          new (url: string, chainId: number) => { getBlockNumber(): Promise<number> }
        >
      }
    }
  | undefined
const web3 = installed('web3') as
  { Web3: new (url: string) => { eth: { getBlockNumber(): Promise<bigint> } } } | undefined

let node: RunningNode
beforeEach(async () => {
  node = await startNode(parseNodeOptions({ port: 0, ipfsPort: 0 }))
})
afterEach(() => node.stop())

/** Applies a fault to the first request of a kind. @returns the client's result or error */
async function outcome(
  match: FaultInput['match'],
  action: Action,
  use: () => Promise<unknown>,
): Promise<string> {
  node.provider.faults.set([faultSchema.parse({ id: 'once', match: { ...match, nth: 1 }, action })])
  try {
    await use()
    return `tries again`
  } catch (error) {
    return nameOf(error)
  }
}

/** Returns the error that users of a client see: the innermost named error, or ethers' code. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause instanceof Error && error.name.endsWith('ExecutionError')
    ? nameOf(error.cause)
    : error.name
}

describe('viem over HTTP', () => {
  test.each([
    ['status 402', 'RpcRequestError'],
    ['status 403', 'tries again'],
    ['status 429', 'tries again'],
    ['status 500', 'tries again'],
    ['status 502', 'tries again'],
    ['status 503', 'tries again'],
    ['error -32000', 'InvalidInputRpcError'],
    ['error -32005', 'tries again'],
    ['error -32603', 'tries again'],
    ['closed connection', 'tries again'],
    ['cut answer', 'tries again'],
  ])('%s: %s', async (name, expected) => {
    const client = createPublicClient({ transport: http(node.urls.url, { retryDelay: 1 }), cacheTime: 0 })
    const action = actions[name] ?? { type: 'hang' }
    expect(await outcome({ method: 'eth_blockNumber' }, action, () => client.getBlockNumber())).toBe(expected)
  })
})

describe('ethers over HTTP', () => {
  test.each([
    ['status 402', 'SERVER_ERROR'],
    ['status 403', 'SERVER_ERROR'],
    ['status 429', 'tries again'],
    ['status 500', 'SERVER_ERROR'],
    ['status 502', 'SERVER_ERROR'],
    ['status 503', 'SERVER_ERROR'],
    ['error -32000', 'UNKNOWN_ERROR'],
    ['error -32005', 'UNKNOWN_ERROR'],
    ['error -32603', 'UNKNOWN_ERROR'],
    ['closed connection', 'ECONNRESET'],
    ['cut answer', 'ECONNRESET'],
  ])('%s: %s', async (name, expected) => {
    const provider = new JsonRpcProvider(node.urls.url, 31337, { staticNetwork: true, cacheTimeout: -1 })
    const action = actions[name] ?? { type: 'hang' }
    expect(await outcome({ method: 'eth_blockNumber' }, action, () => provider.getBlockNumber())).toBe(
      expected,
    )
    provider.destroy()
  })
})

describe.skipIf(ethers5 === undefined)('ethers 5 over HTTP', () => {
  test.each([
    ['status 402', 'SERVER_ERROR'],
    ['status 403', 'SERVER_ERROR'],
    ['status 429', 'tries again'],
    ['status 500', 'SERVER_ERROR'],
    ['status 502', 'SERVER_ERROR'],
    ['status 503', 'SERVER_ERROR'],
    ['error -32000', 'SERVER_ERROR'],
    ['error -32005', 'SERVER_ERROR'],
    ['error -32603', 'SERVER_ERROR'],
    ['closed connection', 'SERVER_ERROR'],
    ['cut answer', 'SERVER_ERROR'],
  ])('%s: %s', async (name, expected) => {
    if (ethers5 === undefined) throw new Error('ethers 5 is missing')
    const provider = new ethers5.ethers.providers.StaticJsonRpcProvider(node.urls.url, 31337)
    const action = actions[name] ?? { type: 'hang' }
    expect(await outcome({ method: 'eth_blockNumber' }, action, () => provider.getBlockNumber())).toBe(
      expected,
    )
  })
})

describe.skipIf(web3 === undefined)('web3.js 4 over HTTP', () => {
  test.each([
    ['status 402', 'ResponseError'],
    ['status 403', 'FetchError'],
    ['status 429', 'ResponseError'],
    ['status 500', 'FetchError'],
    ['status 502', 'FetchError'],
    ['status 503', 'FetchError'],
    ['error -32000', 'InvalidResponseError'],
    ['error -32005', 'InvalidResponseError'],
    ['error -32603', 'InvalidResponseError'],
    ['closed connection', 'ECONNRESET'],
  ])('%s: %s', async (name, expected) => {
    if (web3 === undefined) throw new Error('web3.js is missing')
    const client = new web3.Web3(node.urls.url)
    const action = actions[name] ?? { type: 'hang' }
    expect(await outcome({ method: 'eth_blockNumber' }, action, () => client.eth.getBlockNumber())).toBe(
      expected,
    )
  })
})

describe('kubo-rpc-client', () => {
  test.each([
    ['status 403', 'HTTPError'],
    ['status 429', 'HTTPError'],
    ['status 500', 'HTTPError'],
    ['status 503', 'HTTPError'],
    ['closed connection', 'TypeError'],
  ])('%s: %s', async (name, expected) => {
    const client = create({ url: node.urls.ipfsUrl })
    const action = actions[name] ?? { type: 'hang' }
    expect(await outcome({ operation: 'version' }, action, () => client.version())).toBe(expected)
  })
})

test('viem reconnects a WebSocket that ended without a close frame', async () => {
  const transport = webSocket(node.urls.wsUrl, { reconnect: { delay: 10 }, retryDelay: 10 })
  const client = createPublicClient({ transport, cacheTime: 0 })
  expect(await client.getBlockNumber()).toBe(0n)
  const result = await outcome(
    { transport: 'websocket', method: 'eth_chainId' },
    { type: 'close-websocket', frame: false },
    () => client.getChainId(),
  )
  expect(['tries again', 'WebSocketRequestError', 'SocketClosedError']).toContain(result)
  await expect.poll(() => client.getBlockNumber().catch(() => undefined)).toBe(0n)
  const rpcClient = await client.transport.getRpcClient()
  rpcClient.close()
})
