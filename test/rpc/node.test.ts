import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'

/**
 * A contract that emits n logs with the topics n down to 1, where n is the first word of its call data:
 * `n := calldata[0]; while n != 0 { log1(n); n -= 1 }`.
 */
const emitterRuntime = '5f355b8015601357805f5fa1600190036002565b00'
const emitterCode = `0x60${(emitterRuntime.length / 2).toString(16)}8060095f395ff3${emitterRuntime}`
const word = (value: number) => value.toString(16).padStart(64, '0')
const topic = (value: number) => `0x${word(value)}`

interface Log {
  topics: string[]
  logIndex: string
  blockNumber: string
}

let node: StandinNode

async function start(options: NodeOptions = {}): Promise<void> {
  node = await createNode({ port: 0, ...options })
}

afterEach(() => node.stop())

async function post(body: unknown): Promise<unknown> {
  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return JSON.parse(await response.text())
}

const call = (method: string, params: unknown[] = [], id = 1) => ({ jsonrpc: '2.0', id, method, params })

async function accounts(): Promise<[string, string]> {
  const [from = '', to = ''] = (await node.request('eth_accounts')) as string[]
  return [from, to]
}

async function send(fields: Record<string, string>): Promise<string> {
  const [from] = await accounts()
  return (await node.request('eth_sendTransaction', [{ from, ...fields }])) as string
}

/** Deploys the emitter. @returns its address */
async function deployEmitter(): Promise<string> {
  const hash = await send({ data: emitterCode })
  const receipt = (await node.request('eth_getTransactionReceipt', [hash])) as { contractAddress: string }
  return receipt.contractAddress
}

describe('logs', () => {
  beforeEach(() => start({ logsMaxResults: 5, logsMaxParameters: 4 }))

  async function search(filter: object): Promise<string[]> {
    const logs = (await node.request('eth_getLogs', [{ fromBlock: 'earliest', ...filter }])) as Log[]
    return logs.map(({ topics, logIndex, blockNumber }) => `${blockNumber}/${logIndex}:${Number(topics[0])}`)
  }

  it('are found by address, by topic and by block', async () => {
    const address = await deployEmitter()
    await send({ to: address, data: `0x${word(3)}` })
    await send({ to: address, data: `0x${word(2)}` })
    const all = ['0x2/0x0:3', '0x2/0x1:2', '0x2/0x2:1', '0x3/0x0:2', '0x3/0x1:1']
    const [, other] = await accounts()
    expect(await search({})).toEqual(all)
    expect(await search({ address, topics: [] })).toEqual(all)
    expect(await search({ address: [other, address], topics: [null] })).toEqual(all)
    expect(await search({ address: other })).toEqual([])
    expect(await search({ topics: [topic(2)] })).toEqual(['0x2/0x1:2', '0x3/0x0:2'])
    expect(await search({ topics: [[topic(3), topic(2)]] })).toEqual(['0x2/0x0:3', '0x2/0x1:2', '0x3/0x0:2'])
    expect(await search({ topics: [topic(2), topic(2)] })).toEqual([])
    expect(await search({ fromBlock: '0x3', toBlock: '0x3', topics: [topic(1)] })).toEqual(['0x3/0x1:1'])
    const { hash } = (await node.request('eth_getBlockByNumber', ['0x2', false])) as { hash: string }
    expect(await search({ fromBlock: undefined, blockHash: hash })).toEqual(all.slice(0, 3))
    expect(await search({ fromBlock: undefined, blockhash: hash, topics: [topic(9)] })).toEqual([])
  })

  it('match only with at least as many topics as the filter has positions, wildcards included', async () => {
    const address = await deployEmitter()
    await send({ to: address, data: `0x${word(1)}` })
    expect(await search({ topics: [topic(1)] })).toHaveLength(1)
    expect(await search({ topics: [null, null] })).toEqual([])
    expect(await search({ topics: [topic(1), []] })).toEqual([])
  })

  it('are refused above the limits', async () => {
    const address = await deployEmitter()
    await send({ to: address, data: `0x${word(5)}` })
    expect(await search({})).toHaveLength(5)
    await send({ to: address, data: `0x${word(1)}` })
    await expect(search({})).rejects.toMatchObject({
      code: -32005,
      message: 'query returned more than 5 results',
      data: undefined,
    })
    await expect(search({ topics: [new Array(5).fill(topic(1))] })).rejects.toMatchObject({
      code: -32602,
      message: 'query exceeds 4 parameters',
    })
  })
})

