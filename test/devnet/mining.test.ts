import { type ExecutionPayload, createBlockFromExecutionPayload } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { bytesToHex, numberToHex, type Hex } from 'viem'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../support/until.js'
import { refusalOf, startDevnet, stopAll, type Block } from './support.js'

afterEach(stopAll)

const miner: Hex = `0x${'77'.repeat(20)}`
const time = async (block: Promise<Block>) => Number((await block).timestamp)

test('the pending block has the time that it would have if mined now', async () => {
  const { call, block } = await startDevnet()
  const teller: Hex = `0x${'99'.repeat(20)}`
  // TIMESTAMP PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  await call('anvil_setCode', teller, '0x425f5260205ff3')
  const pendingTime = async () => Number(await call<Hex>('eth_call', { to: teller }, 'pending'))
  const later = (await time(block())) + 60
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  for (const now of [later, later + 60]) {
    clock.mockReturnValue(now * 1000)
    expect(await time(block('pending'))).toBe(now)
    expect(await pendingTime()).toBe(now)
  }
})

describe('mining on request', () => {
  test('mines transactions of others between many blocks', async () => {
    const { node, call, send, height, to } = await startDevnet()
    const mining = call('hardhat_mine', numberToHex(10_000_000)).catch((error: Error) => error.message)
    await until(async () => (await height()) > 2)
    const { status, blockNumber } = await send({ to, value: '0x1' })
    expect(status).toBe('0x1')
    await until(async () => (await height()) > Number(blockNumber))
    await node.stop()
    const [, mined] = /^the node is stopping: (\d+) of 10000000/.exec(String(await mining)) ?? []
    // The transaction's block is not one of the requested ones.
    expect(Number(mined)).toBeGreaterThanOrEqual(Number(blockNumber))
  })

  test('anvil_mine spaces all blocks, hardhat_mine those between the first and the last', async () => {
    const { call, block, height } = await startDevnet()
    const start = await time(block())
    expect(await call('anvil_mine', '0x2', '0x64')).toBeNull()
    expect([await time(block('0x1')), await time(block('0x2'))]).toEqual([start + 100, start + 200])
    expect(await call('hardhat_mine', '0x3', '0xa')).toBe(true)
    const first = await time(block('0x3'))
    expect(first).toBeGreaterThan(start + 200)
    expect([await time(block('0x4')), await time(block('0x5'))]).toEqual([first + 10, first + 20])
    await call('anvil_mine', 0)
    expect(await height()).toBe(5)
    await call('hardhat_mine')
    expect(await height()).toBe(6)
  })

  test('evm_mine takes a timestamp or an object, and mines pending transactions', async () => {
    const { call, block, height, from, to } = await startDevnet({ noMining: true })
    const hash = await call<Hex>('eth_sendTransaction', { from, to, value: '0x1' })
    const later = (await time(block())) + 1000
    expect(await call('evm_mine', later)).toBe('0x0')
    expect((await block()).transactions).toEqual([hash])
    expect(await time(block())).toBe(later)
    expect(await call('evm_mine', { blocks: '0x2' })).toBe('0x0')
    expect(await call('evm_mine', { timestamp: later + 500, blocks: 2 })).toBe('0x0')
    expect(await time(block('0x4'))).toBe(later + 500)
    expect(await height()).toBe(5)
    expect((await refusalOf(call('evm_mine', 1))).code).toBe(-32602)
  })

  test("evm_mine at the head's timestamp mines a second later, or at it if blocks may share a timestamp", async () => {
    for (const [options, step] of [
      [{}, 1],
      [{ compat: 'hardhat' }, 1],
      [{ compat: 'anvil' }, 0],
      [{ allowSameTimestamp: true }, 0],
    ] as const) {
      const { call, block } = await startDevnet(options)
      const later = (await time(block())) + 1000
      await call('evm_mine', later)
      await call('evm_mine', later)
      expect(await time(block())).toBe(later + step)
      // Hardhat does not accept such objects.
      if ('compat' in options && options.compat === 'hardhat') continue
      const second = await time(block())
      await call('evm_mine', { timestamp: second, blocks: 2 })
      expect(await time(block('0x3'))).toBe(second + step)
    }
  })

  test('evm_mine_detailed returns whole blocks with return data', async () => {
    const { call, from } = await startDevnet({ noMining: true })
    const failing: Hex = `0x${'61'.repeat(20)}`
    // mstore(0, 5) revert(0, 32)
    await call('anvil_setCode', failing, '0x600560005260206000fd')
    await call('eth_sendTransaction', { from, to: failing, gas: '0x20000' })
    const [mined] = await call<{ transactions: { output: Hex; from: Hex }[] }[]>('evm_mine_detailed')
    expect(mined?.transactions).toMatchObject([
      { from: from.toLowerCase(), output: `0x${'05'.padStart(64, '0')}` },
    ])
  })

  test('evm_mine_detailed ends when its blocks exceed an answer, and they stay', async () => {
    // An empty block has 1,334 to 2,000 characters: five of its hashes and its bloom alone have 844.
    const { call, height } = await startDevnet({ maxResponse: 4000 })
    expect(await call('evm_mine_detailed', { blocks: 2 })).toHaveLength(2)
    const refusal = await refusalOf(call('evm_mine_detailed', { blocks: 9 }))
    expect(refusal).toEqual({ code: -32003, message: 'response too large' })
    expect(await height()).toBe(5)
  })
})

