import { gunzipSync } from 'node:zlib'
import { bytesToHex, hexToBytes, numberToHex, pad, size, stringToHex, type Hex } from 'viem'
import { afterEach, expect, test, vi } from 'vitest'
import { RlpString } from '../../src/chain/strictRlp.js'
import { countTurns, countTurnsByClockReads, endEverySlice } from '../support/turns.js'
import { refusalOf, startDevnet, stopAll, type Devnet } from './support.js'

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

const holder: Hex = `0x${'c0'.repeat(20)}`
const addressOf = (index: number): Hex => pad(numberToHex(2 ** 40 + index), { size: 20 })

/** Makes a dump with `size` accounts, one of them with `size` slots. */
function largeState(size: number): Hex {
  const indices = Array.from({ length: size }, (_, index) => index)
  const storage = Object.fromEntries(
    indices.map((index) => [pad(numberToHex(index)), pad(numberToHex(index + 1))]),
  )
  const alloc = {
    ...Object.fromEntries(indices.map((index) => [addressOf(index), { balance: '0x7' }])),
    [holder]: { balance: '0x0', nonce: '0x1', code: '0x00', storage },
  }
  return stringToHex(JSON.stringify({ alloc }))
}

/** Counts the turns of other work during a request, which uses no socket. */
function turnsDuring({ call }: Devnet, method: string, ...parameters: unknown[]): Promise<number> {
  return countTurns(() => call(method, ...parameters))
}

const SIZE = 200

test('loading, dumping and listing a large state yields', async () => {
  const devnet = await startDevnet()
  const { call } = devnet
  endEverySlice()
  expect(await turnsDuring(devnet, 'anvil_loadState', largeState(SIZE))).toBeGreaterThan(2 * SIZE)
  expect(await call('eth_getBalance', addressOf(SIZE - 1), 'latest')).toBe('0x7')
  expect(await turnsDuring(devnet, 'anvil_dumpState')).toBeGreaterThan(2 * SIZE)
  expect(await turnsDuring(devnet, 'standin_dumpGenesis')).toBeGreaterThan(2 * SIZE)
  await call('evm_mine')
  const { hash } = await devnet.block()
  expect(
    await turnsDuring(devnet, 'debug_storageRangeAt', hash, 0, holder, '0x', SIZE),
  ).toBeGreaterThanOrEqual(SIZE)
})

test('changes during a dump happen after it', async () => {
  const devnet = await startDevnet()
  const { call, from, to } = devnet
  await call('anvil_loadState', largeState(SIZE))
  const nonce = await call<Hex>('eth_getTransactionCount', from, 'latest')
  endEverySlice()
  const dumping = call<Hex>('anvil_dumpState')
  await new Promise((resolve) => setImmediate(resolve))
  const sending = devnet.send({ to, value: '0x1' })
  const dump = await dumping
  vi.restoreAllMocks()
  const other = await startDevnet()
  await other.call('anvil_loadState', dump)
  expect(await other.call('eth_getTransactionCount', from, 'latest')).toBe(nonce)
  expect(await other.call('eth_blockNumber')).toBe('0x0')
  expect((await sending).blockNumber).toBe('0x1')
})

test('mining pending transactions one after another yields between blocks', async () => {
  const { call, from, to, height } = await startDevnet({ noMining: true })
  const count = 100
  for (let nonce = 0; nonce < count; nonce++) {
    await call('eth_sendTransaction', { from, to, nonce: numberToHex(nonce), gas: '0x5208' })
  }
  // So slow a clock uses up no slice within a block.
  expect(await countTurnsByClockReads(() => call('evm_setAutomine', true), 0.1)).toBeGreaterThan(count / 10)
  expect(await height()).toBe(count)
})

test('building a block from given transactions yields between them', async () => {
  const devnet = await startDevnet({ noMining: true })
  const { call, block, from, to } = devnet
  const count = 20
  const raws: Hex[] = []
  for (let nonce = 0; nonce < count; nonce++) {
    const fields = { from, to, nonce: numberToHex(nonce), gas: '0x5208' }
    raws.push(await call<Hex>('eth_getRawTransactionByHash', await call('eth_sendTransaction', fields)))
  }
  const { hash, timestamp } = await block()
  const attributes = {
    timestamp: numberToHex(Number(timestamp) + 12),
    prevRandao: pad('0x1'),
    suggestedFeeRecipient: to,
    withdrawals: [],
    parentBeaconBlockRoot: pad('0x0'),
  }
  endEverySlice()
  // One yield to decode each, and one to execute it.
  expect(await turnsDuring(devnet, 'testing_buildBlockV1', hash, attributes, raws, '0x')).toBeGreaterThan(
    2 * count,
  )
})

