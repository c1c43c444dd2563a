import type { Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll } from './support.js'

afterEach(stopAll)

test('eth_pendingTransactions lists executable transactions by sender and nonce, then those behind a nonce gap', async () => {
  const { call, from, to } = await startDevnet({ noMining: true })
  const send = (sender: Hex, nonce: number) =>
    call('eth_sendTransaction', { from: sender, to, gas: '0x5208', nonce: `0x${nonce.toString(16)}` })
  await send(from, 5)
  await send(to, 0)
  await send(from, 1)
  await send(from, 0)
  const waiting = await call<{ from: Hex; nonce: Hex; blockHash: null }[]>('eth_pendingTransactions')
  expect(waiting.map(({ from: sender, nonce }) => [sender, Number(nonce)])).toEqual([
    [from.toLowerCase(), 0],
    [from.toLowerCase(), 1],
    [to.toLowerCase(), 0],
    [from.toLowerCase(), 5],
  ])
})

// As anvil 1.7.1 and hardhat 2 do.
test.each([
  ['anvil', 'the next block', ['0x2', '0x2', '0x0', '0x1']],
  ['hardhat', 'the change of the balance', ['0x0', '0x0', '0x0', '0x0']],
] as const)('in the profile of %s, %s drops what has become too expensive', async (compat, _, expected) => {
  const { call, from, to } = await startDevnet({ compat, noMining: true })
  const pending = async () => (await call<{ pending: Hex }>('txpool_status')).pending
  await call('eth_sendTransaction', { from, to, gas: '0x5208' })
  await call('eth_sendTransaction', { from: to, to: from, gas: '0x5208' })
  const observed: Hex[] = []
  for (const poor of [from, to]) await call('hardhat_setBalance', poor, '0x1')
  observed.push(await pending())
  await call('hardhat_setBalance', from, '0xde0b6b3a7640000')
  observed.push(await pending())
  await call('evm_mine')
  observed.push(await pending(), await call<Hex>('eth_getBlockTransactionCountByNumber', 'latest'))
  expect(observed).toEqual(expected)
})

// As anvil 1.7.1 and hardhat 2 do.
test.each([
  ['anvil', 'keeps', ['0x1', '0x1', '0x0', '0x1']],
  ['hardhat', 'drops', ['0x0', '0x0', '0x0', '0x0']],
] as const)('the profile of %s %s what no longer fits into a block', async (compat, _, expected) => {
  const { call, from, to } = await startDevnet({ compat, noMining: true })
  const pending = async () => (await call<{ pending: Hex }>('txpool_status')).pending
  await call('eth_sendTransaction', { from, to, gas: '0x186a0' })
  const observed: Hex[] = []
  await call('evm_setBlockGasLimit', '0xc350')
  observed.push(await pending())
  await call('evm_mine')
  observed.push(await pending())
  await call('evm_setBlockGasLimit', '0x1c9c380')
  await call('evm_mine')
  observed.push(await pending(), await call<Hex>('eth_getBlockTransactionCountByNumber', 'latest'))
  expect(observed).toEqual(expected)
})

test.each(['hardhat_setNonce', 'anvil_setNonce', 'evm_setAccountNonce'])(
  '%s refuses a nonce of more than 64 bits',
  async (method) => {
    const { call, from } = await startDevnet()
    expect(await refusalOf(call(method, from, `0x1${'00'.repeat(8)}`))).toMatchObject({ code: -32602 })
    await call(method, from, `0x${'ff'.repeat(8)}`)
    expect(await call('eth_getTransactionCount', from, 'latest')).toBe(`0x${'ff'.repeat(8)}`)
  },
)

describe('eth_resend', () => {
  const gwei = (n: number): Hex => `0x${(n * 1e9).toString(16)}`

  test('replaces the pending transaction, with another price or gas limit', async () => {
    const { call, from, to } = await startDevnet({ noMining: true })
    const waiting = { from, to, value: '0x7', nonce: '0x0', gas: '0x5208', gasPrice: gwei(2) }
    const first = await call<Hex>('eth_sendTransaction', waiting)
    const second = await call<Hex>('eth_resend', waiting, gwei(3))
    expect(await call('eth_getTransactionByHash', first)).toBeNull()
    const dearer = { ...waiting, gasPrice: gwei(3) }
    expect(await call('eth_getTransactionByHash', second)).toMatchObject({ value: '0x7', gasPrice: gwei(3) })
    const third = await call<Hex>('eth_resend', dearer, gwei(4), '0x6000')
    await call('evm_mine')
    expect(await call('eth_getTransactionByHash', third)).toMatchObject({
      blockNumber: '0x1',
      gas: '0x6000',
      gasPrice: gwei(4),
    })
    // Mined transactions are no longer pending.
    expect(
      await refusalOf(call('eth_resend', { ...dearer, gasPrice: gwei(4), gas: '0x6000' })),
    ).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^transaction 0x[0-9a-f]{64} not found$/),
    })
  })

  test('requires the contents of a pending transaction, and a price replaces its fee caps', async () => {
    const { call, from, to } = await startDevnet({ noMining: true })
    const fees = { maxFeePerGas: gwei(3), maxPriorityFeePerGas: gwei(1) }
    const waiting = { from, to, nonce: '0x0', gas: '0x5208', ...fees }
    const hash = await call<Hex>('eth_sendTransaction', waiting)
    expect(await refusalOf(call('eth_resend', { ...waiting, nonce: undefined }))).toMatchObject({
      message: 'missing transaction nonce in transaction spec',
    })
    expect((await refusalOf(call('eth_resend', { ...waiting, value: '0x1' }))).message).toContain('not found')
    expect((await refusalOf(call('eth_resend', { ...waiting, from: to, to: from }))).message).toContain(
      'not found',
    )
    // The same contents form the same transaction.
    expect((await refusalOf(call('eth_resend', waiting, '0x0', '0x0'))).message).toBe('already known')
    expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ maxFeePerGas: gwei(3) })
    // As in geth 1.17.10, a price makes it a legacy transaction.
    const priced = await call<Hex>('eth_resend', waiting, gwei(9))
    expect(await call('eth_getTransactionByHash', priced)).toMatchObject({ type: '0x0', gasPrice: gwei(9) })
    expect(await call('eth_getTransactionByHash', hash)).toBeNull()
    const distant = { ...waiting, nonce: '0x5' }
    await call('eth_sendTransaction', distant)
    expect((await refusalOf(call('eth_resend', distant, gwei(9)))).message).toContain('not found')
  })
})

test('a block imported on an edited state, which it does not have, puts the senders back to their own nonces', async () => {
  const builder = await startDevnet({ deterministic: true })
  await builder.call('evm_mine')
  const raw = await builder.call<Hex>('debug_getRawBlock', 'latest')
  const { call, from, to } = await startDevnet({ deterministic: true, noMining: true })
  await call('anvil_setNonce', from, '0x5')
  await call('eth_sendTransaction', { from, to, gas: '0x5208' })
  expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  await call('standin_importBlocks', [raw])
  expect(await call('eth_getTransactionCount', from, 'latest')).toBe('0x0')
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
})