test('testing_buildBlockV1 builds a payload whose hash the library confirms', async () => {
  const { call, block, from, to } = await startDevnet({ hardfork: 'shanghai' })
  await call('evm_setAutomine', false)
  const sent = await call<Hex>('eth_sendTransaction', { from, to, gas: '0x5208', value: '0x7' })
  const raw = await call<Hex>('eth_getRawTransactionByHash', sent)
  const latest = await block()
  const withdrawals = [{ index: '0x0', validatorIndex: '0x5', address: miner, amount: '0x9' }]
  const attributes = {
    timestamp: numberToHex(Number(latest.timestamp) + 12),
    prevRandao: `0x${'11'.repeat(32)}`,
    suggestedFeeRecipient: miner,
    withdrawals,
  }
  const { executionPayload, blockValue } = await call<{
    executionPayload: ExecutionPayload
    blockValue: Hex
  }>('testing_buildBlockV1', latest.hash, attributes, [raw], '0x')
  expect(executionPayload).toMatchObject({ transactions: [raw], withdrawals, blockNumber: '0x1' })
  expect(Number(blockValue)).toBeGreaterThan(0)
  const common = new Common({ chain: { ...Mainnet, chainId: 31337 }, hardfork: Hardfork.Shanghai })
  const built = await createBlockFromExecutionPayload(executionPayload, { common })
  expect(bytesToHex(built.hash())).toBe(executionPayload.blockHash)
})

describe('automatic mining', () => {
  test('automine and interval mining exclude each other, except in hardhat', async () => {
    const anvil = await startDevnet()
    await anvil.call('evm_setIntervalMining', 1000)
    expect(await anvil.call('anvil_getAutomine')).toBe(false)
    expect(await anvil.call('anvil_getIntervalMining')).toBe(1000)
    await anvil.call('evm_setAutomine', true)
    expect(await anvil.call('anvil_getIntervalMining')).toBeNull()
    const hardhat = await startDevnet({ compat: 'hardhat' })
    await hardhat.call('evm_setIntervalMining', 1000)
    expect(await hardhat.call('hardhat_getAutomine')).toBe(true)
    expect(await hardhat.call('anvil_getIntervalMining')).toBe(1)
  })

  // Scripts send both, in either order; anvil 1.7.1 continues mining after `evm_setIntervalMining`,
  // `evm_setAutomine(false)`.
  test('at intervals continues when automine, already off, is turned off', async () => {
    const { call, height, from, to } = await startDevnet()
    await call('evm_setIntervalMining', [20, 20])
    await call('evm_setAutomine', false)
    const hash = await call<Hex>('eth_sendTransaction', { from, to })
    await until(async () => (await call('eth_getTransactionReceipt', hash)) !== null)
    await call('miner_stop')
    const stopped = await height()
    expect(await call('anvil_getIntervalMining')).toBeNull()
    await call('eth_sendTransaction', { from, to })
    expect(await height()).toBe(stopped)
  })

  test('by a pair of milliseconds runs at random intervals', async () => {
    const { call, height } = await startDevnet()
    await call('evm_setIntervalMining', [5, 20])
    await until(async () => (await height()) >= 3)
    await call('evm_setIntervalMining', 0)
  })

  test('miner_stop and miner_start behave like ganache', async () => {
    const { call, height, from, to } = await startDevnet({ compat: 'ganache' })
    expect(await call('eth_mining')).toBe(true)
    expect(await call('miner_stop')).toBe(true)
    await call('eth_sendTransaction', { from, to })
    expect(await call('eth_mining')).toBe(false)
    expect(await height()).toBe(0)
    expect(await call('miner_start')).toBe(true)
    expect(await height()).toBe(1)
  })
})

