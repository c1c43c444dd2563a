import { numberToHex, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startDevnet, stopAll, type Devnet } from './support.js'

/** Expected values come from `hardhat node` 2.29.1, with the same requests on a chain with the same start. */

const contract: Hex = `0x${'51'.repeat(20)}`
const word = (value: bigint | number): Hex => numberToHex(value, { size: 32 })
const gwei = 1_000_000_000n
/** LOG1 with the caller as data and the block number as topic. */
const logs = '0x335f524360205fa1'
let devnet: Devnet

beforeEach(async () => {
  devnet = await startDevnet({ compat: 'hardhat' })
})
afterEach(stopAll)

const call = <T = unknown>(method: string, ...params: unknown[]): Promise<T> =>
  devnet.call<T>(method, ...params)

describe('under --compat hardhat', () => {
  test('a log filter begins with the logs in its range, and its logs are those not polled yet', async () => {
    await call('hardhat_setCode', contract, logs)
    const transaction = { from: devnet.from, to: contract, gas: '0x186a0' }
    for (let sent = 0; sent < 2; sent++) await call('eth_sendTransaction', transaction)
    const numbers = async (method: string, id: unknown): Promise<string[]> =>
      (await call<{ blockNumber: string }[]>(method, id)).map(({ blockNumber }) => blockNumber)
    const [fromStart, fromHead] = [
      await call('eth_newFilter', { fromBlock: '0x0' }),
      await call('eth_newFilter', {}),
    ]
    expect(await numbers('eth_getFilterLogs', fromStart)).toEqual(['0x1', '0x2'])
    expect(await numbers('eth_getFilterLogs', fromStart)).toEqual([])
    expect(await numbers('eth_getFilterChanges', fromHead)).toEqual(['0x2'])
    await call('eth_sendTransaction', transaction)
    expect(await numbers('eth_getFilterLogs', fromHead)).toEqual(['0x3'])
    expect(await numbers('eth_getFilterChanges', fromHead)).toEqual([])
    const blocks = await call('eth_newBlockFilter')
    await expect(call('eth_getFilterLogs', blocks)).rejects.toThrow(
      'is not a Logs subscription, but a NewHeads subscription',
    )
    expect(await call('eth_getLogs', { fromBlock: '0x0', topics: [[]] })).toEqual([])
  })

  test('a transaction of the pending block has its gas price there, but no place', async () => {
    await call('evm_setAutomine', false)
    const fees = { maxFeePerGas: numberToHex(20n * gwei), maxPriorityFeePerGas: numberToHex(2n * gwei) }
    await call('eth_sendTransaction', { from: devnet.from, to: contract, gas: '0x5208', ...fees })
    const { transactions } = await call<{ transactions: unknown[] }>('eth_getBlockByNumber', 'pending', true)
    const placed = { blockHash: null, blockNumber: null, transactionIndex: null }
    // 875,000,000 is the base fee of block 1.
    expect(transactions).toMatchObject([{ ...placed, gasPrice: numberToHex(2n * gwei + 875_000_000n) }])
  })

  test('the nonce at pending leaves out what the pending block cannot have', async () => {
    await call('evm_setAutomine', false)
    for (const gasPrice of [numberToHex(2n * gwei), '0x1']) {
      await call('eth_sendTransaction', { from: devnet.from, to: contract, gas: '0x5208', gasPrice })
    }
    expect(await call('eth_getTransactionCount', devnet.from, 'pending')).toBe('0x1')
  })

  test('the receipt of a failed creation has no address', async () => {
    await expect(call('eth_sendTransaction', { from: devnet.from, data: '0xfe' })).rejects.toThrow(
      'invalid opcode',
    )
    const { transactions } = await devnet.block()
    const receipt = await call('eth_getTransactionReceipt', transactions[0])
    expect(receipt).toMatchObject({ status: '0x0', contractAddress: null })
  })

  test('calls and traces have 16,777,216 gas, and traces run on the pending block', async () => {
    await call('hardhat_setCode', contract, '0x5a5f5260205ff3')
    expect(await call('eth_call', { to: contract })).toBe(word(16_777_216 - 21_002))
    expect(await call('debug_traceCall', { to: contract }, 'pending')).toMatchObject({
      returnValue: word(16_777_216 - 21_002),
    })
  })

  test('a sender who cannot pay sees the rest of its balance, or the value', async () => {
    await call('hardhat_setCode', contract, '0x475f5260205ff3')
    const own = { from: contract, to: contract, gas: numberToHex(100_000) }
    const cap = { maxFeePerGas: numberToHex(2n * gwei) }
    expect(await call('eth_call', { ...own, ...cap })).toBe(word(0))
    expect(await call('eth_call', { ...own, ...cap, value: '0x5' })).toBe(word(5))
    await call('hardhat_setBalance', contract, numberToHex(10n ** 14n))
    expect(await call('eth_call', { ...own, ...cap, maxPriorityFeePerGas: numberToHex(gwei) })).toBe(word(0))
    expect(await call('eth_call', { ...own, gasPrice: numberToHex(gwei / 2n) })).toBe(word(5n * 10n ** 13n))
  })

  test('an estimate that needs a search ends where it does', async () => {
    // Clears slot 0; sets it, and clears it again.
    for (const [code, estimate] of [
      ['0x5f5f55', '0x6599'],
      ['0x5f5f5560015f555f5f55', '0x6f18'],
    ] as const) {
      await call('hardhat_setCode', contract, code)
      await call('hardhat_setStorageAt', contract, '0x0', word(BigInt(`0x${'01'.repeat(32)}`)))
      expect(await call('eth_estimateGas', { to: contract, gas: '0x186a0' })).toBe(estimate)
      expect(await call('eth_estimateGas', { to: contract })).toBe(estimate)
    }
  })

  test('an impersonated account has the same transaction hashes', async () => {
    await call('hardhat_impersonateAccount', contract)
    await call('hardhat_setBalance', contract, numberToHex(10n ** 18n))
    const to = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    const sent = { from: contract, to, gas: '0x5208' }
    expect(await call('eth_sendTransaction', { ...sent, gasPrice: '0xb2d05e00' })).toBe(
      '0x372cb4044d9900fb284ac34f53d63be7cb6bf6f7742cd34cee2c232496466914',
    )
    expect(await call('eth_sendTransaction', { ...sent, maxFeePerGas: '0xb2d05e00' })).toBe(
      '0xa1f81bac9b922362e161c460178dca38f47d41a36d96339d39cab64e3c66014b',
    )
  })

  test('hardhat_mine holds the base fee of blocks that hardhat only reserves', async () => {
    await call('hardhat_mine', numberToHex(10))
    const fees: bigint[] = []
    for (let number = 1; number <= 10; number++) {
      const block = await call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', numberToHex(number), false)
      fees.push(BigInt(block.baseFeePerGas))
    }
    const eighths = (count: number): bigint => (gwei * 7n ** BigInt(count)) / 8n ** BigInt(count)
    expect(fees).toEqual([eighths(1), ...Array.from({ length: 8 }, () => eighths(2)), eighths(3)])
    await call('hardhat_mine', numberToHex(7))
    const { baseFeePerGas } = await call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', 'latest', false)
    expect(BigInt(baseFeePerGas)).toBeLessThan(eighths(9))
  })

  test('blocks that hardhat only reserves have no beneficiary and take no randomness', async () => {
    await call('hardhat_mine', numberToHex(10))
    const randomness = async (number: number) => {
      const block = await devnet.block(numberToHex(number))
      const { miner, mixHash, parentBeaconBlockRoot } = block as typeof block & { parentBeaconBlockRoot: Hex }
      return { miner, mixHash, parentBeaconBlockRoot }
    }
    const nothing = { miner: `0x${'00'.repeat(20)}`, mixHash: word(0), parentBeaconBlockRoot: word(0) }
    for (const number of [3, 9]) expect(await randomness(number)).toEqual(nothing)
    const miner = `0x${'c014ba5e'.repeat(5)}`
    expect(await randomness(2)).toMatchObject({
      miner,
      mixHash: '0x36e0e2ad178d961006334c968a7f38fc9e049070a61e5b8203219acebd7bfd59',
    })
    expect(await randomness(10)).toEqual({
      miner,
      mixHash: '0x941e24315e7def23adef19eaa877e897ff000a8314567f4d0f40cfac2f26aa5b',
      parentBeaconBlockRoot: '0xa7d78e2f9991e69403ea671125f6635bec88f46936370f3c5316bdd0e4bf4eaa',
    })
  })

  test('a gas limit above the cap is reported after nonce and fees while automining', async () => {
    const sent = { from: devnet.from, to: contract, gas: numberToHex(16_777_217) }
    await expect(call('eth_sendTransaction', { ...sent, nonce: '0x9' })).rejects.toThrow('Nonce too high')
    await expect(call('eth_sendTransaction', { ...sent, gasPrice: '0x1' })).rejects.toThrow(
      'too low for the next',
    )
    await expect(call('eth_sendTransaction', sent)).rejects.toThrow('exceeds transaction gas cap of 16777216')
  })

  test('filters are counted, and an unknown subscription is no error', async () => {
    expect(await call('eth_newFilter', {})).toBe('0x1')
    expect(await call('eth_newBlockFilter')).toBe('0x2')
    expect(await call('eth_getFilterChanges', 1)).toEqual([])
    expect(await call('eth_uninstallFilter', '0x1')).toBe(true)
    expect(await call('eth_newPendingTransactionFilter')).toBe('0x3')
    expect(await call('eth_unsubscribe', '0x1')).toBe(false)
    await expect(call('eth_getFilterLogs', '0x2')).rejects.toThrow(
      /^Subscription 2 is not a Logs subscription, but a NewHeads subscription$/,
    )
  })

  test('a transaction that is mined at once takes an id of a snapshot', async () => {
    const sent = { to: contract, gas: '0x15208' }
    expect(await call('evm_snapshot')).toBe('0x1')
    await call('eth_sendTransaction', sent)
    expect(await call('evm_snapshot')).toBe('0x3')
    await call('hardhat_setCode', contract, '0x5f5ffd')
    await expect(call('eth_sendTransaction', sent)).rejects.toThrow('reverted')
    expect(await call('evm_snapshot')).toBe('0x5')
    await call('evm_setAutomine', false)
    await call('eth_sendTransaction', sent)
    await call('evm_mine')
    expect(await call('evm_snapshot')).toBe('0x6')
  })

  test('a block cannot have both a number and a hash, whatever they are', async () => {
    const both = { blockNumber: 'pending', blockHash: word(2) }
    await expect(call('eth_getCode', contract, both)).rejects.toThrow(
      /^EIP-1898 block spec cannot have both `blockHash` and `blockNumber`$/,
    )
    await expect(call('eth_getCode', contract, { blockNumber: 'pending' })).rejects.toThrow(
      /^invalid value: string "pending", expected a 8 byte hex string$/,
    )
  })

  test('a transaction without gas gets the configured gas limit, even if blocks have less', async () => {
    await call('evm_setBlockGasLimit', '0xf618')
    await expect(call('eth_sendTransaction', { to: contract })).rejects.toThrow(
      'Transaction gas limit is 16777216 and exceeds block gas limit of 63000',
    )
  })

  test('a proof shows that an absent account and an absent slot are empty', async () => {
    const emptyHashes = {
      codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      storageHash: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    }
    expect(await call('eth_getProof', contract, [word(0)], 'latest')).toMatchObject({
      ...emptyHashes,
      storageProof: [{ value: '0x0', proof: ['0x80'] }],
    })
  })

  test('typed data without its primary type is refused', async () => {
    const data = { types: { A: [{ name: 'x', type: 'uint256' }] }, primaryType: 'B', domain: {}, message: {} }
    await expect(call('eth_signTypedData_v4', devnet.from, data)).rejects.toThrow(
      /^missing type in type resolution: B$/,
    )
  })

  test('a creation with too much code is refused in calls', async () => {
    const data = `0x${'00'.repeat(49_153)}`
    for (const method of ['eth_call', 'eth_estimateGas']) {
      await expect(call(method, { from: devnet.from, data })).rejects.toThrow('create initcode size limit')
    }
  })

  test.each([
    ['0xa45e', 'Invalid transaction type 164.'],
    ['0x00', 'Invalid transaction type 0.'],
    ['0x0280', 'unexpected string'],
    ['0xc1c0', 'unexpected list'],
    ['0x03c0', 'input too short'],
    ['0x', 'input too short'],
  ])('the raw transaction %s is refused: %s', async (raw, message) => {
    await expect(call('eth_sendRawTransaction', raw)).rejects.toThrow(message)
  })
})
