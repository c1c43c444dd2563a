import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { buildCommand } from '../support/command.js'
import { callRpc } from '../support/rpc.js'
import { startTorturedNode, untilIdle, type TorturedNode } from './node.js'
import { call, callRaw, postFiles, uploadBody } from './requests.js'
import { rounds } from './settings.js'

const MEGABYTE = 2 ** 20
/** Maximum resident memory during a flood, in bytes; the node starts with about 100 MB. */
const MEMORY_LIMIT = 300 * MEGABYTE
/** The same while hundreds of megabytes of long bodies arrive. */
const LONG_BODIES_LIMIT = 400 * MEGABYTE
/** The same while programs run, in the engine of another thread. */
const TRACER_LIMIT = 400 * MEGABYTE
const CONNECTIONS = rounds(500, 5000)
const SUBSCRIPTIONS = rounds(1000, 10_000)
const TIME_LIMIT = 600_000

let node: TorturedNode
const sockets = new Set<Socket | WebSocket>()

beforeAll(async () => {
  await buildCommand()
  node = await startTorturedNode()
  // A contract that returns a megabyte.
  await callRpc(node.ready.url, 'anvil_setCode', [LARGE, '0x621000005ff3'])
}, 300_000)

afterEach(() => {
  for (const socket of sockets) {
    if (socket instanceof WebSocket) socket.terminate()
    else socket.destroy()
  }
  sockets.clear()
})

afterAll(() => node.stop())

const LARGE = '0x00000000000000000000000000000000000b0b0b'
const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
const largeCall = (id: number) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'eth_call',
    params: [{ to: LARGE, gas: '0x2faf080' }, 'latest'],
  })

/** A call of eight megabytes. */
const hashing = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'web3_sha3',
  params: [`0x${'ab'.repeat(4 * MEGABYTE)}`],
})
/** Its result: keccak256 of 4 MiB of 0xab, by cast keccak. */
const HASH = '0xacd8b43a43430a2d85685ae4e909d057ffc058f21d5c79953956c8c8b22dc01c'

/** Opens a connection to a URL's port, closed at the end of the test. */
async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  sockets.add(socket)
  await once(socket, 'connect')
  return socket
}

/** Opens connections to the node's JSON-RPC port. */
function openAll(count: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => open(node.ready.url)))
}

async function openWebSocket(): Promise<WebSocket> {
  const socket = new WebSocket(node.ready.wsUrl)
  sockets.add(socket)
  await once(socket, 'open')
  return socket
}