test('listing many pending transactions yields', async () => {
  const devnet = await startDevnet({ noMining: true })
  const { call, from, to } = devnet
  for (let nonce = 0; nonce < 50; nonce++) {
    await call('eth_sendTransaction', { from, to, nonce: numberToHex(nonce), gas: '0x5208' })
  }
  endEverySlice()
  expect(await turnsDuring(devnet, 'txpool_content')).toBeGreaterThan(49)
  expect(await turnsDuring(devnet, 'txpool_contentFrom', from)).toBeGreaterThan(49)
  expect(await turnsDuring(devnet, 'txpool_inspect')).toBeGreaterThan(49)
  expect(await turnsDuring(devnet, 'eth_pendingTransactions')).toBeGreaterThan(49)
})

test('simulated calls, fee histories and recreated blocks yield', async () => {
  const devnet = await startDevnet()
  const { call, from, to } = devnet
  const calls = Array.from({ length: 20 }, () => ({ from, to, value: '0x1' }))
  await call('hardhat_mine', '0x32')
  endEverySlice()
  const blockStateCalls = [{ calls }, { calls }]
  expect(await turnsDuring(devnet, 'eth_simulateV1', { blockStateCalls })).toBeGreaterThan(40)
  expect(await turnsDuring(devnet, 'eth_feeHistory', '0x32', 'latest', [50])).toBeGreaterThan(49)
  expect(await turnsDuring(devnet, 'anvil_reorg', 50, [])).toBeGreaterThan(49)
})

test('importing a block yields between its transactions', async () => {
  const options = { noMining: true, deterministic: true }
  const [devnet, importing] = [await startDevnet(options), await startDevnet(options)]
  const { call, from, to } = devnet
  for (let nonce = 0; nonce < 50; nonce++) {
    await call('eth_sendTransaction', { from, to, nonce: numberToHex(nonce), gas: '0x5208' })
  }
  await call('evm_mine')
  const raw = await call<Hex>('debug_getRawBlock', 'latest')
  const { hash } = await devnet.block()
  endEverySlice()
  // Each is recovered, executed and added to two tries.
  expect(await turnsDuring(importing, 'standin_importBlocks', [raw])).toBeGreaterThan(4 * 50)
  expect((await importing.block()).hash).toBe(hash)
})

test('loading a state with blocks yields between their transactions', async () => {
  const [devnet, loading] = [await startDevnet({ noMining: true }), await startDevnet()]
  const { call, from, to } = devnet
  for (let nonce = 0; nonce < 50; nonce++) {
    await call('eth_sendTransaction', { from, to, nonce: numberToHex(nonce), gas: '0x5208' })
  }
  await call('evm_mine')
  const { hash } = await devnet.block()
  const dump = await call<Hex>('anvil_dumpState')
  // Uncompressed and for the second time, so that it waits for turns only.
  const state = bytesToHex(gunzipSync(hexToBytes(dump)))
  await loading.call('anvil_loadState', state)
  endEverySlice()
  // Each receipt and transaction is read, and more.
  expect(await turnsDuring(loading, 'anvil_loadState', state)).toBeGreaterThan(2 * 50 + 20)
  expect((await loading.block()).hash).toBe(hash)
})

test('overrides, access lists and authorizations of a call yield', async () => {
  const devnet = await startDevnet()
  const { from, to } = devnet
  const indices = Array.from({ length: SIZE }, (_, index) => index)
  const overrides = Object.fromEntries(indices.map((index) => [addressOf(index), { balance: '0x1' }]))
  const slots = Object.fromEntries(indices.map((index) => [pad(numberToHex(index)), pad('0x1')]))
  const signature = { chainId: '0x0', address: to, nonce: '0x0', yParity: '0x0', s: '0x1' }
  const authorizationList = indices.map((index) => ({ ...signature, r: numberToHex(index + 1) }))
  const storageKeys = Array.from({ length: 10 * SIZE }, (_, index) => pad(numberToHex(index)))
  const accessList = [{ address: to, storageKeys }]
  endEverySlice()
  expect(await turnsDuring(devnet, 'eth_call', { to }, 'latest', overrides)).toBeGreaterThan(SIZE)
  expect(
    await turnsDuring(devnet, 'eth_call', { to }, 'latest', { [to]: { stateDiff: slots } }),
  ).toBeGreaterThan(SIZE)
  expect(await turnsDuring(devnet, 'eth_call', { to, accessList })).toBeGreaterThan(2)
  expect(await turnsDuring(devnet, 'eth_call', { from, to, authorizationList })).toBeGreaterThan(SIZE)
  expect(await turnsDuring(devnet, 'eth_createAccessList', { from, to, authorizationList })).toBeGreaterThan(
    2 * SIZE - 1,
  )
  // Only the answer has a step for each slot.
  const listed = { from, to, accessList: [{ address: holder, storageKeys }] }
  expect(await turnsDuring(devnet, 'eth_createAccessList', listed)).toBeGreaterThan(10 * SIZE)
})

