import { toHex, type Hex } from 'viem'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { countTurns, endEverySlice } from '../support/turns.js'
import { inputOf, TracedNode, type Receipt } from './tracedNode.js'

const TRANSACTIONS = 12
/** Number of calls, logs and stores in the long trace. */
const STEPS = 40

let chain: TracedNode
let store: Hex

beforeEach(async () => {
  chain = await TracedNode.start()
  store = await chain.deploy('Store')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await chain.stop()
})

/** Mines a block with TRANSACTIONS copies of a transaction and returns their hashes. */
async function mineMany(transaction: object): Promise<Hex[]> {
  await chain.call('evm_setAutomine', false)
  const hashes: Hex[] = []
  for (let index = 0; index < TRANSACTIONS; index++) {
    const sent = { from: chain.alice, gas: toHex(90_000), ...transaction }
    hashes.push(await chain.call<Hex>('eth_sendTransaction', sent))
  }
  await chain.call('evm_mine')
  await chain.call('evm_setAutomine', true)
  return hashes
}

it('yields between the transactions of a block', async () => {
  const hashes = await mineMany({ to: chain.bob, value: '0x1' })
  const last = hashes.at(-1)
  const { blockNumber } = await chain.call<Receipt>('eth_getTransactionReceipt', last)
  const call = { from: chain.alice, to: chain.bob }
  const before = toHex(TRANSACTIONS - 1)
  const place = { blockNumber, transactionIndex: TRANSACTIONS }
  const requests: [string, ...unknown[]][] = [
    ['debug_traceBlockByNumber', blockNumber],
    ['debug_traceBlockByNumber', blockNumber, { tracer: 'callTracer' }],
    ['debug_traceBlockByNumber', blockNumber, { tracer: 'prestateTracer' }],
    ['debug_traceTransaction', last, { tracer: 'callTracer' }],
    ['debug_traceCall', call, blockNumber, { tracer: 'callTracer', txIndex: before }],
    ['eth_callMany', [{ transactions: [call] }], place],
    ['trace_block', blockNumber],
    ['trace_replayBlockTransactions', blockNumber, ['trace', 'stateDiff', 'vmTrace']],
    ['trace_filter', { fromBlock: blockNumber }],
    ['trace_transaction', last],
    ['ots_traceTransaction', last],
    ['ots_searchTransactionsBefore', chain.bob, 0, 1],
    ['ots_getBlockDetails', blockNumber],
  ]
  endEverySlice()
  for (const [method, ...params] of requests) {
    const turns = await countTurns(() => chain.call(method, ...params))
    expect(turns, method).toBeGreaterThanOrEqual(TRANSACTIONS)
  }
})

it('yields between calls that build on each other', async () => {
  const call = { from: chain.alice, to: chain.bob }
  const calls = new Array<object>(TRANSACTIONS).fill(call)
  const traced = calls.map((one) => [one, ['trace']])
  endEverySlice()
  for (const [method, list] of [
    ['trace_callMany', traced],
    ['eth_callMany', [{ transactions: calls }]],
  ] as const) {
    const turns = await countTurns(() => chain.call(method, list))
    expect(turns, method).toBeGreaterThanOrEqual(TRANSACTIONS)
  }
})

it('yields while writing one long trace', async () => {
  const repeated = (code: string) => code.repeat(STEPS)
  // STEPS empty calls to bob, empty logs and stores.
  const calls = repeated(`5f5f5f5f5f73${chain.bob.slice(2)}5af150`)
  const slots = Array.from({ length: STEPS }, (_, slot) => `600160${slot.toString(16).padStart(2, '0')}55`)
  const to = await chain.deployCode(`${calls}${repeated('5f5fa0')}${slots.join('')}`)
  const { transactionHash: hash } = await chain.send({ to, gas: toHex(5_000_000) })
  const call = { from: chain.alice, to }
  const withLog = { tracer: 'callTracer', tracerConfig: { withLog: true } }
  const diff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  const traces: [string, number, ...unknown[]][] = [
    ['debug_traceTransaction', 2, hash, withLog],
    ['debug_traceTransaction', 2, hash, diff],
    ['debug_traceTransaction', 1, hash, { tracer: 'flatCallTracer' }],
    [
      'debug_traceCall',
      3,
      call,
      'latest',
      { tracer: 'muxTracer', tracerConfig: { callTracer: null, prestateTracer: null, flatCallTracer: null } },
    ],
    ['trace_transaction', 1, hash],
    ['trace_get', 1, hash, []],
    ['trace_replayTransaction', 1, hash, ['trace']],
    ['trace_replayTransaction', 2, hash, ['stateDiff']],
    ['trace_call', 1, call, ['trace']],
    ['trace_callMany', 1, [[call, ['trace']]]],
    ['trace_replayBlockTransactions', 1, 'latest', ['trace']],
    ['debug_traceBlockByNumber', 1, 'latest', withLog],
    ['ots_traceTransaction', 1, hash],
    ['ots_getInternalOperations', 1, hash],
    ['ots_searchTransactionsBefore', 1, chain.node.accounts[2]?.address, 0, 1],
  ]
  endEverySlice()
  for (const [method, lists, ...params] of traces) {
    const turns = await countTurns(() => chain.call(method, ...params))
    expect(turns, `${method} ${JSON.stringify(params)}`).toBeGreaterThanOrEqual(lists * STEPS)
  }
})

it('is not affected by changes of the chain meanwhile', async () => {
  const snapshot = await chain.call<Hex>('evm_snapshot')
  const increment = { to: store, data: inputOf('Store', 'increment') }
  const [hash] = await mineMany(increment)
  const { blockHash } = await chain.call<Receipt>('eth_getTransactionReceipt', hash)
  const configs = [
    {},
    { tracer: 'callTracer' },
    { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  ]
  const traceAll = () =>
    Promise.all(configs.map((config) => chain.call('debug_traceBlockByHash', blockHash, config)))
  const expected = await traceAll()
  const changes: (() => Promise<unknown>)[] = [
    () => chain.call('eth_call', increment, 'latest'),
    () => chain.call('hardhat_setStorageAt', store, '0x0', toHex(700, { size: 32 })),
    () => chain.send(increment),
    () => chain.call('evm_revert', snapshot),
    () => chain.call('hardhat_setCode', store, '0x00'),
    () => chain.call('hardhat_mine', '0x5'),
  ]
  endEverySlice()
  const traced: unknown[] = []
  await countTurns(
    async () => {
      // A change that waits for the disk may outlast the traces.
      do traced.push(await traceAll())
      while (changes.length > 0)
    },
    () => changes.shift()?.(),
  )
  expect(traced).toEqual(traced.map(() => expected))
})