function request(body: string): string {
  const { pathname, host } = new URL(node.ready.url)
  return (
    `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** Checks that the node answers another client, and that its memory is within the limit. */
async function expectHealthy(limit = MEMORY_LIMIT): Promise<void> {
  expect(await callRpc(node.ready.url, 'eth_chainId', [])).toBe('0x7a69')
  const { peakMemory } = await node.measure()
  console.log(`peak memory ${(peakMemory / MEGABYTE).toFixed(0)} MB`)
  expect(peakMemory).toBeLessThan(limit)
  expect(node.stderr()).toBe('')
  await untilIdle(node, 60_000)
}

it(
  `keeps answering while ${CONNECTIONS} connections send requests at once`,
  { timeout: TIME_LIMIT },
  async () => {
    const all: Socket[] = []
    while (all.length < CONNECTIONS) all.push(...(await openAll(500)))
    const answers = all.map((socket) => once(socket, 'data'))
    await node.measure()
    for (const socket of all) socket.write(request(chainId))
    for (const [data] of await Promise.all(answers)) expect(String(data)).toContain('0x7a69')
    const { longest } = await node.measure()
    console.log(`longest stop ${longest.toFixed(0)} ms`)
    await expectHealthy()
  },
)

it('keeps answering while writers send a byte at a time', { timeout: TIME_LIMIT }, async () => {
  const all = await openAll(200)
  const text = request(chainId)
  for (let index = 0; index < 40; index++) {
    for (const socket of all) socket.write(text.charAt(index))
    await sleep(5)
  }
  await expectHealthy()
})

it('bounds memory for clients that do not read', { timeout: TIME_LIMIT }, async () => {
  const all = await openAll(20)
  for (const socket of all) {
    socket.pause()
    // Pipelined: the second answer is not computed before the first has been sent.
    for (let id = 0; id < 20; id++) socket.write(request(largeCall(id)))
  }
  await sleep(3000)
  await expectHealthy()
})

it('bounds memory for thousands of pipelined listings of a directory', { timeout: TIME_LIMIT }, async () => {
  const files = Array.from({ length: 200 }, (_, index) => [`d%2F${index}`, Buffer.from('x')] as const)
  const lines = (await postFiles(node, 'add?quieter=true', uploadBody(files))).trim().split('\n')
  const { Hash: cid } = JSON.parse(lines.at(-1) ?? '') as { Hash: string }
  const socket = await open(node.ready.ipfsUrl)
  socket.resume()
  socket.write(`HEAD /ipfs/${cid}/ HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`.repeat(20_000))
  await sleep(3000)
  socket.destroy()
  await expectHealthy()
})

it('bounds the answers of a WebSocket whose reader sleeps', { timeout: TIME_LIMIT }, async () => {
  const socket = await openWebSocket()
  socket.pause()
  for (let id = 0; id < 1000; id++) socket.send(largeCall(id))
  await untilIdle(node, 60_000)
  await expectHealthy()
  const answered = new Set<number>()
  socket.on('message', (data: Buffer) => {
    answered.add(Number(/"id":(\d+)/.exec(data.toString('latin1', 0, 100))?.[1]))
  })
  socket.resume()
  while (answered.size < 1000) await sleep(50)
})

it(`pushes to ${SUBSCRIPTIONS} subscriptions whose reader sleeps`, { timeout: TIME_LIMIT }, async () => {
  const socket = await openWebSocket()
  let answers = 0
  socket.on('message', () => answers++)
  const subscribe = (id: number) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: ['newHeads'] })
  for (let id = 0; id < SUBSCRIPTIONS; id++) socket.send(subscribe(id))
  while (answers < SUBSCRIPTIONS) await sleep(50)
  socket.pause()
  await node.measure()
  for (let block = 0; block < 20; block++) await call(node, 'evm_mine', [])
  const { longest } = await node.measure()
  console.log(`longest stop ${longest.toFixed(0)} ms`)
  await expectHealthy()
})

it('bounds memory for long bodies that do not end', { timeout: TIME_LIMIT }, async () => {
  const all = await openAll(100)
  for (const socket of all) socket.write(request(hashing).slice(0, -1))
  await sleep(3000)
  await expectHealthy(LONG_BODIES_LIMIT)
  for (const socket of all) socket.destroy()
  const [answer] = await Promise.all(
    (await openAll(20)).map(async (socket) => {
      socket.write(request(hashing))
      return String(await once(socket, 'data'))
    }),
  )
  expect(answer).toContain(HASH)
  await expectHealthy(LONG_BODIES_LIMIT)
})

it('bounds memory for long messages over WebSocket', { timeout: TIME_LIMIT }, async () => {
  const answers: string[] = []
  for (let opened = 0; opened < 10; opened++) {
    const socket = await openWebSocket()
    socket.on('message', (answer: Buffer) => answers.push(answer.toString()))
    for (let sent = 0; sent < 5; sent++) socket.send(hashing)
  }
  while (answers.length < 50) await sleep(50)
  for (const answer of answers) expect(answer).toContain(HASH)
  await expectHealthy(LONG_BODIES_LIMIT)
})

it(
  'bounds memory for a JavaScript tracer of thousands of transactions',
  { timeout: TIME_LIMIT },
  async () => {
    const [from] = await callRpc<string[]>(node.ready.url, 'eth_accounts', [])
    await callRpc(node.ready.url, 'evm_setBlockGasLimit', ['0x1dcd6500'])
    await callRpc(node.ready.url, 'evm_setAutomine', [false])
    const transfers = Array.from({ length: 1000 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendTransaction',
      params: [{ from, to: from, gas: '0x5208' }],
    }))
    for (let batch = 0; batch < 4; batch++) await callRaw(node, JSON.stringify(transfers))
    await callRpc(node.ready.url, 'evm_mine', [])
    const tracer = '{ fault() {}, result() { return 1 } }'
    const traces = await callRpc<unknown[]>(node.ready.url, 'debug_traceBlockByNumber', [
      'latest',
      { tracer },
    ])
    expect(traces).toHaveLength(4000)
    await expectHealthy(TRACER_LIMIT)
  },
)
