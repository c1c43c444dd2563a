import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Method } from '../../src/rpc/method.js'
import { registry } from '../../src/rpc/registry.js'
import { MAX_WAITING_BYTES, SessionSubscriptions } from '../../src/rpc/session.js'
import { type Filter, FilterStore } from '../../src/rpc/subscriptions/filterStore.js'
import { type Reply, wireArray } from '../../src/rpc/wire.js'
import { filled, testBlock } from './support/blocks.js'
import { FakeChain, fakeBackend } from './support/fakeBackend.js'
import { testPipeline } from './support/pipeline.js'
import { until } from '../support/until.js'

interface Message {
  id?: number
  result?: string
  error?: { code: number; message: string }
  params?: { subscription: string; result: Record<string, string> }
}

function openSession() {
  const chain = new FakeChain([testBlock(0n)])
  const sent: Message[] = []
  const closed: string[] = []
  const connection = {
    bufferedBytes: 0,
    answer: ({ pieces }: Reply) => void sent.push(JSON.parse(Buffer.concat(pieces).toString())),
    push: (message: Uint8Array) => void sent.push(JSON.parse(Buffer.from(message).toString())),
    close: (reason: string) => void closed.push(reason),
  }
  const mine = (number: bigint) => chain.events.emit({ type: 'head', block: chain.add(testBlock(number)) })
  /** Mines a block during the call. */
  const mining: Method = { name: 'test_mine', parameters: [], invoke: () => (mine(1n), sent.length) }
  const methods = new Map([...registry, [mining.name, mining]])
  const pipeline = testPipeline({ backend: fakeBackend(chain), methods })
  const session = pipeline.open(connection, { transport: 'websocket' })
  const call = (method: string, params: unknown) =>
    session.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return { chain, sent, closed, connection, session, call, mine }
}

/** Waits for more event loop turns than a push needs. */
async function turns(): Promise<void> {
  for (let count = 0; count < 5; count++) await setImmediate()
}

