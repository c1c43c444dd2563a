import { concatHex, numberToHex, padHex, size, sliceHex, stringToHex, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

const contract: Hex = `0x${'c0'.repeat(20)}`
const word = (value: number): Hex => numberToHex(value, { size: 32 })

/** Returns runtime code that reverts with these bytes, at most 224 of them. */
function reverting(data: Hex): Hex {
  const stores: Hex[] = []
  for (let at = 0; at < size(data); at += 32) {
    const chunk = sliceHex(data, at, Math.min(at + 32, size(data)))
    stores.push(
      '0x7f',
      padHex(chunk, { size: 32, dir: 'right' }),
      '0x60',
      numberToHex(at, { size: 1 }),
      '0x52',
    )
  }
  return concatHex([...stores, '0x60', numberToHex(size(data), { size: 1 }), '0x6000fd'])
}

async function failureOf({ call }: Devnet, code: Hex): Promise<{ code: number; message: string }> {
  await call('hardhat_setCode', contract, code)
  return refusalOf(call('eth_call', { to: contract, gas: '0x10000' }))
}

const panic = (code: number): Hex => concatHex(['0x4e487b71', word(code)])
const text = concatHex([
  '0x08c379a0',
  word(32),
  word(2),
  padHex(stringToHex('hi'), { size: 32, dir: 'right' }),
])
const prefix = 'VM Exception while processing transaction:'

describe('a failed call', () => {
  test('has the code and message of hardhat 2.28.0 under --compat hardhat', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const rows: [data: Hex, message: string][] = [
      ['0x', 'Transaction reverted without a reason string'],
      [text, `${prefix} reverted with reason string 'hi'`],
      ['0x08', `${prefix} reverted with an unrecognized custom error (return data: 0x08)`],
      ['0x0102030405', `${prefix} reverted with an unrecognized custom error (return data: 0x0102030405)`],
      [panic(0x01), `${prefix} reverted with panic code 0x1 (Assertion error)`],
      [panic(0x12), `${prefix} reverted with panic code 0x12 (Division or modulo division by zero)`],
      [panic(0x31), `${prefix} reverted with panic code 0x31 (.pop() was called on an empty array)`],
      [panic(0x99), `${prefix} reverted with unknown panic code 0x99`],
    ]
    for (const [data, message] of rows) {
      const answer = { code: -32603, message: `Error: ${message}` }
      expect(await failureOf(devnet, reverting(data))).toEqual(answer)
    }
    const unexplained = { code: -32603, message: 'Error: Transaction reverted without a reason string' }
    const failures: [code: Hex, answer: object][] = [
      ['0xfe', { code: -32603, message: `Error: ${prefix} invalid opcode` }],
      ['0x0c', { code: -32603, message: `Error: ${prefix} invalid opcode` }],
      ['0x50', unexplained],
      ['0x600056', unexplained],
      ['0x5b600056', { code: -32000, message: 'Transaction ran out of gas' }],
      ['0x680100000000000000005ff3', { code: -32000, message: 'Transaction ran out of gas' }],
    ]
    for (const [code, answer] of failures) expect(await failureOf(devnet, code)).toEqual(answer)
    const estimate = refusalOf(devnet.call('eth_estimateGas', { to: contract, gas: '0x10000' }))
    expect(await estimate).toEqual({ code: -32000, message: 'Transaction ran out of gas' })
  })

  test('has the message of ganache 7.9.2 under --compat ganache', async () => {
    const devnet = await startDevnet({ compat: 'ganache' })
    const rows: [code: Hex, message: string][] = [
      [reverting('0x'), `${prefix} revert`],
      [reverting(text), `${prefix} revert hi`],
      [reverting(panic(1)), `${prefix} revert`],
      ['0xfe', `${prefix} invalid opcode`],
      ['0x5b600056', `${prefix} out of gas`],
    ]
    for (const [code, message] of rows) {
      expect(await failureOf(devnet, code)).toEqual({ code: -32000, message })
    }
  })
})

