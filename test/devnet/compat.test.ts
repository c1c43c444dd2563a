import { createTestClient, encodeFunctionData, http, numberToHex, type Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { readArtifact } from '../support/artifacts.js'
import { refusalOf, startDevnet, stopAll, type Devnet, type Receipt } from './support.js'

afterEach(stopAll)

const someone: Hex = `0x${'51'.repeat(20)}`
const { abi, bytecode } = readArtifact('Reverter')
const failing = encodeFunctionData({ abi, functionName: 'revertWithReason', args: ['nope'] })

describe('a transaction that reverts', () => {
  const sendFailing = async ({ call, send, from }: Devnet, fields: object = {}) => {
    const { contractAddress: to } = await send({ data: bytecode })
    return call<Hex>('eth_sendTransaction', { from, to, data: failing, ...fields })
  }

  test('is refused by its estimate, and mined if it names its gas', async () => {
    const devnet = await startDevnet()
    expect(await refusalOf(sendFailing(devnet))).toMatchObject({
      code: 3,
      message: 'execution reverted: nope',
    })
    const hash = await sendFailing(devnet, { gas: '0x20000' })
    expect(await devnet.call<Receipt>('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0' })
  })

  test.each(['anvil', 'ganache'] as const)('is mined in any case in %s', async (compat) => {
    const devnet = await startDevnet({ compat })
    const hash = await sendFailing(devnet)
    expect(await devnet.call<Receipt>('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0' })
  })

  test('is mined and answered with its failure in hardhat', async () => {
    const devnet = await startDevnet({ compat: 'hardhat' })
    const refusal = await refusalOf(sendFailing(devnet, { gas: '0x20000' }))
    expect(refusal).toEqual({
      code: -32603,
      message: "Error: VM Exception while processing transaction: reverted with reason string 'nope'",
    })
    expect((await devnet.block()).transactions).toHaveLength(1)
    await devnet.call('evm_setAutomine', false)
    const to = someone
    expect(await devnet.call('eth_sendTransaction', { from: devnet.from, to, gas: '0x20000' })).toMatch(/^0x/)
  })
})

describe('a transaction of an account with code', () => {
  const code = '0x6001600155'

  test.each(['anvil', 'hardhat'] as const)('is mined in %s, and can be traced', async (compat) => {
    const { call, send, from } = await startDevnet({ compat })
    await call('hardhat_setCode', from, code)
    const { status, transactionHash } = await send({ to: someone, value: '0x5' })
    expect(status).toBe('0x1')
    expect(await call('eth_getBalance', someone, 'latest')).toBe('0x5')
    expect(await call('eth_getCode', from, 'latest')).toBe(code)
    const trace = await call<object>('debug_traceTransaction', transactionHash, { tracer: 'callTracer' })
    expect(trace).toMatchObject({ from: from.toLowerCase(), to: someone, value: '0x5' })
  })

  test('stays pending, because geth does not mine it (EIP-3607)', async () => {
    const { call, from, height } = await startDevnet()
    await call('hardhat_setCode', from, code)
    const hash = await call<Hex>('eth_sendTransaction', { from, to: someone, gas: '0x5208' })
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await height()).toBe(0)
  })
})