describe('subscriptions', () => {
  it('push heads after the answer with the id, until unsubscribed', async () => {
    const { sent, call, mine } = openSession()
    const asked = call('eth_subscribe', ['newHeads'])
    await asked
    const id = sent[0]?.result
    mine(1n)
    await until(() => sent.length === 2)
    expect(sent[1]).toMatchObject({
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: { subscription: id, result: { number: '0x1', hash: `0x${'a1'.repeat(32)}` } },
    })
    await call('eth_unsubscribe', [id])
    expect(sent[2]).toEqual({ jsonrpc: '2.0', id: 1, result: true })
    mine(2n)
    await turns()
    expect(sent).toHaveLength(3)
    await call('eth_unsubscribe', [id])
    expect(sent[3]?.error).toEqual({ code: -32000, message: 'subscription not found' })
  })

  it('hold pushes back while the answer waits in a batch', async () => {
    const { sent, session } = openSession()
    const item = (method: string, params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
    await session.receive(JSON.stringify([item('eth_subscribe', ['newHeads']), item('test_mine', [])]))
    await until(() => sent.length === 2)
    expect(sent[0]).toMatchObject([{ result: expect.any(String) as string }, { result: 0 }])
    expect(sent.map((message) => (Array.isArray(message) ? 'answers' : 'push'))).toEqual(['answers', 'push'])
  })

  it('push logs one by one, removed ones too', async () => {
    const { sent, chain, call } = openSession()
    await call('eth_subscribe', ['logs', {}])
    const bytes = (text: string) => Buffer.from(`{"data":"${text}","removed":false}`)
    chain.logs = () => Promise.resolve([bytes('0x01'), bytes('0x02')])
    const block = chain.add(testBlock(1n, [], { logsBloom: filled(256, 1) }))
    chain.events.emit({ type: 'head', block })
    chain.events.emit({ type: 'removed', blocks: [block] })
    await until(() => sent.length === 5)
    expect(sent.slice(1).map(({ params }) => params?.result)).toEqual([
      { data: '0x01', removed: false },
      { data: '0x02', removed: false },
      { data: '0x01', removed: true },
      { data: '0x02', removed: true },
    ])
  })

  it('are refused beyond 50,000 of all connections', () => {
    const { connection } = openSession()
    const [first, second] = [new SessionSubscriptions(connection), new SessionSubscriptions(connection)]
    const open = (on: SessionSubscriptions) => on.forMessage().open(() => () => undefined, 'eth_subscribe')
    // Other tests may have left some open.
    for (let count = 0; count < 49_900; count++) open(first)
    expect(() => {
      for (let count = 0; count < 101; count++) open(second)
    }).toThrow('too many subscriptions')
    first.close()
    expect(open(second)).toMatch(/^0x/)
    second.close()
  })

  it("refuse with geth's messages", async () => {
    const { sent, call } = openSession()
    const rows: [unknown, number, string][] = [
      [['foo'], -32601, 'no "foo" subscription in eth namespace'],
      [[], -32602, 'expected subscription name as first argument'],
      [[1], -32602, 'expected subscription name as first argument'],
      [undefined, -32602, 'non-array args'],
      [['newHeads', {}], -32602, 'too many arguments, want at most 1'],
      [['logs'], -32602, 'missing value for required argument 1'],
      [['logs', null], -32602, 'missing value for required argument 1'],
      [['logs', { fromBlock: 'pending' }], -32602, 'pending logs are not supported'],
      [
        ['logs', 5],
        -32602,
        'invalid argument 1: json: cannot unmarshal number into Go value of type filters.input',
      ],
    ]
    for (const [params, code, message] of rows) {
      await call('eth_subscribe', params)
      expect(sent.at(-1)?.error).toEqual({ code, message })
    }
  })

  it('are told by the ending of the name, with the namespace before the first underscore', async () => {
    const { sent, call } = openSession()
    const rows: [string, unknown[], number, string][] = [
      ['x_subscribe', ['newHeads'], -32601, 'no "newHeads" subscription in x namespace'],
      ['_subscribe', ['newHeads'], -32601, 'no "newHeads" subscription in  namespace'],
      ['eth_x_subscribe', ['\ud800'], -32601, 'no "\ufffd" subscription in eth namespace'],
      ['x_unsubscribe', ['0x1'], -32000, 'subscription not found'],
      ['eth_x_unsubscribe', [], -32602, 'missing value for required argument 0'],
    ]
    for (const [method, params, code, message] of rows) {
      await call(method, params)
      expect(sent.at(-1)?.error).toEqual({ code, message })
    }
    await call('eth_x_subscribe', ['newHeads'])
    const id = sent.at(-1)?.result
    await call('_unsubscribe', [id])
    expect(sent.at(-1)?.result).toBe(true)
  })

  it('close the connection of a client that does not read', async () => {
    const { sent, closed, connection, call, mine } = openSession()
    await call('eth_subscribe', ['newHeads'])
    connection.bufferedBytes = MAX_WAITING_BYTES + 1
    mine(1n)
    mine(2n)
    await until(() => closed.length > 0)
    await turns()
    expect(closed).toEqual(['too slow for its subscriptions'])
    expect(sent).toHaveLength(1)
  })

  // As geth 1.17.10 on a WebSocket.
  it.each([
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['{"x', 'unexpected end of JSON input'],
    ['', 'unexpected end of JSON input'],
    [' ', 'unexpected end of JSON input'],
    ['{}x', "invalid character 'x' after top-level value"],
  ])('close the connection after the message %j, which is not JSON', async (message, words) => {
    const { sent, closed, session } = openSession()
    await session.receive(message)
    expect(sent.map(({ error }) => error)).toEqual([{ code: -32700, message: words }])
    expect(closed).toHaveLength(1)
  })

  it('stop when the connection closes', async () => {
    const { sent, session, call, mine } = openSession()
    await call('eth_subscribe', ['newHeads'])
    session.close()
    mine(1n)
    await turns()
    expect(sent).toHaveLength(1)
  })
})

describe('the lifetime of a filter', () => {
  const filterNamed = (name: string, ended: string[]): Filter => ({
    kind: 'NewHeads',
    poll: () => wireArray([]),
    save: () => () => undefined,
    watch: () => undefined,
    weight: () => 0,
    end: () => void ended.push(name),
  })

  it('ends 15 minutes after its last poll', () => {
    let now = 0
    const ended: string[] = []
    const store = new FilterStore({ now: () => now })
    const polled = store.add(filterNamed('polled', ended))
    const forgotten = store.add(filterNamed('forgotten', ended))
    now = 14 * 60_000
    void store.poll(polled)
    now = 15 * 60_000
    expect(() => store.poll(forgotten)).toThrow('filter not found')
    expect(ended).toEqual(['forgotten'])
    now = 29 * 60_000
    expect(store.remove(polled)).toBe(false)
    expect(ended).toEqual(['forgotten', 'polled'])
  })

  it('ends when there are 20,000 others that were polled later', () => {
    const ended: string[] = []
    const store = new FilterStore()
    const ids = Array.from({ length: 20_000 }, (_, index) => store.add(filterNamed(`${index}`, ended)))
    void store.poll(ids[0] ?? '')
    expect(ended).toEqual([])
    store.add(filterNamed('one more', ended))
    store.add(filterNamed('another', ended))
    expect(ended).toEqual(['1', '2'])
    expect(ids.slice(0, 4).map((id) => store.has(id))).toEqual([true, false, false, true])
  })

  it('ends when more than 250,000 values wait in all filters, the one polled longest ago first', () => {
    const ended: string[] = []
    const store = new FilterStore()
    let grow = (_weight: number): void => undefined
    const add = (name: string, weight: number): string =>
      store.add({
        ...filterNamed(name, ended),
        watch: ({ grown }) => {
          grow = grown
        },
        weight: () => weight,
      })
    const first = add('first', 100_000)
    add('second', 100_000)
    add('third', 40_000)
    void store.poll(first)
    grow(50_000)
    expect(ended).toEqual([])
    add('fourth', 60_000)
    expect(ended).toEqual(['second'])
    expect(store.has(first)).toBe(true)
  })
})
