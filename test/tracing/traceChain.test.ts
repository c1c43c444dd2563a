import { once } from 'node:events'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { until } from '../support/until.js'

interface Message {
  id?: number
  result?: string | boolean
  error?: { code: number; message: string }
  method?: string
  params?: { subscription: string; result: { block: string; hash: string; traces: unknown[] } }
}

let node: StandinNode
let socket: WebSocket
let received: Message[] = []

/** Blocks 1 and 3 have two transactions each, the others none; block 5 is the head. */
beforeAll(async () => {
  node = await createNode({ port: 0, noMining: true })
  const [from, to] = node.accounts.map(({ address }) => address)
  for (let number = 1; number <= 5; number++) {
    for (let count = number === 1 || number === 3 ? 2 : 0; count > 0; count--) {
      await node.request('eth_sendTransaction', [{ from, to, value: '0x1', gas: '0x5208' }])
    }
    await node.request('evm_mine')
  }
  socket = new WebSocket(node.url.replace('http', 'ws').replace('/v3/', '/ws/v3/'))
  await once(socket, 'open')
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as Message))
})
afterAll(async () => {
  socket.terminate()
  await node.stop()
})

async function ask(method: string, params: unknown[]): Promise<Message> {
  received = []
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const answer = (): Message | undefined => received.find((message) => message.id === 1)
  await until(() => answer() !== undefined)
  return answer() as Message
}

/** Traces a range, and returns what is pushed up to its last block. */
async function trace(start: string, end: string, last: string, config?: object): Promise<Message[]> {
  const { result } = await ask('debug_subscribe', ['traceChain', start, end, config])
  const pushes = (): Message[] => received.filter(({ id }) => id === undefined)
  await until(() => pushes().at(-1)?.params?.result.block === last)
  for (const { method, params } of pushes()) {
    expect([method, params?.subscription]).toEqual(['debug_subscription', result])
  }
  return pushes()
}

describe('debug_subscribe traceChain', () => {
  it('pushes the traces of the blocks with transactions after the first, and of the last', async () => {
    const config = { tracer: 'callTracer' }
    const pushes = await trace('0x0', '0x4', '0x4', config)
    for (const [index, block] of ['0x1', '0x3', '0x4'].entries()) {
      const { hash } = (await node.request('eth_getBlockByNumber', [block, false])) as { hash: string }
      const traces = await node.request('debug_traceBlockByNumber', [block, config])
      expect(pushes[index]?.params?.result).toEqual({ block, hash, traces })
    }
    expect(pushes).toHaveLength(3)
    const [, { params } = {}] = await trace('0x1', 'latest', '0x5')
    expect(params?.result.traces).toEqual([])
  })

  it('ends the traces of a block at a failure', async () => {
    const [push] = await trace('0x2', '0x3', '0x3', { tracer: 'missing' })
    expect(push?.params?.result.traces).toEqual([
      {
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
        error: expect.stringContaining('ReferenceError: missing is not defined') as string,
      },
      null,
    ])
  })

  // Recorded from geth 1.17.10, whose numbers of block tags are negative.
  it.each<[unknown[], number, string]>([
    [['0x3', '0x1'], -32000, 'end block (#1) needs to come after start block (#3)'],
    [['latest', '0x3'], -32000, 'end block (#3) needs to come after start block (#-2)'],
    [['pending', 'latest'], -32000, 'end block (#-2) needs to come after start block (#-1)'],
    [['safe', 'earliest'], -32000, 'end block (#-5) needs to come after start block (#-4)'],
    [['0x1', '0x99'], -32000, 'block #153 not found'],
    [['0x1'], -32602, 'missing value for required argument 2'],
  ])('refuses %j', async (range, code, message) => {
    const { error } = await ask('debug_subscribe', ['traceChain', ...range])
    expect(error).toEqual({ code, message })
  })

  it('is refused while a thousand others are in progress', async () => {
    const own = new WebSocket(socket.url)
    await once(own, 'open')
    const answers: Message[] = []
    own.on('message', (data: Buffer) => answers.push(JSON.parse(data.toString()) as Message))
    const params = ['traceChain', '0x0', '0x5', { tracer: '{ fault() {}, result() { for (;;); } }' }]
    for (let id = 0; id < 1200; id++) {
      own.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'debug_subscribe', params }))
    }
    const answered = (): Message[] => answers.filter(({ id }) => id !== undefined)
    await until(() => answered().length === 1200)
    const refused = answered().flatMap(({ error }) => (error === undefined ? [] : [error.message]))
    expect(new Set(refused)).toEqual(new Set(['too many streams of traces']))
    own.terminate()
    await until(async () => (await ask('debug_subscribe', params)).error === undefined)
  })

  it('can be ended, and is the only kind of the namespace', async () => {
    const { result } = await ask('debug_subscribe', ['traceChain', '0x0', '0x5'])
    expect((await ask('debug_unsubscribe', [result])).result).toBe(true)
    expect((await ask('debug_unsubscribe', [result])).error?.message).toBe('subscription not found')
    expect((await ask('debug_subscribe', ['newHeads'])).error).toEqual({
      code: -32601,
      message: 'no "newHeads" subscription in debug namespace',
    })
  })
})