describe('a chain with automine', () => {
  beforeEach(() => start())

  it('shows a transaction to the next call of the same batch', async () => {
    const [from, to] = await accounts()
    const [sent, number, block] = (await post([
      call('eth_sendTransaction', [{ from, to, value: '0x1' }], 1),
      call('eth_blockNumber', [], 2),
      call('eth_getBlockByNumber', ['latest', false], 3),
    ])) as [{ result: string }, { result: string }, { result: { transactions: string[] } }]
    expect(number.result).toBe('0x1')
    expect(block.result.transactions).toEqual([sent.result])
    const receipt = await node.request('eth_getTransactionReceipt', [sent.result])
    expect(receipt).toMatchObject({ status: '0x1', gasUsed: '0x5208', transactionHash: sent.result })
    for (const [method, params] of [
      ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0x0']],
      ['eth_getTransactionByHash', [sent.result]],
    ] as const) {
      expect(await node.request(method, params)).toMatchObject({ hash: sent.result, from, to, value: '0x1' })
    }
  })

  it('returns changes since the last poll from filters', async () => {
    const address = await deployEmitter()
    const logs = await node.request('eth_newFilter', [{ address, topics: [topic(2)] }])
    const blocks = await node.request('eth_newBlockFilter')
    const pending = await node.request('eth_newPendingTransactionFilter')
    const sent = await send({ to: address, data: `0x${word(2)}` })
    expect(await node.request('eth_getFilterChanges', [logs])).toMatchObject([{ topics: [topic(2)] }])
    expect(await node.request('eth_getFilterChanges', [logs])).toEqual([])
    expect(await node.request('eth_getFilterChanges', [blocks])).toHaveLength(1)
    expect(await node.request('eth_getFilterChanges', [pending])).toEqual([sent])
    expect(await node.request('eth_getFilterLogs', [logs])).toMatchObject([{ transactionHash: sent }])
    expect(await node.request('eth_uninstallFilter', [logs])).toBe(true)
  })

  it('pushes heads, logs and transactions over a WebSocket', async () => {
    const address = await deployEmitter()
    const socket = new WebSocket(node.wsUrl)
    const answers = new Map<number, string>()
    const pushes = new Map<string, unknown[]>()
    socket.on('message', (data: Buffer) => {
      const { id, result, params } = JSON.parse(data.toString())
      if (params === undefined) answers.set(id, result)
      else pushes.set(params.subscription, [...(pushes.get(params.subscription) ?? []), params.result])
    })
    await once(socket, 'open')
    const ask = async (id: number, method: string, params: unknown[]) => {
      socket.send(JSON.stringify(call(method, params, id)))
      await expect.poll(() => answers.has(id)).toBe(true)
      return answers.get(id) ?? ''
    }
    const heads = await ask(1, 'eth_subscribe', ['newHeads'])
    const logs = await ask(2, 'eth_subscribe', ['logs', { address }])
    const hashes = await ask(3, 'eth_subscribe', ['newPendingTransactions'])
    const objects = await ask(4, 'eth_subscribe', ['newPendingTransactions', true])
    const sent = await send({ to: address, data: `0x${word(2)}` })
    await expect.poll(() => pushes.get(logs)?.length).toBe(2)
    expect(pushes.get(heads)).toMatchObject([{ number: '0x2', slotNumber: null }])
    expect(pushes.get(logs)).toMatchObject([{ topics: [topic(2)] }, { topics: [topic(1)], removed: false }])
    expect(pushes.get(hashes)).toEqual([sent])
    expect(pushes.get(objects)).toMatchObject([{ hash: sent, blockHash: null }])
    expect(await ask(5, 'eth_unsubscribe', [heads])).toBe(true)
    await node.request('evm_mine')
    expect(await ask(6, 'eth_blockNumber', [])).toBe('0x3')
    expect(pushes.get(heads)).toHaveLength(1)
    socket.close()
  })

  it('pushes the receipts of each block, for all transactions or those named', async () => {
    const socket = new WebSocket(node.wsUrl)
    const received: {
      id?: number
      result?: unknown
      error?: { code: number; message: string }
      params?: Push
    }[] = []
    interface Push {
      subscription: string
      result: { transactionHash: string }[]
    }
    socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())))
    await once(socket, 'open')
    const ask = async (id: number, params: unknown[]) => {
      socket.send(JSON.stringify(call('eth_subscribe', params, id)))
      await expect.poll(() => received.some((message) => message.id === id)).toBe(true)
      return received.find((message) => message.id === id)
    }
    const pushedTo = (subscription: unknown) =>
      received
        .flatMap(({ params }) => params ?? [])
        .filter((push) => push.subscription === subscription)
        .map(({ result }) => result.map((receipt) => receipt.transactionHash))
    await node.request('evm_setAutomine', [false])
    const to = `0x${'42'.repeat(20)}`
    const first = await send({ to, value: '0x1' })
    const all = await ask(1, ['transactionReceipts'])
    const named = await ask(2, ['transactionReceipts', { transactionHashes: [first] }])
    const second = await send({ to, value: '0x2' })
    await node.request('evm_mine')
    await expect.poll(() => pushedTo(all?.result)).toEqual([[first, second]])
    expect(pushedTo(named?.result)).toEqual([[first]])
    await node.request('evm_mine')
    const third = await send({ to, value: '0x3' })
    await node.request('evm_mine')
    await expect.poll(() => pushedTo(all?.result)).toEqual([[first, second], [third]])
    expect(pushedTo(named?.result)).toEqual([[first]])
    const tooMany = Array.from({ length: 201 }, () => first)
    expect((await ask(3, ['transactionReceipts', { transactionHashes: tooMany }]))?.error?.code).toBe(-32000)
    expect((await ask(4, ['transactionReceipts', []]))?.error?.message).toBe(
      'invalid argument 1: json: cannot unmarshal array into Go value of type filters.input',
    )
    socket.close()
  })

  it('reverts to a snapshot', async () => {
    const id = await node.request('evm_snapshot')
    await send({ to: `0x${'42'.repeat(20)}`, value: '0x5' })
    expect(await node.request('eth_getBalance', [`0x${'42'.repeat(20)}`])).toBe('0x5')
    expect(await node.request('evm_revert', [id])).toBe(true)
    expect(await node.request('eth_getBalance', [`0x${'42'.repeat(20)}`])).toBe('0x0')
    expect(await node.request('eth_blockNumber')).toBe('0x0')
    expect(await node.request('evm_revert', [id])).toBe(false)
  })

  it('survives invalid bodies', async () => {
    const rows: [string, number][] = [
      ['{', -32700],
      ['[1', -32700],
      ['[]', -32600],
      ['[[]]', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_nothing"}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}', -32601],
    ]
    for (const [body, code] of rows) {
      const answer = (await post(body)) as { error: { code: number } } | [{ error: { code: number } }]
      expect((Array.isArray(answer) ? answer[0] : answer).error.code).toBe(code)
    }
    expect(await post('{"jsonrpc":"2.0","id":9007199254740993,"method":"eth_blockNumber"}')).toMatchObject({
      result: '0x0',
    })
  })
})

