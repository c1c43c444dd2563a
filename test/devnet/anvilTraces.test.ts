import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, startDevnet, stopAll } from './support.js'

let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet({ compat: 'anvil', gasLimit: 30_000_000n })
})
afterAll(stopAll)

let contracts = 0

/** Deploys a contract. @returns its address */
async function contract(code: Hex): Promise<Hex> {
  const address: Hex = `0x${(0xabc0000 + contracts++).toString(16).padStart(40, '0')}`
  await devnet.call('anvil_setCode', address, code)
  return address
}

interface Frame {
  gas: Hex
  gasUsed: Hex
  error?: string
  calls?: Frame[]
}

/** What anvil 1.7.1 answered for the same requests. */
describe('--compat anvil', () => {
  test('names failed frames as revm or Parity does', async () => {
    const { call, send } = devnet
    const poor = await contract(
      '0x5f5f5f5f670de0b6b3a764000073000000000000000000000000000000000000deed61fffff1',
    )
    const writer = (await contract('0x60015f55')).slice(2)
    const cases: [transaction: { to?: Hex; data?: Hex }, parity: string, geth: string][] = [
      [{ to: await contract('0xfe') }, 'Bad instruction', 'invalid opcode: INVALID'],
      [{ to: await contract('0x0c') }, 'Bad instruction', 'invalid opcode'],
      [{ to: await contract('0x600056') }, 'Bad jump destination', 'invalid jump destination'],
      [{ to: await contract('0x01') }, 'StackUnderflow', 'StackUnderflow'],
      [{ to: await contract('0x5b5f600056') }, 'Out of stack', 'Out of stack'],
      [{ to: await contract('0x6001600060003e') }, 'OutOfOffset', 'OutOfOffset'],
      [{ to: await contract('0x5b600056') }, 'Out of gas', 'out of gas'],
      [{ to: await contract('0x5f5ffd') }, 'Reverted', 'execution reverted'],
      [{ to: poor }, 'Insufficient balance for transfer', 'insufficient balance for transfer'],
      [{ to: await contract('0x61c0015f5ff0') }, 'CreateInitCodeSizeLimit', 'CreateInitCodeSizeLimit'],
      [{ data: '0x60ef5f5360015ff3' }, 'CreateContractStartingWithEF', 'CreateContractStartingWithEF'],
      [{ data: '0x6160015ff3' }, 'CreateContractSizeLimit', 'CreateContractSizeLimit'],
      [
        { to: await contract(`0x5f5f5f5f73${writer}61fffffa`) },
        'StateChangeDuringStaticCall',
        'StateChangeDuringStaticCall',
      ],
      [
        { to: await contract(`0x5f5f5f5f5f73${writer}6107d0f1`) },
        'Out of gas',
        'out of gas: not enough gas for reentrancy sentry',
      ],
      [{ to: await contract('0x5f5f5f5ff5505f5f5f5ff500') }, 'CreateCollision', 'CreateCollision'],
    ]
    for (const [transaction, parity, geth] of cases) {
      // Enough for the code of a creation.
      const gas = transaction.data === undefined ? '0x80000' : '0x600000'
      const { transactionHash } = await send({ ...transaction, gas })
      const frames = await call<Frame[]>('trace_transaction', transactionHash)
      expect(frames.map(({ error }) => error).filter(Boolean)).toEqual([parity])
      const top = await call<Frame>('debug_traceTransaction', transactionHash, { tracer: 'callTracer' })
      const nested = (top.calls ?? []).map(({ error }) => error)
      expect([top.error, ...nested].filter(Boolean)).toEqual([geth])
    }
  })

  test('lists the internal operations that failed or were reverted, too', async () => {
    const { call, send, from } = devnet
    const failing = await contract('0xfe')
    // Sends 1 wei to 0xdead, and then reverts.
    const reverting = await contract('0x5f5f5f5f600161dead61fffff15f5ffd')
    const operations = async (fields: { to?: Hex; data?: Hex }): Promise<unknown> => {
      const { transactionHash } = await send({ ...fields, value: '0x5', gas: '0x100000' })
      return call('ots_getInternalOperations', transactionHash)
    }
    const sent = { type: 0, from: from.toLowerCase(), value: '0x5' }
    expect(await operations({ to: failing })).toEqual([{ ...sent, to: failing }])
    expect(await operations({ to: reverting })).toEqual([
      { ...sent, to: reverting },
      { type: 0, from: reverting, to: '0x000000000000000000000000000000000000dead', value: '0x1' },
    ])
    expect(await operations({ data: '0xfe' })).toMatchObject([{ type: 2, value: '0x5' }])
  })

  test('begins a call trace with the gas that is left for the code', async () => {
    const { call, send } = devnet
    const inner = (await contract('0x60015f55602a5f5260205fa060205ff3')).slice(2)
    const to = await contract(`0x60205f5f5f5f73${inner}620186a0f160205ff3`)
    const { transactionHash } = await send({ to, gas: '0x40000', data: '0x12345678' })
    const top = await call<Frame>('debug_traceTransaction', transactionHash, { tracer: 'callTracer' })
    expect(top).toMatchObject({
      gas: '0x3adb8',
      gasUsed: '0xb56e',
      calls: [{ gas: '0x186a0', gasUsed: '0x58e5' }],
    })
  })

  test('counts contracts alone as new accounts', async () => {
    const { call, send } = devnet
    const receiver = `0x${'d1'.repeat(20)}`
    const { contractAddress } = await send({ data: '0x600160005560018060093d393df300' })
    const replay = async (): Promise<Record<string, unknown> | undefined> => {
      const parts = ['stateDiff']
      type Replayed = { stateDiff: Record<string, unknown> }[]
      return (await call<Replayed>('trace_replayBlockTransactions', 'latest', parts))[0]?.stateDiff
    }
    expect((await replay())?.[contractAddress]).toEqual({
      balance: { '+': '0x0' },
      code: { '+': '0x09' },
      nonce: { '+': '0x1' },
      storage: { [`0x${'00'.repeat(32)}`]: { '+': `0x${'00'.repeat(31)}01` } },
    })
    await send({ to: receiver, value: '0x5' })
    expect((await replay())?.[receiver]).toEqual({
      balance: { '*': { from: '0x0', to: '0x5' } },
      code: '=',
      nonce: '=',
      storage: {},
    })
  })

  test('filters the traces of all blocks by default', async () => {
    const { call, from, to, send } = devnet
    const value = '0x7b'
    const { transactionHash } = await send({ to, value })
    await call('anvil_mine', '0x2')
    const frames = await call<{ action: { value: Hex }; transactionHash: Hex }[]>('trace_filter', {
      fromAddress: [from],
    })
    const found = frames.filter(({ action }) => action.value === value)
    expect(found.map((frame) => frame.transactionHash)).toEqual([transactionHash])
  })

  test('has no traces of the pending block', async () => {
    const { call, from } = devnet
    await call('evm_setAutomine', false)
    await call('eth_sendTransaction', { from, to: from, gas: '0x5208' })
    expect(await call('trace_block', 'pending')).toEqual([])
    expect(await call('debug_traceBlockByNumber', 'pending')).toEqual([])
    expect(await call('trace_replayBlockTransactions', 'pending', ['trace'])).toEqual([])
    await call('evm_setAutomine', true)
  })

  test('traces calls on the pending block', async () => {
    const { call } = devnet
    const numbering = await contract('0x435f5260205ff3')
    const next = `0x${((await devnet.height()) + 1).toString(16).padStart(64, '0')}`
    const trace = await call('debug_traceCall', { to: numbering }, 'pending', { tracer: 'callTracer' })
    expect(trace).toMatchObject({ output: next })
    expect(await call('debug_traceCall', { to: numbering }, 'pending')).toMatchObject({ returnValue: next })
  })

  // PUSH1 1 PUSH0 PUSH0 CREATE, and with a salt CREATE2; the costs are those that anvil 1.7.1 shows.
  test.each([
    ['CREATE', '0x60015f5ff000', 145_112],
    ['CREATE2', '0x5f60015f5ff500', 145_095],
  ])('counts the gas passed to %s as its cost', async (op, data, gasCost) => {
    const { call, from } = devnet
    const { structLogs } = await call<{ structLogs: { op: string }[] }>(
      'debug_traceCall',
      { from, data, gas: '0x30d40' },
      'latest',
    )
    expect(structLogs.find((step) => step.op === op)).toMatchObject({ gasCost })
  })

  test('shows the gas that was left as the cost of an opcode that cannot be paid', async () => {
    const { call, from } = devnet
    // PUSH0 SLOAD, with 1,000 gas in the frame; the cost is that which anvil 1.7.1 shows.
    const reader = await contract('0x5f5400')
    const { structLogs } = await call<{ structLogs: { op: string }[] }>(
      'debug_traceCall',
      { from, to: reader, gas: '0x55f0' },
      'latest',
    )
    expect(structLogs.at(-1)).toMatchObject({ op: 'SLOAD', gas: 998, gasCost: 998 })
  })

  test('runs traced calls at their fee cap, and refuses them like calls', async () => {
    const { call, to } = devnet
    const trace = (fields: object): Promise<unknown> =>
      call('debug_traceCall', { to, ...fields }, 'latest', { tracer: 'callTracer' })
    expect(await trace({ maxFeePerGas: '0x1' })).toMatchObject({ gas: '0x1c97178', gasUsed: '0x5208' })
    await expect(trace({ gas: '0x0', gasPrice: '0x1' })).rejects.toThrow(
      'intrinsic gas too high -- CallGasCostMoreThanGasLimit',
    )
  })

  test('shows calls on the head the fee recipient and the gas limit of the next block', async () => {
    const { call } = devnet
    const settings = await contract('0x415f524560205260405ff3')
    await call('anvil_mine', '0x2')
    const height = await devnet.height()
    const read = async (...rest: unknown[]): Promise<bigint[]> => {
      const answer = (await call<Hex>('eth_call', { to: settings }, ...rest)).slice(2)
      return [BigInt(`0x${answer.slice(0, 64)}`), BigInt(`0x${answer.slice(64)}`)]
    }
    await call('anvil_setCoinbase', '0x00000000000000000000000000000000000beef0')
    await call('anvil_setBlockGasLimit', '0x1312d00')
    const changed = [0xbeef0n, 20_000_000n]
    expect(await read()).toEqual(changed)
    expect(await read(`0x${height.toString(16)}`)).toEqual(changed)
    expect(await read('pending')).toEqual(changed)
    expect(await read(`0x${(height - 1).toString(16)}`)).toEqual([0n, 30_000_000n])
    expect(await read('latest', {}, { feeRecipient: `0x${'00'.repeat(19)}07` })).toEqual([7n, 20_000_000n])
    const trace = await call('debug_traceCall', { to: settings }, 'latest', { tracer: 'callTracer' })
    // All of the new limit but the 21,000 gas of every transaction.
    expect(trace).toMatchObject({ gas: '0x130daf8' })
  })

  test('proves a slot of an empty trie with the empty node', async () => {
    const key = `0x${'00'.repeat(31)}03`
    for (const address of [devnet.from, `0x${'ab'.repeat(20)}`]) {
      expect(await devnet.call('eth_getProof', address, [key], 'latest')).toMatchObject({
        storageProof: [{ key, value: '0x0', proof: ['0x80'] }],
      })
    }
  })

  test('answers requests for no slots, and takes no numbered block that has to be canonical', async () => {
    expect(await devnet.call('eth_getStorageValues', {}, 'latest')).toEqual({})
    const block = { blockNumber: 'latest', requireCanonical: true }
    await expect(devnet.call('eth_getBalance', devnet.from, block)).rejects.toThrow(
      'duplicate field `requireCanonical`',
    )
  })
})