test('withdrawals of a simulated block yield', async () => {
  const devnet = await startDevnet()
  const withdrawals = Array.from({ length: SIZE }, (_, index) => ({
    index: numberToHex(index),
    validatorIndex: '0x0',
    address: addressOf(index),
    amount: '0x1',
  }))
  endEverySlice()
  const blockStateCalls = [{ blockOverrides: { withdrawals } }]
  // Without them there are only a few.
  expect(await turnsDuring(devnet, 'eth_simulateV1', { blockStateCalls })).toBeGreaterThan(SIZE)
})

test('polling the logs of many blocks yields', async () => {
  const devnet = await startDevnet()
  const { call, from } = devnet
  await call('hardhat_setCode', holder, '0x5f5fa0')
  let id: unknown
  // Created with the clock that polls use, or else it would have expired.
  await countTurnsByClockReads(async () => {
    id = await call('eth_newFilter', {})
  })
  for (let block = 0; block < 50; block++) await devnet.send({ from, to: holder })
  // So slow a clock uses up no slice within a block.
  expect(await countTurnsByClockReads(() => call('eth_getFilterChanges', id), 0.2)).toBeGreaterThan(4)
})

test('traced calls and replacement transactions yield', async () => {
  const devnet = await startDevnet()
  const { from, to } = devnet
  const traced = Array.from({ length: SIZE }, () => [{ from, to }, ['trace']])
  const pairs = Array.from({ length: SIZE }, () => [{ from, to, gas: '0x5208' }, 1])
  endEverySlice()
  // Each is read, and later runs and is written.
  expect(await turnsDuring(devnet, 'trace_callMany', traced)).toBeGreaterThan(2 * SIZE - 1)
  const refused = (): Promise<unknown> => refusalOf(devnet.call('anvil_reorg', 0, pairs))
  expect(await countTurns(refused)).toBeGreaterThan(SIZE - 1)
})

test('precompile rounds and long answers yield', async () => {
  const devnet = await startDevnet()
  const blake2 = pad('0x9', { size: 20 })
  const identity = pad('0x4', { size: 20 })
  const input: Hex = `0x00010000${'00'.repeat(208)}01`
  endEverySlice()
  expect(await turnsDuring(devnet, 'eth_call', { to: blake2, data: input })).toBeGreaterThan(15)
  const bytes: Hex = `0x${'ab'.repeat(400_000)}`
  expect(await turnsDuring(devnet, 'eth_call', { to: identity, data: bytes })).toBeGreaterThan(5)
  expect(await devnet.call('eth_call', { to: identity, data: bytes })).toBe(bytes)
})

test('RLP of countless items is refused before it is decoded', async () => {
  const { call } = await startDevnet()
  const items = 1_000_000
  const listOf = (content: Hex): Hex =>
    `0xfa${size(content).toString(16).padStart(6, '0')}${content.slice(2)}`
  const bomb = listOf(`0x${'80'.repeat(items)}`)
  expect(await refusalOf(call('standin_importBlocks', [bomb]))).toEqual({
    code: -32602,
    message: 'a block: encoding: it has more items than a block of its size',
  })
  expect(await refusalOf(call('debug_traceBlock', listOf(bomb)))).toMatchObject({
    message:
      'could not decode block: rlp: input string too short for common.Hash, decoding into ' +
      '(types.Block)(types.extblock).Header.ParentHash',
  })
  const fields = '01808080825208808080'
  const short = listOf(`0x${'80'.repeat(200_000)}`)
  const raw: Hex = `0x02${listOf(`0x${fields}${short.slice(2)}808080`).slice(2)}`
  const decoded = vi.spyOn(RlpString.prototype, 'toBigint')
  expect((await refusalOf(call('eth_sendRawTransaction', raw))).message).toMatch(/^rlp: expected input list/)
  expect(decoded.mock.calls.length).toBeLessThan(20)
  const larger: Hex = `0x02${'c0'.repeat(2_000_000)}`
  expect((await refusalOf(call('eth_sendRawTransaction', larger))).message).toBe(
    'oversized data: transaction size 2000001, limit 131072',
  )
})