describe('under --compat hardhat', () => {
  const send = ({ call, from, to }: Devnet, fields: object) =>
    call<Hex>('eth_sendTransaction', { from, to, gas: '0x5208', ...fields })

  test('automine refuses transactions that it cannot mine immediately; without it they stay pending', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const queued = "Note that transactions can't be queued when automining."
    const low = { gasPrice: '0x1' }
    await send(devnet, {})
    const refusals: [fields: object, message: string][] = [
      [{ nonce: '0x3' }, `Nonce too high. Expected nonce to be 1 but got 3. ${queued}`],
      [{ nonce: '0x0' }, `Nonce too low. Expected nonce to be 1 but got 0. ${queued}`],
      // 1 gwei falls by an eighth after an empty genesis, and slightly less after a transfer.
      [low, 'Transaction gasPrice (1) is too low for the next block, which has a baseFeePerGas of 765778125'],
    ]
    for (const [fields, message] of refusals) {
      expect(await refusalOf(send(devnet, fields))).toEqual({ code: -32000, message })
    }
    expect(await devnet.call('eth_pendingTransactions')).toEqual([])
    await devnet.call('evm_setAutomine', false)
    await send(devnet, { nonce: '0x3' })
    await send(devnet, low)
    expect(await devnet.call('eth_pendingTransactions')).toHaveLength(2)
  })

  // Expected answers are those of hardhat 2.29.1.
  test('setNonce refuses a lower nonce, and any while transactions are pending', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const { call, from, to } = devnet
    expect(await call('hardhat_setNonce', from, '0x5')).toBe(true)
    expect(await call('hardhat_setNonce', from, '0x5')).toBe(true)
    expect(await refusalOf(call('hardhat_setNonce', from, '0x1'))).toEqual({
      code: -32000,
      message: 'New nonce (1) must not be smaller than the existing nonce (5)',
    })
    await call('evm_setAutomine', false)
    await send(devnet, {})
    expect(await refusalOf(call('hardhat_setNonce', to, '0x7'))).toEqual({
      code: -32603,
      message: 'Cannot set account nonce when the transaction pool is not empty',
    })
  })

  test('an unknown filter returns null', async () => {
    const { call } = await startDevnet({ compat: 'hardhat' })
    expect(await call('eth_getFilterChanges', '0x1234')).toBeNull()
    expect(await call('eth_getFilterLogs', '0x1234')).toBeNull()
    expect(await call('eth_uninstallFilter', '0x1234')).toBe(false)
    const id = await call('eth_newFilter', {})
    expect(await call('eth_getFilterLogs', id)).toEqual([])
  })

  test('an access list is created for an unaffordable call', async () => {
    const { call, to } = await startDevnet({ compat: 'hardhat' })
    const poor = { from: contract, to, value: '0x1', gasPrice: '0x77359400' }
    expect(await call('eth_createAccessList', poor, 'latest')).toEqual({ accessList: [], gasUsed: '0x5208' })
  })

  test('a call with only a tip offers just the tip', async () => {
    const { call, from } = await startDevnet({ compat: 'hardhat' })
    for (const tip of [1, 3_000_000_000]) {
      // Returns GASPRICE.
      const message = { from, data: '0x3a60005260206000f3', maxPriorityFeePerGas: numberToHex(tip) }
      expect(await call('eth_call', message, 'latest')).toBe(word(tip))
      expect(await call('eth_estimateGas', message)).toMatch(/^0x/)
    }
  })

  test('transactions pending when automine is turned on are mined with the next one', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    await devnet.call('evm_setAutomine', false)
    await send(devnet, {})
    await send(devnet, {})
    await devnet.call('evm_setAutomine', true)
    expect(await devnet.height()).toBe(0)
    await send(devnet, { from: devnet.to })
    expect(await devnet.height()).toBe(1)
    expect((await devnet.block()).transactions).toHaveLength(3)
    await send(devnet, {})
    expect((await devnet.block()).transactions).toHaveLength(1)
  })

  test('calls without a sender come from the first account', async () => {
    const caller = '0x3360005260206000f3'
    const devnet = await startDevnet({ compat: 'hardhat' })
    await devnet.call('hardhat_setCode', contract, caller)
    expect(await devnet.call('eth_call', { to: contract })).toBe(
      padHex(devnet.from, { size: 32 }).toLowerCase(),
    )
    const plain = await startDevnet()
    await plain.call('hardhat_setCode', contract, caller)
    expect(await plain.call('eth_call', { to: contract })).toBe(word(0))
  })

  test('the gas price is based on the next block', async () => {
    const price = async (devnet: Devnet) => Number(await devnet.call<Hex>('eth_gasPrice'))
    // The base fee of 1 gwei falls by an eighth after an empty genesis; the tip is 1 gwei.
    expect(await price(await startDevnet({ compat: 'hardhat' }))).toBe(1_875_000_000)
    expect(await price(await startDevnet())).toBe(2_000_000_000)
  })

  test('estimates see pending transactions', async () => {
    // Reverts if the contract has no balance.
    const needsBalance = '0x4760095760006000fd5b00'
    const estimate = async (devnet: Devnet) => {
      await devnet.call('hardhat_setCode', contract, needsBalance)
      await send(devnet, { to: contract, value: '0x1', gas: '0x10000' })
      return devnet.call('eth_estimateGas', { from: devnet.from, to: contract })
    }
    expect(await estimate(await startDevnet({ compat: 'hardhat', noMining: true }))).toMatch(/^0x/)
    expect(await refusalOf(estimate(await startDevnet({ noMining: true })))).toMatchObject({ code: 3 })
  })

  test('an access list next to a gas price is kept', async () => {
    const listed = {
      gas: '0x7530',
      gasPrice: '0x77359400',
      accessList: [{ address: contract, storageKeys: [] }],
    }
    const sent = async (devnet: Devnet) => devnet.call('eth_getTransactionByHash', await send(devnet, listed))
    expect(await sent(await startDevnet({ compat: 'hardhat' }))).toMatchObject({
      type: '0x1',
      accessList: listed.accessList,
    })
    expect(await sent(await startDevnet())).toMatchObject({ type: '0x1' })
  })
})

test('has as many accounts as hardhat unless a number is given', async () => {
  const count = async (options: Parameters<typeof startDevnet>[0]) =>
    (await (await startDevnet(options)).call<Hex[]>('eth_accounts')).length
  expect(await count({ compat: 'hardhat' })).toBe(20)
  expect(await count({ compat: 'hardhat', accounts: 3 })).toBe(3)
  expect(await count({ compat: 'anvil' })).toBe(10)
  expect(await count({})).toBe(10)
})

test.each([
  [undefined, `0x${'c014ba5e'.repeat(5)}`],
  ['hardhat', `0x${'c014ba5e'.repeat(5)}`],
  ['anvil', `0x${'00'.repeat(20)}`],
  ['ganache', `0x${'00'.repeat(20)}`],
] as const)('the beneficiary of blocks is the same as in %s', async (compat, coinbase) => {
  const { call, block } = await startDevnet(compat === undefined ? {} : { compat })
  await call('evm_mine')
  expect((await block()).miner).toBe(coinbase)
  await call('anvil_setCoinbase', contract)
  await call('anvil_reset')
  expect(await call('eth_coinbase')).toBe(coinbase)
})
