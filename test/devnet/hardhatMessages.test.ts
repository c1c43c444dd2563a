import { getAddress, numberToHex, parseEther, parseGwei, type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, type Devnet } from './support.js'

/** Messages are those of hardhat 2.29.1 for the same requests. */

const stranger: Hex = `0x${'ab'.repeat(20)}`
const first = mnemonicToAccount('test test test test test test test test test test test junk')
const gwei = (count: number): Hex => numberToHex(parseGwei(`${count}`))
let devnet: Devnet

afterEach(stopAll)

const refused = (method: string, ...params: unknown[]) => refusalOf(devnet.call(method, ...params))
const refusedSend = (fields: object) =>
  refused('eth_sendTransaction', { from: devnet.from, to: devnet.to, gas: '0x5208', ...fields })
const raw = (fields: object): Promise<Hex> =>
  first.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    to: stranger,
    gas: 21_000n,
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: parseGwei('2'),
    ...fields,
  } as never)

describe('--compat hardhat has the refusals of hardhat', () => {
  beforeEach(async () => {
    devnet = await startDevnet({ compat: 'hardhat', noMining: true })
  })

  test('for transactions', async () => {
    const value = parseEther('20000')
    const rows: [fields: object, message: string, code?: number][] = [
      [{ from: stranger }, `Unknown account ${getAddress(stranger)}`],
      [{ gas: '0x5207' }, 'Transaction requires at least 21000 gas but got 20999'],
      [
        { value: numberToHex(value), gasPrice: gwei(2) },
        `Sender doesn't have enough funds to send tx. The max upfront cost is: ${value + 21_000n * parseGwei('2')} ` +
          `and the sender's balance is: ${parseEther('10000')}.`,
      ],
      [
        { maxFeePerGas: gwei(2), maxPriorityFeePerGas: gwei(3) },
        'maxPriorityFeePerGas (3000000000) is bigger than maxFeePerGas (2000000000)',
      ],
      [{ gasPrice: gwei(2), maxFeePerGas: gwei(2) }, 'Cannot send both gasPrice and maxFeePerGas params'],
      [
        { gasPrice: gwei(2), maxFeePerGas: gwei(2), maxPriorityFeePerGas: gwei(1) },
        'Cannot send both gasPrice and maxFeePerGas params',
      ],
      [{ to: undefined }, 'Contract creation without any data provided'],
      [{ chainId: '0x5' }, 'Invalid chainId 5 provided, expected 31337 instead.', -32602],
    ]
    for (const [fields, message, code = -32000] of rows) {
      expect(await refusedSend(fields)).toEqual({ code, message })
    }
  })

  test('for raw transactions', async () => {
    const rows: [fields: object, message: string, code?: number][] = [
      [
        { chainId: 5, nonce: 0 },
        'Trying to send a raw transaction with an invalid chainId. The expected chainId is 31337',
        -32602,
      ],
      [{ nonce: 0, gas: 21_003n, data: '0x00' }, 'Transaction requires at least 21004 gas but got 21003'],
      // EIP-7623: a zero byte is one token, and a token costs at least 10.
      [
        { nonce: 0, gas: 21_009n, data: '0x00' },
        'Transaction requires gas floor of 21010 but got limit of 21009',
      ],
    ]
    for (const [fields, message, code = -32000] of rows) {
      expect(await refused('eth_sendRawTransaction', await raw(fields))).toEqual({ code, message })
    }
  })

  test('for known transactions and underpriced replacements', async () => {
    const waiting = await raw({ nonce: 0 })
    const hash = await devnet.call<Hex>('eth_sendRawTransaction', waiting)
    const replacing = 'is necessary to replace the existing transaction with nonce 0.'
    const rows: [transaction: Hex, message: string][] = [
      [waiting, `Known transaction: ${hash}`],
      [
        await raw({ nonce: 0, value: 1n }),
        `Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 11000000000 ${replacing}`,
      ],
      [
        await raw({ nonce: 0, maxFeePerGas: parseGwei('11') }),
        `Replacement transaction underpriced. A gasPrice/maxPriorityFeePerGas of at least 2200000000 ${replacing}`,
      ],
    ]
    for (const [transaction, message] of rows) {
      expect(await refused('eth_sendRawTransaction', transaction)).toEqual({ code: -32000, message })
    }
    await devnet.call('evm_mine')
    expect(await refused('eth_sendRawTransaction', await raw({ nonce: 0, value: 2n }))).toEqual({
      code: -32000,
      message: 'Transaction nonce too low. Expected nonce to be at least 1 but got 0.',
    })
  })

  test('for blocks, times, controls and names', async () => {
    const { timestamp } = await devnet.block()
    const now = BigInt(timestamp)
    const rows: [code: number, message: string, method: string, ...params: unknown[]][] = [
      [
        -32000,
        'Received invalid block tag 100. Latest block number is 0',
        'eth_getBalance',
        devnet.from,
        '0x64',
      ],
      [
        -32000,
        `Timestamp 1 is lower than the previous block's timestamp ${now}`,
        'evm_setNextBlockTimestamp',
        1,
      ],
      [
        -32000,
        `Timestamp ${now} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`,
        'evm_setNextBlockTimestamp',
        Number(now),
      ],
      [
        -32000,
        'hardhat_setMinGasPrice is not supported when EIP-1559 is active',
        'hardhat_setMinGasPrice',
        '0x1',
      ],
      [-32004, 'Method eth_notAMethod is not supported', 'eth_notAMethod'],
    ]
    for (const [code, message, method, ...params] of rows) {
      expect(await refused(method, ...params)).toEqual({ code, message })
    }
  })
})

describe('an unaffordable call', () => {
  /** Returns the contract's balance, including the payment. */
  const balanceOfSelf = '0x4760005260206000f3'
  const contract: Hex = `0x${'c0'.repeat(20)}`
  const message = { from: stranger, to: contract, value: '0x7' }

  test('runs under --compat hardhat', async () => {
    devnet = await startDevnet({ compat: 'hardhat' })
    await devnet.call('hardhat_setCode', contract, balanceOfSelf)
    expect(await devnet.call('eth_call', message)).toBe(numberToHex(7, { size: 32 }))
    expect(await devnet.call('eth_call', { ...message, gasPrice: gwei(50) })).toBe(
      numberToHex(7, { size: 32 }),
    )
    expect(await devnet.call('eth_call', { to: contract, gasPrice: '0x1' })).toBe(
      numberToHex(0, { size: 32 }),
    )
    expect(await devnet.call('eth_estimateGas', { ...message, to: devnet.to })).toBe('0x5209')
    expect(await devnet.call('eth_getBalance', stranger, 'latest')).toBe('0x0')
  })

  test('is estimated under --compat hardhat, whatever the gas limit of the next block', async () => {
    devnet = await startDevnet({ compat: 'hardhat' })
    const estimate = (fields: object) =>
      devnet.call('eth_estimateGas', {
        from: stranger,
        to: devnet.to,
        gasPrice: '0xde0b6b3a7640000',
        ...fields,
      })
    expect(await estimate({ gas: '0x5208' })).toBe('0x5209')
    await devnet.call('evm_setBlockGasLimit', '0x186a0')
    await devnet.call('evm_mine')
    expect(await estimate({})).toBe('0x5209')
  })

  test('is refused otherwise', async () => {
    devnet = await startDevnet()
    expect(await refused('eth_call', message)).toMatchObject({ code: -32000 })
    expect(await refused('eth_estimateGas', message)).toMatchObject({ code: -32000 })
  })
})
