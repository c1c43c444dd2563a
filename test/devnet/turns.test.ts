import { numberToHex, pad, stringToHex, type Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

const holder: Hex = `0x${'c0'.repeat(20)}`
const addressOf = (index: number): Hex => pad(numberToHex(2 ** 40 + index), { size: 20 })

/** A dump with so many accounts, and one of as many slots. */
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

/** How often other work has its turn while a request is answered: nothing here goes through a socket. */
async function turnsDuring({ call }: Devnet, method: string, ...parameters: unknown[]): Promise<number> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await call(method, ...parameters)
  isDone = true
  return turns
}

/** A few turns go by for reads of the database alone, which come in large portions. */
const MANY = 4

test('a large state is loaded, dumped and listed in turns', async () => {
  const devnet = await startDevnet()
  const { call } = devnet
  expect(await turnsDuring(devnet, 'anvil_loadState', largeState(8000))).toBeGreaterThan(MANY)
  expect(await call('eth_getBalance', addressOf(7999), 'latest')).toBe('0x7')
  expect(await turnsDuring(devnet, 'anvil_dumpState')).toBeGreaterThan(MANY)
  expect(await turnsDuring(devnet, 'standin_dumpGenesis')).toBeGreaterThan(MANY)
  await call('evm_mine')
  const { hash } = await devnet.block()
  expect(await turnsDuring(devnet, 'debug_storageRangeAt', hash, 0, holder, '0x', 8000)).toBeGreaterThan(MANY)
})

test('what changes while a state is dumped comes behind it', async () => {
  const devnet = await startDevnet()
  const { call, from, to } = devnet
  await call('anvil_loadState', largeState(4000))
  const nonce = await call<Hex>('eth_getTransactionCount', from, 'latest')
  const dumping = call<Hex>('anvil_dumpState')
  await new Promise((resolve) => setImmediate(resolve))
  const sending = devnet.send({ to, value: '0x1' })
  const other = await startDevnet()
  await other.call('anvil_loadState', await dumping)
  expect(await other.call('eth_getTransactionCount', from, 'latest')).toBe(nonce)
  expect(await other.call('eth_blockNumber')).toBe('0x0')
  expect((await sending).blockNumber).toBe('0x1')
})

test('many waiting transactions are listed in turns', async () => {
  const devnet = await startDevnet({ noMining: true })
  const { call, from, to } = devnet
  for (let nonce = 0; nonce < 1500; nonce++) {
    await call('eth_sendTransaction', { from, to, nonce: numberToHex(nonce), gas: '0x5208' })
  }
  expect(await turnsDuring(devnet, 'txpool_content')).toBeGreaterThan(1)
  expect(await turnsDuring(devnet, 'txpool_inspect')).toBeGreaterThan(1)
  expect(await turnsDuring(devnet, 'eth_pendingTransactions')).toBeGreaterThan(1)
})

test('simulated calls and blocks that are made anew leave turns between them', async () => {
  const devnet = await startDevnet()
  const { call, from, to } = devnet
  const calls = Array.from({ length: 200 }, () => ({ from, to, value: '0x1' }))
  const blockStateCalls = Array.from({ length: 10 }, () => ({ calls }))
  expect(await turnsDuring(devnet, 'eth_simulateV1', { blockStateCalls })).toBeGreaterThan(MANY)
  await call('hardhat_mine', '0xc8')
  expect(await turnsDuring(devnet, 'anvil_reorg', 200, [])).toBeGreaterThan(1)
})
