import { encodeFunctionData, numberToHex, pad, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusalOf, startDevnet, stopAll, type Devnet } from '../devnet/support.js'
import { readArtifact } from '../support/artifacts.js'

const { abi, bytecode } = readArtifact('Store')
const reverter = readArtifact('Reverter')
const set = (value: bigint) => encodeFunctionData({ abi, functionName: 'setNumber', args: [value] })
const get = encodeFunctionData({ abi, functionName: 'number' })
const word = (value: number) => ({ value: pad(numberToHex(value)) })
const latest = { blockNumber: 'latest' }

let devnet: Devnet
let store: Hex
beforeEach(async () => {
  devnet = await startDevnet()
  store = (await devnet.send({ data: bytecode })).contractAddress
})
afterEach(stopAll)

describe('eth_callMany', () => {
  test('runs each call on the state after the previous one, and keeps nothing', async () => {
    const { call, from } = devnet
    const read = { to: store, data: get }
    const transactions = [read, { from, to: store, data: set(7n) }, read]
    expect(await call('eth_callMany', [{ transactions }, { transactions: [read] }], latest)).toEqual([
      [word(0), { value: '0x' }, word(7)],
      [word(7)],
    ])
    expect(await call('eth_call', read, 'latest')).toBe(word(0).value)
    expect(await call('eth_getTransactionCount', from, 'latest')).toBe('0x1')
    expect(await call('eth_callMany', [], latest)).toEqual([])
  })

  test('continues after a failing call and reports its reason', async () => {
    const { call, from, send } = devnet
    const { contractAddress: to } = await send({ data: reverter.bytecode })
    const reason = encodeFunctionData({
      abi: reverter.abi,
      functionName: 'revertWithReason',
      args: ['nope'],
    })
    const transactions = [
      { to, data: reason },
      { from, data: '0xfe', gas: '0x20000' },
      { to: store, data: get },
    ]
    expect(await call('eth_callMany', [{ transactions }])).toEqual([
      [{ error: 'execution reverted: nope' }, { error: 'invalid opcode: INVALID' }, word(0)],
    ])
    const poor = { from: `0x${'51'.repeat(20)}`, to, value: '0x1' }
    expect(await refusalOf(call('eth_callMany', [{ transactions: [poor] }], latest))).toMatchObject({
      code: -32000,
      message: expect.stringContaining('insufficient funds') as string,
    })
  })

  test('refuses results longer than an answer may be', async () => {
    const { call } = await startDevnet({ maxResponse: 1000 })
    // CODESIZE PUSH0 RETURN: as many zeros as the code has bytes.
    const override = (length: number) => ({ [store]: { code: `0x385ff3${'00'.repeat(length - 3)}` } })
    const ask = (length: number) =>
      call('eth_callMany', [{ transactions: [{ to: store }] }], latest, override(length))
    expect(await ask(400)).toEqual([[{ value: `0x${'00'.repeat(400)}` }]])
    expect(await refusalOf(ask(600))).toEqual({ code: -32003, message: 'response too large' })
  })

  test.each([
    [0, 0],
    ['0x1', 1],
    [2, 2],
    [-1, 2],
  ])('runs after the first transactions of a block: %s', async (transactionIndex, expected) => {
    const { call, from, height } = devnet
    await call('evm_setAutomine', false)
    const sent = { from, to: store, gas: '0x20000' }
    for (const value of [1n, 2n]) await call('eth_sendTransaction', { ...sent, data: set(value) })
    await call('evm_mine')
    const transactions = [{ to: store, data: get }]
    const blockNumber = numberToHex(await height())
    expect(await call('eth_callMany', [{ transactions }], { blockNumber, transactionIndex })).toEqual([
      [word(expected)],
    ])
    expect(
      await refusalOf(call('eth_callMany', [{ transactions }], { blockNumber, transactionIndex: 3 })),
    ).toMatchObject({ message: `transaction index 3 out of range for block ${Number(blockNumber)}` })
  })

  test("lets each bundle see its own block by geth's names and Erigon's, and overrides the state once", async () => {
    const { call } = devnet
    // Returns NUMBER, TIMESTAMP, COINBASE and BASEFEE.
    const code = '0x4360005242602052416040524860605260806000f3'
    const to: Hex = `0x${'77'.repeat(20)}`
    const transactions = [{ to, gasPrice: '0x9' }]
    const miner: Hex = `0x${'99'.repeat(20)}`
    const seen = {
      value: `0x${[5, 2_000_000_000, miner, 9].map((item) => pad(typeof item === 'number' ? numberToHex(item) : item).slice(2)).join('')}`,
    }
    const [time, baseFee] = [numberToHex(2_000_000_000), '0x9']
    const geth = { number: '0x5', time, feeRecipient: miner, baseFeePerGas: baseFee }
    const erigon = { blockNumber: '0x5', timestamp: time, coinbase: miner, baseFee }
    expect(
      await call(
        'eth_callMany',
        [geth, erigon].map((blockOverride) => ({ transactions, blockOverride })),
        latest,
        { [to]: { code }, [`0x${'00'.repeat(20)}`]: { balance: '0xde0b6b3a7640000' } },
      ),
    ).toEqual([[seen], [seen]])
  })
})
