import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../support/until.js'
import { type Devnet, startDevnet, stopAll } from './support.js'

/** Expected answers and pushes are those of `hardhat node` 2.29.1. */

interface Answer {
  id: number
  result?: unknown
  error?: { code: number; message: string }
}

let devnet: Devnet
let socket: WebSocket
let answers: Answer[]
let pushed: { subscription: string; result: Record<string, unknown> }[]

beforeEach(async () => {
  devnet = await startDevnet({ compat: 'hardhat' })
  socket = new WebSocket(devnet.node.wsUrl)
  answers = []
  pushed = []
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Answer & { params?: (typeof pushed)[number] }
    if (message.params === undefined) answers.push(message)
    else pushed.push(message.params)
  })
  await once(socket, 'open')
})

afterEach(async () => {
  socket.close()
  await stopAll()
})

async function ask(method: string, ...params: unknown[]): Promise<Answer> {
  const id = answers.length
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  await until(() => answers.length > id)
  return answers[id]!
}

test('new heads are pushed as blocks', async () => {
  const { result: id } = await ask('eth_subscribe', 'newHeads', {})
  await devnet.call('evm_mine')
  await until(() => pushed.length === 1)
  expect(pushed[0]).toEqual({ subscription: id, result: await devnet.block() })
  expect(pushed[0]?.result).toMatchObject({ transactions: [], uncles: [], totalDifficulty: '0x0' })
})

test('a logs subscription without a choice for a topic gets nothing', async () => {
  const emitter = `0x${'51'.repeat(20)}`
  // LOG1 with the caller as data and the block number as topic.
  await devnet.call('hardhat_setCode', emitter, '0x335f524360205fa1')
  await ask('eth_subscribe', 'logs', { topics: [[]] })
  const { result: id } = await ask('eth_subscribe', 'logs', {})
  await devnet.send({ to: emitter, gas: '0x186a0' })
  await devnet.send({ to: emitter, gas: '0x186a0' })
  await until(() => pushed.length === 2)
  expect(pushed.map(({ subscription }) => subscription)).toEqual([id, id])
})

test.each([
  [['logs'], 'Missing params argument'],
  [['logs', null], 'Missing params argument'],
  [['syncing'], 'Invalid subscription type'],
  [['newPendingTransactions', true], 'invalid type: boolean `true`, expected struct LogFilterOptions'],
  [[], 'invalid length 0, expected tuple variant MethodInvocation::Subscribe with 2 elements'],
  [[1], 'invalid type: integer `1`, expected a string'],
])('a subscription to %j is refused', async (params, message) => {
  expect((await ask('eth_subscribe', ...params)).error).toMatchObject({ code: -32602, message })
})

test('ending an unknown subscription is no error', async () => {
  const { result: id } = await ask('eth_subscribe', 'newHeads')
  expect((await ask('eth_unsubscribe', id)).result).toBe(true)
  expect((await ask('eth_unsubscribe', id)).result).toBe(false)
})
