import { getAddress, toHex, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TracedNode } from '../tracing/tracedNode.js'

interface Transaction {
  hash: Hex
  nonce: Hex
  blockHash: Hex | null
  gasPrice: Hex
}
type Queue<T> = Record<string, Record<string, T>>
interface Content<T> {
  pending: Queue<T>
  queued: Queue<T>
}

let chain: TracedNode

beforeAll(async () => {
  chain = await TracedNode.start({ noMining: true })
})
afterAll(() => chain.stop())

function send(transaction: object): Promise<Hex> {
  return chain.call<Hex>('eth_sendTransaction', { from: chain.alice, ...transaction })
}

describe('txpool', () => {
  it('is empty without pending transactions', async () => {
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    expect(await chain.call('txpool_content')).toEqual({ pending: {}, queued: {} })
    expect(await chain.call('txpool_contentFrom', chain.alice)).toEqual({ pending: {}, queued: {} })
    expect(await chain.call('txpool_inspect')).toEqual({ pending: {}, queued: {} })
  })

  it('shows pending and queued transactions separately, by sender and nonce', async () => {
    const fees = { maxFeePerGas: toHex(3n * 10n ** 9n), maxPriorityFeePerGas: toHex(10n ** 9n) }
    const first = await send({ to: chain.bob, value: toHex(5), gas: toHex(21_000), ...fees })
    const creation = await send({ data: '0x00', gas: toHex(60_000), gasPrice: toHex(2n * 10n ** 9n) })
    const ahead = await send({ to: chain.bob, value: '0x1', nonce: toHex(9), gas: toHex(21_000), ...fees })
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x2', queued: '0x1' })
    const alice = getAddress(chain.alice)
    const content = await chain.call<Content<Transaction>>('txpool_content')
    expect(Object.keys(content.pending)).toEqual([alice])
    expect(content.pending[alice]).toMatchObject({
      0: { hash: first, blockHash: null },
      1: { hash: creation },
    })
    expect(content.queued).toMatchObject({ [alice]: { 9: { hash: ahead } } })
    expect(content.pending[alice]?.['0']?.gasPrice).toBe(fees.maxFeePerGas)
    expect(content.pending[alice]?.['0']).toEqual(await chain.call('eth_getTransactionByHash', first))
    expect(await chain.call('txpool_contentFrom', chain.alice)).toEqual({
      pending: content.pending[alice],
      queued: content.queued[alice],
    })
    expect(await chain.call('txpool_contentFrom', chain.bob)).toEqual({ pending: {}, queued: {} })
    expect(await chain.call('txpool_inspect')).toEqual({
      pending: {
        [alice]: {
          0: `${getAddress(chain.bob)}: 5 wei + 21000 gas × 3000000000 wei`,
          1: 'contract creation: 0 wei + 60000 gas × 2000000000 wei',
        },
      },
      queued: { [alice]: { 9: `${getAddress(chain.bob)}: 1 wei + 21000 gas × 3000000000 wei` } },
    })
    await chain.call('evm_mine')
    expect(await chain.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
  })
})