describe.each(['anvil', 'hardhat', 'ganache'] as const)("viem's test client in mode %s", (mode) => {
  test('works with all its actions', async () => {
    const { node, call, from, block, height } = await startDevnet(mode === 'anvil' ? {} : { compat: mode })
    const client = createTestClient({ mode, transport: http(node.url) })
    await client.setBalance({ address: someone, value: 10n ** 18n })
    await client.setCode({ address: someone, bytecode: '0x00' })
    await client.setNonce({ address: someone, nonce: 7 })
    await client.setStorageAt({ address: someone, index: 2, value: `0x${'11'.repeat(32)}` })
    expect(await call('eth_getStorageAt', someone, '0x2', 'latest')).toBe(`0x${'11'.repeat(32)}`)
    expect(await call('eth_getTransactionCount', someone, 'latest')).toBe('0x7')
    await client.mine({ blocks: 3, interval: 2 })
    expect(await height()).toBe(3)
    expect(await client.getAutomine()).toBe(true)
    await client.setAutomine(false)
    expect(await client.getAutomine()).toBe(false)
    await client.setAutomine(true)
    await client.setIntervalMining({ interval: 500 })
    expect(await call('anvil_getIntervalMining')).toBe(500)
    await client.setIntervalMining({ interval: 0 })
    await client.setAutomine(true)
    await client.setBlockTimestampInterval({ interval: 5 })
    const before = Number((await block()).timestamp)
    await client.mine({ blocks: 2 })
    expect(Number((await block()).timestamp)).toBe(before + 10)
    await client.removeBlockTimestampInterval()
    await client.increaseTime({ seconds: 420 })
    await client.setNextBlockTimestamp({ timestamp: BigInt(before + 9000) })
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 5n })
    await client.setCoinbase({ address: someone })
    await client.setBlockGasLimit({ gasLimit: 20_000_000n })
    await client.mine({ blocks: 1 })
    expect(await block()).toMatchObject({
      timestamp: numberToHex(before + 9000),
      baseFeePerGas: '0x5',
      miner: someone,
      gasLimit: numberToHex(20_000_000),
    })
    await expect(client.setMinGasPrice({ gasPrice: 1n })).rejects.toThrow()
    await client.setLoggingEnabled(false)
    await client.setRpcUrl('http://127.0.0.1:1')
    await client.impersonateAccount({ address: someone })
    await client.stopImpersonatingAccount({ address: someone })
    await client.dropTransaction({ hash: `0x${'00'.repeat(32)}` })
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
    expect(await client.getTxpoolContent()).toEqual({ pending: {}, queued: {} })
    expect(await client.inspectTxpool()).toEqual({ pending: {}, queued: {} })
    const hash = await client.sendUnsignedTransaction({ from: someone, to: from, value: 1n })
    expect(await call<Receipt>('eth_getTransactionReceipt', hash)).toMatchObject({ from: someone })
    const id = await client.snapshot()
    await client.mine({ blocks: 1 })
    await client.revert({ id })
    const state = await client.dumpState()
    await client.reset()
    expect(await height()).toBe(0)
    await client.loadState({ state })
    expect(await height()).toBe(7)
  })
})

describe('controls', () => {
  test('are closed to pages of other sites, and absent in strict mode except at the controls', async () => {
    const { node } = await startDevnet()
    const post = async (url: string, method: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
      })
      return (await response.json()) as { error?: { code: number } }
    }
    const foreign = { origin: 'https://example.com' }
    for (const method of [
      'evm_mine',
      'anvil_mine',
      'hardhat_reset',
      'tenderly_setBalance',
      'personal_newAccount',
    ]) {
      expect((await post(node.url, method, foreign)).error?.code).toBe(-32002)
    }
    expect((await post(node.url, 'eth_chainId', foreign)).error).toBeUndefined()
    expect((await post(node.url, 'evm_mine')).error).toBeUndefined()
    const strict = await startDevnet({ mode: 'strict', key: ['abc'] })
    expect((await post(strict.node.url, 'evm_mine')).error?.code).toBe(-32601)
    expect((await post(`${strict.node.controlUrl}/rpc`, 'evm_mine')).error).toBeUndefined()
  })
})

test('an estimate that cannot pay the intrinsic gas reports the affordable gas, like anvil', async () => {
  const { call, from } = await startDevnet({ compat: 'anvil' })
  // Anvil 1.7.1 answers so: 10,000 ether pay for 10,000 gas at a price of one ether.
  const poor = call('eth_estimateGas', {
    from,
    to: someone,
    data: '0x00',
    maxFeePerGas: numberToHex(10n ** 18n),
  })
  expect(await refusalOf(poor)).toEqual({
    code: -32003,
    message: 'Out of gas: gas required exceeds allowance: 10000',
  })
})
