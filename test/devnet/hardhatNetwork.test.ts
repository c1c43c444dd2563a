import { keccak256, numberToHex, parseGwei, stringToHex, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startDevnet, stopAll, type Block, type Devnet } from './support.js'

/** Expected values come from `hardhat node` 2.28.0, with the same requests on a chain with the same start. */

const contract: Hex = `0x${'c0'.repeat(20)}`
/** Stores 1 and returns GASPRICE, BASEFEE and NUMBER as three words. */
const environment = '0x3a60005248602052436040526060' + '6000f3'
const gwei = (count: number): Hex => numberToHex(parseGwei(`${count}`))
let devnet: Devnet

beforeEach(async () => {
  devnet = await startDevnet({ compat: 'hardhat' })
})
afterEach(stopAll)

const fails = async (method: string, ...params: unknown[]) => {
  const response = await fetch(devnet.node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { error: object }).error
}

describe('under --compat hardhat', () => {
  test('a failure has its message, the returned data and the transaction hash', async () => {
    const message = 'Error: Transaction reverted without a reason string'
    await devnet.call('hardhat_setCode', contract, '0x60006000fd')
    const fields = { from: devnet.from, to: contract, gas: '0x10000' }
    const called = { code: -32603, message, data: { message, data: '0x' } }
    expect(await fails('eth_call', fields)).toEqual(called)
    expect(await fails('eth_estimateGas', fields)).toEqual(called)
    const sent = await fails('eth_sendTransaction', fields)
    const { transactions } = await devnet.block()
    expect(sent).toEqual({ ...called, data: { message, txHash: transactions[0], data: '0x' } })

    const outOfGas = 'Transaction ran out of gas'
    await devnet.call('hardhat_setCode', contract, '0x5b600056')
    expect(await fails('eth_call', fields)).toEqual({
      code: -32000,
      message: outOfGas,
      data: { message: outOfGas, txHash: null, data: '0x' },
    })
    const tooLong = 'Error: Transaction reverted: trying to deploy a contract whose code is too large'
    expect(await fails('eth_call', { from: devnet.from, data: '0x61ffff6000f3', gas: '0x1000000' })).toEqual({
      code: -32603,
      message: tooLong,
      data: { message: tooLong, data: '0x' },
    })
  })

  test('a transaction defaults to the maximum gas, and to twice the next base fee plus the tip', async () => {
    const sent = async (fields: object) => {
      const hash = await devnet.call<Hex>('eth_sendTransaction', {
        from: devnet.from,
        to: devnet.to,
        ...fields,
      })
      return devnet.call('eth_getTransactionByHash', hash)
    }
    // The base fee falls from 1 gwei at genesis to 0.875.
    expect(await sent({})).toMatchObject({
      gas: '0x1000000',
      maxFeePerGas: '0xa3e9ab80',
      maxPriorityFeePerGas: '0x3b9aca00',
    })
    expect(await sent({ gasPrice: gwei(5) })).toMatchObject({ gas: '0x1000000', type: '0x0' })
  })

  test('a trace has words with all their digits, and memory and storage on every step', async () => {
    const word = (value: number): string => value.toString(16).padStart(64, '0')
    // PUSH1 7 PUSH1 1 SSTORE PUSH1 5 PUSH0 MSTORE STOP
    await devnet.call('hardhat_setCode', contract, '0x600760015560055f5200')
    const hash = await devnet.call<Hex>('eth_sendTransaction', { from: devnet.from, to: contract })
    const written = { [word(1)]: word(7) }
    const step = (pc: number, op: string, gas: number, gasCost: number, rest: object) => ({
      pc,
      op,
      gas,
      gasCost,
      depth: 1,
      memory: [],
      stack: [],
      storage: {},
      ...rest,
    })
    expect(await devnet.call('debug_traceTransaction', hash)).toEqual({
      failed: false,
      gas: 43_117,
      returnValue: '',
      structLogs: [
        step(0, 'PUSH1', 16_756_216, 3, {}),
        step(2, 'PUSH1', 16_756_213, 3, { stack: [word(7)] }),
        step(4, 'SSTORE', 16_756_210, 22_100, { stack: [word(7), word(1)], storage: written }),
        step(5, 'PUSH1', 16_734_110, 3, { storage: written }),
        step(7, 'PUSH0', 16_734_107, 2, { stack: [word(5)], storage: written }),
        step(8, 'MSTORE', 16_734_105, 6, { stack: [word(5), word(0)], storage: written }),
        step(9, 'STOP', 16_734_099, 0, { memory: [word(5)], storage: written }),
      ],
    })
    const bare = { disableMemory: true, disableStack: true, disableStorage: true }
    const { structLogs } = await devnet.call<{ structLogs: object[] }>('debug_traceTransaction', hash, bare)
    expect(structLogs[0]).toEqual({ pc: 0, op: 'PUSH1', gas: 16_756_216, gasCost: 3, depth: 1 })
  })

  test('a trace counts the gas passed to a creation as its cost', async () => {
    // PUSH1 1 PUSH0 PUSH0 CREATE; the cost is that which hardhat 2.29 shows.
    const { structLogs } = await devnet.call<{ structLogs: { op: string }[] }>(
      'debug_traceCall',
      { from: devnet.from, data: '0x60015f5ff000', gas: '0x30d40' },
      'latest',
    )
    expect(structLogs.find(({ op }) => op === 'CREATE')).toMatchObject({ gas: 146_907, gasCost: 145_112 })
  })

  test('a message with blobs is refused, and percentiles may repeat', async () => {
    const message =
      'An EIP-4844 (shard blob) call request was received, but Hardhat only supports them via `eth_sendRawTransaction`. See https://github.com/NomicFoundation/hardhat/issues/5182'
    const fields = { from: devnet.from, to: contract, blobs: [] }
    expect(await fails('eth_call', fields)).toMatchObject({ code: -32000, message })
    expect(await fails('eth_estimateGas', fields)).toMatchObject({ code: -32000, message })
    expect(await devnet.call('eth_feeHistory', '0x1', 'latest', [50, 50])).toMatchObject({
      reward: [['0x0', '0x0']],
    })
  })

  test('transactions with zero fees stay pending without automine', async () => {
    await devnet.call('evm_setAutomine', false)
    for (const price of ['0x0', '0x1']) {
      const fields = { from: devnet.from, to: devnet.to, gasPrice: price }
      expect(await devnet.call('eth_sendTransaction', fields)).toMatch(/^0x/)
    }
    await devnet.call('evm_mine')
    expect(await devnet.call('eth_pendingTransactions')).toHaveLength(2)
  })

  test('a call runs at a base fee of zero regardless of its fees', async () => {
    await devnet.call('hardhat_setCode', contract, environment)
    const prices = async (fields: object) => {
      const result = await devnet.call<Hex>('eth_call', { to: contract, ...fields }, 'pending')
      return [...result.slice(2).matchAll(/.{64}/g)].map(([word]) => Number(`0x${word}`))
    }
    const three = gwei(3)
    expect(await prices({})).toEqual([0, 0, 1])
    expect(await prices({ gasPrice: three })).toEqual([3_000_000_000, 0, 1])
    expect(await prices({ maxFeePerGas: three })).toEqual([0, 0, 1])
    expect(await prices({ maxFeePerGas: '0x1' })).toEqual([0, 0, 1])
    expect(await prices({ maxFeePerGas: three, maxPriorityFeePerGas: gwei(1) })).toEqual([
      1_000_000_000, 0, 1,
    ])
    expect(await prices({ maxPriorityFeePerGas: three })).toEqual([3_000_000_000, 0, 1])
  })

  test('block randomness comes from generators that reverts restore', async () => {
    const randomness = async () => {
      await devnet.call('evm_mine')
      const { mixHash, parentBeaconBlockRoot } = await devnet.call<Block & { parentBeaconBlockRoot: Hex }>(
        'eth_getBlockByNumber',
        'latest',
        false,
      )
      return [mixHash, parentBeaconBlockRoot]
    }
    expect((await devnet.block('0x0')).mixHash).toBe(keccak256(stringToHex('randomMixHashSeed')))
    expect(await randomness()).toEqual([
      '0xf4fbfa6c8463f342eb58838d8c6b0661faf22e7076a518bf4deaddbf3fa8a112',
      '0xdd8876ba5af271ae9d93ececb192d6a7b4e6094ca5999756336279fd796b8619',
    ])
    const snapshot = await devnet.call('evm_snapshot')
    const second = [
      '0x36e0e2ad178d961006334c968a7f38fc9e049070a61e5b8203219acebd7bfd59',
      '0x20ac26c307a8005e8e0c24ae0e18f5fb23fb724064e99ebccb2cb877faaa55ac',
    ]
    expect(await randomness()).toEqual(second)
    await devnet.call('evm_revert', snapshot)
    expect(await randomness()).toEqual(second)
    await devnet.call('hardhat_setPrevRandao', numberToHex(7, { size: 32 }))
    expect((await randomness())[0]).toBe(numberToHex(7, { size: 32 }))
    expect((await randomness())[0]).toBe('0xa66cc928b5edb82af9bd49922954155ab7b0942694bea4ce44661d9a8736c688')
    await devnet.call('hardhat_reset')
    expect((await randomness())[0]).toBe('0xf4fbfa6c8463f342eb58838d8c6b0661faf22e7076a518bf4deaddbf3fa8a112')
  })

  test('the pending block has no number, nonce and mixHash', async () => {
    expect(await devnet.block('pending')).toMatchObject({
      number: null,
      nonce: null,
      mixHash: null,
      hash: expect.stringMatching(/^0x/) as string,
      miner: '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e',
    })
  })

  test('a block filter starts at the head', async () => {
    const filter = await devnet.call('eth_newBlockFilter')
    await devnet.call('evm_mine')
    const [first, second] = [await devnet.block('0x0'), await devnet.block('0x1')]
    expect(await devnet.call('eth_getFilterChanges', filter)).toEqual([first.hash, second.hash])
    expect(await devnet.call('eth_getFilterChanges', filter)).toEqual([])
  })

  test('methods for proof of work and uncles are not supported', async () => {
    for (const method of [
      'eth_getWork',
      'eth_hashrate',
      'eth_protocolVersion',
      'eth_signTransaction',
      'eth_getUncleCountByBlockNumber',
    ]) {
      expect(await fails(method)).toMatchObject({
        code: -32004,
        message: `Method ${method} is not supported`,
      })
    }
  })
})