describe('settings for the following blocks', () => {
  test('gas limit, beneficiary and extra data apply from the next block on', async () => {
    const { call, block } = await startDevnet()
    expect(await call('evm_setBlockGasLimit', '0xf4240')).toBe(true)
    expect(await call('hardhat_setCoinbase', miner)).toBe(true)
    expect(await call('miner_setExtra', '0x1234')).toBe(true)
    expect(Number((await block()).gasLimit)).toBe(30_000_000)
    await call('anvil_mine', 2)
    expect(await block()).toMatchObject({ gasLimit: '0xf4240', miner, extraData: '0x1234' })
    expect(await call('eth_coinbase')).toBe(miner)
    expect((await refusalOf(call('evm_setBlockGasLimit', 0))).message).toMatch(/greater than 0/)
  })

  test('a transaction over the new gas limit is refused, and one under a higher limit accepted', async () => {
    const { call, send, to } = await startDevnet()
    await call('evm_setBlockGasLimit', 50_000_000)
    expect((await send({ to, gas: numberToHex(40_000_000) })).status).toBe('0x1')
    await call('evm_setBlockGasLimit', 100_000)
    expect((await refusalOf(send({ to, gas: numberToHex(100_001) }))).message).toMatch(
      /exceeds block gas limit/,
    )
  })

  test('base fee and prevRandao apply to one block', async () => {
    const { call, block } = await startDevnet()
    const random = `0x${'ab'.repeat(32)}`
    await call('anvil_setNextBlockBaseFeePerGas', 1000)
    await call('hardhat_setPrevRandao', random)
    await call('anvil_mine', 2)
    expect(await block('0x1')).toMatchObject({ baseFeePerGas: '0x3e8', mixHash: random })
    expect(await block('0x2')).toMatchObject({ baseFeePerGas: numberToHex(1000 - 125) })
    expect((await block('0x2')).mixHash).not.toBe(random)
  })

  test('a minimum gas price only has an effect before London', async () => {
    const { call } = await startDevnet()
    expect(await refusalOf(call('hardhat_setMinGasPrice', 1))).toEqual({
      code: -32602,
      message: 'anvil_setMinGasPrice is not supported when EIP-1559 is active',
    })
    const berlin = await startDevnet({ hardfork: 'berlin' })
    expect(await berlin.call('anvil_setMinGasPrice', 5_000_000_000)).toBeNull()
    expect(await berlin.call('eth_gasPrice')).toBe(numberToHex(5_000_000_000))
    expect((await refusalOf(berlin.call('anvil_setNextBlockBaseFeePerGas', 1))).code).toBe(-32602)
  })
})

describe('time', () => {
  test('is set, moved and fixed in all forms', async () => {
    const { call, block } = await startDevnet()
    const start = await time(block())
    expect(await call('evm_increaseTime', '0x64')).toBe(100)
    expect(await call('anvil_increaseTime', 50)).toBe(150)
    await call('evm_mine')
    expect(await time(block())).toBeGreaterThanOrEqual(start + 150)
    expect(await call('evm_setTime', 1)).toBe(0)
    await call('evm_setTime', (start + 10_000) * 1000)
    await call('evm_mine')
    expect(await time(block())).toBeGreaterThanOrEqual(start + 10_000)
    await call('anvil_setBlockTimestampInterval', 7)
    const before = await time(block())
    await call('anvil_mine', 2)
    expect(await time(block())).toBe(before + 14)
    expect(await call('anvil_removeBlockTimestampInterval')).toBe(true)
    expect(await call('anvil_removeBlockTimestampInterval')).toBe(false)
    await call('hardhat_setBlockTimestampInterval', 3000)
    await call('evm_mine')
    expect(await time(block())).toBe(before + 17)
    expect(await call('anvil_getGenesisTime')).toBe(start)
  })

  test('of ganache is in milliseconds and may decrease', async () => {
    const { call } = await startDevnet({ compat: 'ganache' })
    expect(await call('evm_increaseTime', 100)).toBe(100)
    expect(await call('evm_increaseTime', -40)).toBe(60)
    expect(await call('evm_increaseTime', 1.5)).toBe(62)
    const moved = await call<number>('evm_setTime', Date.now() - 3_600_000)
    expect(moved).toBeLessThan(-3600)
  })

  test('of hardhat returns strings', async () => {
    const { call, block } = await startDevnet({ compat: 'hardhat' })
    expect(await call('evm_increaseTime', 100)).toBe('100')
    const next = (await time(block())) + 5000
    expect(await call('evm_setNextBlockTimestamp', next)).toBe(String(next))
    await call('evm_mine')
    expect(await time(block())).toBe(next)
  })

  test('may stay the same between blocks if allowed', async () => {
    const { call, block } = await startDevnet({ compat: 'anvil' })
    const now = (await time(block())) + 100
    await call('evm_mine', { timestamp: now, blocks: 2 })
    // The clock runs from the first block on, so a second may pass before the next one.
    const last = await time(block())
    await call('evm_mine', last)
    expect(await time(block('0x1'))).toBe(now)
    expect([now, now + 1]).toContain(last)
    expect(await time(block('0x3'))).toBe(last)
  })
})