describe('a chain without automatic mining', () => {
  beforeEach(() => start({ noMining: true }))

  it('shows pending transactions only in the pending block', async () => {
    const [from] = await accounts()
    const hash = await send({ to: `0x${'42'.repeat(20)}`, value: '0x5' })
    const waiting = { hash, from, blockHash: null, blockNumber: null, transactionIndex: null }
    expect(await node.request('eth_getTransactionByHash', [hash])).toMatchObject(waiting)
    expect(await node.request('eth_getTransactionReceipt', [hash])).toBeNull()
    expect(await node.request('eth_getBlockByNumber', ['pending', true])).toMatchObject({
      number: null,
      gasUsed: '0x5208',
      transactions: [waiting],
    })
    expect(await node.request('eth_getBalance', [`0x${'42'.repeat(20)}`, 'pending'])).toBe('0x5')
    expect(await node.request('eth_getBalance', [`0x${'42'.repeat(20)}`, 'latest'])).toBe('0x0')
    expect(await node.request('eth_getTransactionCount', [from, 'pending'])).toBe('0x1')
    expect(await node.request('eth_getTransactionCount', [from, 'latest'])).toBe('0x0')
    await node.request('evm_mine')
    expect(await node.request('eth_getTransactionByHash', [hash])).toMatchObject({ blockNumber: '0x1' })
  })
})
