import { concatHex, pad, toHex, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, type Block } from './support.js'

afterEach(stopAll)

/** Returns creation code that deploys `size` zero bytes: PUSH3 size PUSH0 RETURN. */
function creationOf(size: number): Hex {
  return concatHex(['0x62', toHex(size, { size: 3 }), '0x5ff3'])
}

describe('the code size', () => {
  test('is limited like on mainnet by default', async () => {
    const { send } = await startDevnet()
    expect((await send({ data: creationOf(24_576), gas: '0x1000000' })).status).toBe('0x1')
    expect((await send({ data: creationOf(24_577), gas: '0x1000000' })).status).toBe('0x0')
  })

  test('may reach --code-size-limit, and creation code twice that', async () => {
    const { call, send } = await startDevnet({ codeSizeLimit: 100_000n, gasLimit: 200_000_000n })
    expect((await send({ data: creationOf(100_000), gas: '0x4000000' })).status).toBe('0x1')
    expect((await send({ data: creationOf(100_001), gas: '0x4000000' })).status).toBe('0x0')
    const refusal = await refusalOf(call('eth_call', { data: creationOf(100_001) }))
    expect(refusal.message).toBe('max code size exceeded: code size 100001 limit 100000')
    const padded = (size: number): Hex => concatHex([creationOf(1), `0x${'00'.repeat(size - 6)}`])
    expect((await send({ data: padded(200_000), gas: '0x4000000' })).status).toBe('0x1')
    expect((await refusalOf(send({ data: padded(200_001), gas: '0x4000000' }))).message).toContain(
      'max initcode size exceeded: code size 200001 limit 200000',
    )
  })

  test('is unlimited with --disable-code-size-limit', async () => {
    const { send } = await startDevnet({ disableCodeSizeLimit: true, gasLimit: 500_000_000n })
    expect((await send({ data: creationOf(1_000_000), gas: toHex(300_000_000) })).status).toBe('0x1')
  })
})

describe('a poll of a filter', () => {
  test('leaves the logs of later blocks to the next poll after 32 MB', async () => {
    const { call, send } = await startDevnet()
    const target: Hex = `0x${'10'.repeat(20)}`
    // PUSH3 100000 PUSH0 LOG0: twenty times 200,000 digits make 4 MB a block.
    await call('anvil_setCode', target, `0x${'620186a05fa0'.repeat(20)}`)
    const filter = await call<Hex>('eth_newFilter', {})
    for (let sent = 0; sent < 11; sent++) await send({ to: target, gas: '0xf80000' })
    const polls: number[] = []
    for (let poll = 0; poll < 3; poll++) {
      polls.push((await call<unknown[]>('eth_getFilterChanges', filter)).length)
    }
    expect(polls).toEqual([9 * 20, 2 * 20, 0])
  })
})

describe('--disable-block-gas-limit', () => {
  test('lets a transaction and a block exceed the limit, which the header keeps', async () => {
    const { call, from, to } = await startDevnet({
      disableBlockGasLimit: true,
      noMining: true,
      gasLimit: 50_000n,
    })
    // An access list of 40 addresses: 21000 + 40 * 2400.
    const accessList = Array.from({ length: 40 }, (_, i) => ({
      address: pad(toHex(i + 1), { size: 20 }),
      storageKeys: [],
    }))
    for (let count = 0; count < 4; count++)
      await call('eth_sendTransaction', { from, to, accessList, gas: '0x1d000' })
    await call('evm_mine')
    const block = await call<Block & { gasUsed: Hex }>('eth_getBlockByNumber', 'latest', false)
    expect(block.transactions).toHaveLength(4)
    expect(block.gasLimit).toBe(toHex(50_000))
    expect(Number(block.gasUsed)).toBe(4 * (21_000 + 40 * 2400))
  })
})

describe('--disable-pool-balance-checks', () => {
  test('lets a transaction wait until its sender can pay', async () => {
    const poor: Hex = `0x${'51'.repeat(20)}`
    const { call, to } = await startDevnet({ disablePoolBalanceChecks: true, autoImpersonate: true })
    const hash = await call<Hex>('eth_sendTransaction', { from: poor, to, value: '0x1', gas: '0x5208' })
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await call('txpool_status')).toMatchObject({ pending: '0x1' })
    await call('evm_mine')
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    await call('anvil_setBalance', poor, '0xde0b6b3a7640000')
    await call('evm_mine')
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('is off by default', async () => {
    const poor: Hex = `0x${'51'.repeat(20)}`
    const { call, to } = await startDevnet({ autoImpersonate: true })
    const refusal = await refusalOf(
      call('eth_sendTransaction', { from: poor, to, value: '0x1', gas: '0x5208' }),
    )
    expect(refusal.message).toContain('insufficient funds for gas * price + value')
  })
})
