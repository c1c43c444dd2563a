import { createTxFromRLP } from '@ethereumjs/tx'
import { Wallet, getBytes } from 'ethers'
import { beforeEach, describe, expect, it } from 'vitest'
import { ExecutionRevertedError, TooManyLogsError } from '../../src/chain/errors.js'
import type { RpcSettings } from '../../src/rpc/backend.js'
import { filled, testBlock, testSealed } from './support/blocks.js'
import { outcomeOf, testPipeline } from './support/pipeline.js'
import { FakeChain, defaultSettings, fakeBackend, osaka } from './support/fakeBackend.js'

const wallet = new Wallet(`0x${'11'.repeat(32)}`)
const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`

async function transfer(nonce: number, tip: bigint) {
  const raw = await wallet.signTransaction({
    type: 2,
    chainId: 1,
    nonce,
    to: `0x${'22'.repeat(20)}`,
    gasLimit: 21000,
    maxFeePerGas: 5_000_000_000n,
    maxPriorityFeePerGas: tip,
  })
  return createTxFromRLP(getBytes(raw), { common: osaka })
}

const log = { address: filled(20, 0xad), topics: [filled(32, 1)], data: new Uint8Array() }
const first = testSealed(await transfer(0, 3_000_000_000n), [log], { effectiveGasPrice: 4_000_000_000n })
const second = testSealed(await transfer(1, 1_000_000_000n), [log], {
  effectiveGasPrice: 2_000_000_000n,
  gasUsed: 63_000n,
})

let chain: FakeChain

beforeEach(() => {
  chain = new FakeChain([
    testBlock(0n),
    testBlock(1n, [first, second], { gasUsed: 84_000n, logsBloom: filled(256, 1) }),
    testBlock(2n),
  ])
})

function ask(method: string, params: unknown[] = [], settings: Partial<RpcSettings> = {}) {
  const backend = fakeBackend(chain, { settings: { ...defaultSettings, ...settings } })
  return outcomeOf(testPipeline({ backend }), method, params)
}

async function resultOf(method: string, params: unknown[] = [], settings: Partial<RpcSettings> = {}) {
  const { result, error } = await ask(method, params, settings)
  expect(error).toBeUndefined()
  return result
}

describe('blocks', () => {
  it('shows hashes or full transactions, and the total difficulty unless it is switched off', async () => {
    const hashes = await resultOf('eth_getBlockByNumber', ['0x1', false])
    expect(hashes).toMatchObject({
      totalDifficulty: '0x0',
      transactions: [hexOf(first.hash), hexOf(second.hash)],
    })
    const full = await resultOf('eth_getBlockByHash', [`0x${'a1'.repeat(32)}`, true], {
      totalDifficulty: false,
    })
    expect(full).not.toHaveProperty('totalDifficulty')
    expect(full).toMatchObject({ transactions: [{ nonce: '0x0' }, { nonce: '0x1' }] })
  })

  it('answers null for missing blocks, and an error for tags without a block', async () => {
    expect(await resultOf('eth_getBlockByNumber', ['0x9', false])).toBeNull()
    expect(await resultOf('eth_getBlockByHash', [`0x${'00'.repeat(32)}`, false])).toBeNull()
    expect(await resultOf('eth_getBlockReceipts', ['0x9'])).toBeNull()
    expect(await resultOf('eth_getUncleCountByBlockNumber', ['0x9'])).toBeNull()
    expect(await resultOf('eth_getUncleByBlockNumberAndIndex', ['latest', '0x0'])).toBeNull()
    expect((await ask('eth_getBlockByNumber', ['safe', false])).error).toEqual({
      code: -32000,
      message: 'safe block not found',
    })
    expect(await resultOf('eth_getRawTransactionByBlockNumberAndIndex', ['safe', '0x0'])).toBe('0x')
  })

  it('nulls members of the pending block as documented or like geth', async () => {
    chain.pending = testBlock(3n, [first])
    const byDocument = await resultOf('eth_getBlockByNumber', ['pending', true])
    expect(byDocument).toMatchObject({
      number: null,
      hash: null,
      nonce: null,
      logsBloom: null,
      miner: `0x${'cb'.repeat(20)}`,
      transactions: [{ blockHash: null, blockNumber: null, transactionIndex: null }],
    })
    const byGeth = await resultOf('eth_getBlockByNumber', ['pending', true], { pendingFields: 'geth' })
    expect(byGeth).toMatchObject({
      number: '0x3',
      hash: null,
      nonce: null,
      miner: null,
      logsBloom: `0x${'00'.repeat(256)}`,
      transactions: [{ blockNumber: '0x3', transactionIndex: '0x0' }],
    })
    expect(await resultOf('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'])).toMatchObject({
      hash: hexOf(first.hash),
    })
    expect(await resultOf('eth_getTransactionByBlockNumberAndIndex', ['pending', '0x1'])).toBeNull()
    const raw = hexOf(first.transaction.serialize())
    expect(await resultOf('eth_getRawTransactionByBlockNumberAndIndex', ['pending', '0x0'])).toBe(raw)
    expect(await resultOf('eth_getRawTransactionByBlockNumberAndIndex', ['pending', '0x1'])).toBe('0x')
    expect(await resultOf('eth_getHeaderByNumber', ['pending'])).toBeNull()
  })

  it('prints the hash of a missing block like geth', async () => {
    const { error } = await ask('debug_getRawBlock', [`0x${'0a'.repeat(32)}`])
    expect(error?.message).toBe(`block #[${new Array(32).fill(10).join(' ')}] not found`)
    expect(await resultOf('debug_getRawHeader', ['0x9'])).toBe('0x')
    expect(await resultOf('debug_getRawTransaction', [`0x${'0a'.repeat(32)}`])).toBe('0x')
  })
})

describe('transactions', () => {
  it('finds them by hash and by index', async () => {
    const byHash = await resultOf('eth_getTransactionByHash', [hexOf(second.hash)])
    expect(byHash).toMatchObject({ transactionIndex: '0x1', blockNumber: '0x1' })
    for (const [method, block] of [
      ['eth_getTransactionByBlockNumberAndIndex', '0x1'],
      ['eth_getTransactionByBlockHashAndIndex', `0x${'a1'.repeat(32)}`],
    ] as const) {
      expect(await resultOf(method, [block, '0x1'])).toEqual(byHash)
      expect(await resultOf(method, [block, '0x2'])).toBeNull()
    }
    expect(await resultOf('eth_getTransactionReceipt', [hexOf(second.hash)])).toMatchObject({
      gasUsed: '0xf618',
      logs: [{ logIndex: '0x1' }],
    })
    expect(await resultOf('eth_getBlockReceipts', ['0x1'])).toHaveLength(2)
  })

  it('counts pooled transactions only in the pending nonce', async () => {
    const address = `0x${'11'.repeat(20)}`
    expect(await resultOf('eth_getTransactionCount', [address, 'pending'])).toBe('0x7')
    expect(await resultOf('eth_getTransactionCount', [address])).toBe('0x0')
  })
})

describe('calls', () => {
  it('reports a revert with its code and data', async () => {
    const backend = fakeBackend(chain, {
      executor: {
        call: () => {
          throw new ExecutionRevertedError('execution reverted: no', Uint8Array.of(1, 2))
        },
        estimateGas: () => 21_000n,
        createAccessList: () => ({ accessList: [], gasUsed: 5n }),
      },
    })
    const pipeline = testPipeline({ backend })
    expect(await outcomeOf(pipeline, 'eth_call', [{}])).toEqual({
      error: { code: 3, message: 'execution reverted: no', data: '0x0102' },
    })
    expect(await outcomeOf(pipeline, 'eth_estimateGas', [{}])).toEqual({ result: '0x5208' })
    expect(await outcomeOf(pipeline, 'eth_createAccessList', [{}])).toEqual({
      result: { accessList: [], gasUsed: '0x5' },
    })
  })
})

describe('logs', () => {
  const refused = (message: string) => ({ error: { code: -32602, message } })
  it('checks ranges like geth', async () => {
    const backwards = refused('invalid block range params')
    const beyond = refused('block range extends beyond current head block')
    const rows: [object, object][] = [
      [{ fromBlock: '0x2', toBlock: '0x1' }, backwards],
      [{ fromBlock: '0x1', toBlock: '0x3' }, beyond],
      [{ fromBlock: '0x3' }, backwards],
      [{ fromBlock: '0x3', toBlock: '0x4' }, beyond],
      [{ toBlock: '0x2' }, backwards],
      [{ fromBlock: 'latest', toBlock: '0x2' }, backwards],
      [{ fromBlock: 'pending' }, refused('pending logs are not supported')],
      [{ fromBlock: 'safe' }, { error: { code: -32000, message: 'safe header not found' } }],
      [{ blockHash: `0x${'00'.repeat(32)}` }, { error: { code: -32000, message: 'unknown block' } }],
    ]
    for (const [filter, answer] of rows) expect(await ask('eth_getLogs', [filter])).toEqual(answer)
  })

  it('searches the requested range', async () => {
    const found = async (filter: object, settings?: Partial<RpcSettings>) => {
      const result = await resultOf('eth_getLogs', [filter], settings)
      return { count: (result as unknown[]).length, range: chain.queries.at(-1)?.range }
    }
    expect(await found({})).toEqual({ count: 0, range: { from: 2n, to: 2n } })
    expect(await found({ fromBlock: 'earliest' })).toEqual({ count: 2, range: { from: 0n, to: 2n } })
    expect(await found({ fromBlock: '0x1', toBlock: '0x1' })).toMatchObject({ count: 2 })
    const byHash = await found({ blockhash: `0x${'a1'.repeat(32)}` })
    expect(byHash.count).toBe(2)
    const lenient = { logsRange: 'lenient' } as const
    expect(await found({ fromBlock: '0x1', toBlock: '0x99' }, lenient)).toMatchObject({
      range: { from: 1n, to: 2n },
    })
    chain.queries.length = 0
    expect(await found({ fromBlock: '0x8', toBlock: '0x99' }, lenient)).toEqual({
      count: 0,
      range: undefined,
    })
  })

  it('limits parameters, blocks and results', async () => {
    const addresses = (count: number) => new Array<string>(count).fill(`0x${'11'.repeat(20)}`)
    const topics = [null, [`0x${'11'.repeat(32)}`]]
    expect(await ask('eth_getLogs', [{ address: addresses(5000), topics }])).toEqual(
      refused('query exceeds 5000 parameters'),
    )
    expect(await resultOf('eth_getLogs', [{ address: addresses(4999), topics }])).toEqual([])
    expect(await ask('eth_getLogs', [{ fromBlock: '0x0' }], { maxLogRange: 1 })).toEqual(
      refused('range 2 exceeds limit of 1'),
    )
    chain.logs = () => Promise.reject(new TooManyLogsError(10_000, { from: 0xbde5f8n, to: 0x102dbccn }))
    expect(await ask('eth_getLogs', [{}])).toEqual({
      error: { code: -32005, message: 'query returned more than 10000 results' },
    })
    expect(await ask('eth_getLogs', [{}], { logsError: 'suggest' })).toEqual({
      error: {
        code: -32005,
        message: 'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].',
        data: { from: '0xBDE5F8', limit: '10000', to: '0x102DBCC' },
      },
    })
  })
})

describe('fees', () => {
  it('weights tips by gas used', async () => {
    const history = await resultOf('eth_feeHistory', ['0x2', '0x1', [0, 70, 80]])
    // Above a base fee of 1 gwei, 63,000 of 84,000 gas (three quarters) paid a tip of 1 gwei and the rest 3 gwei.
    expect(history).toEqual({
      oldestBlock: '0x0',
      reward: [
        ['0x0', '0x0', '0x0'],
        ['0x3b9aca00', '0x3b9aca00', '0xb2d05e00'],
      ],
      // EIP-1559: almost an eighth less than 1 gwei, as the block used 84,000 of a target of 15,000,000 gas.
      baseFeePerGas: [
        '0x3b9aca00',
        '0x3b9aca00',
        `0x${(1_000_000_000n - (1_000_000_000n * 14_916_000n) / 15_000_000n / 8n).toString(16)}`,
      ],
      gasUsedRatio: [0, 0.0028],
      baseFeePerBlobGas: ['0x1', '0x1', '0x1'],
      blobGasUsedRatio: [0, 0],
    })
  })

  it("refuses percentiles and blocks with geth's messages", async () => {
    const rows: [unknown[], string][] = [
      [['0x1', 'latest', [101]], 'invalid reward percentile: 101.000000'],
      [['0x1', 'latest', [50, 10]], 'invalid reward percentile: #0:50.000000 >= #1:10.000000'],
      [['0x1', 'latest', new Array(101).fill(1)], 'invalid reward percentile: over the query limit 100'],
      [['0x1', '0x9', []], 'request beyond head block: requested 9, head 2'],
    ]
    for (const [params, message] of rows) {
      expect(await ask('eth_feeHistory', params)).toEqual({ error: { code: -32000, message } })
    }
    expect(await resultOf('eth_feeHistory', ['0x0', 'latest', []])).toEqual({
      oldestBlock: '0x0',
      gasUsedRatio: null,
    })
    expect(await resultOf('eth_feeHistory', [5, 'latest', []])).not.toHaveProperty('reward')
  })

  it('suggests the 60th percentile of the tips paid', async () => {
    // The second of three: block 2 is empty (start price of 1,000,000 wei), block 1 has tips of 1 and 3 gwei.
    expect(await resultOf('eth_maxPriorityFeePerGas')).toBe('0x3b9aca00')
    expect(await resultOf('eth_gasPrice')).toBe('0x77359400')
  })
})

describe('filters', () => {
  it('return the changes since the last poll', async () => {
    const backend = fakeBackend(chain)
    const pipeline = testPipeline({ backend })
    const made = async (method: string, params: unknown[] = []) =>
      (await outcomeOf(pipeline, method, params)).result
    const poll = async (id: unknown) => (await outcomeOf(pipeline, 'eth_getFilterChanges', [id])).result
    const blocks = await made('eth_newBlockFilter')
    const logs = await made('eth_newFilter', [{ fromBlock: '0x3' }])
    const pending = await made('eth_newPendingTransactionFilter')
    const objects = await made('eth_newPendingTransactionFilter', [true])
    expect(blocks).toMatch(/^0x[1-9a-f][0-9a-f]{0,31}$/)

    const block = chain.add(testBlock(3n, [first], { logsBloom: filled(256, 1) }))
    chain.events.emit({ type: 'head', block })
    chain.events.emit({ type: 'removed', blocks: [block] })
    chain.events.emit({ type: 'pending', transaction: second })
    expect(await poll(blocks)).toEqual([`0x${'a3'.repeat(32)}`])
    expect(await poll(blocks)).toEqual([])
    expect(await poll(logs)).toMatchObject([{ removed: false }, { removed: true, blockNumber: '0x3' }])
    expect(await poll(pending)).toEqual([hexOf(second.hash)])
    expect(await poll(objects)).toMatchObject([{ hash: hexOf(second.hash), blockHash: null }])

    expect(await outcomeOf(pipeline, 'eth_getFilterLogs', [logs])).toMatchObject({ result: [{}] })
    const notFound = { error: { code: -32000, message: 'filter not found' } }
    expect(await outcomeOf(pipeline, 'eth_getFilterLogs', [blocks])).toEqual(notFound)
    expect(await outcomeOf(pipeline, 'eth_uninstallFilter', [blocks])).toEqual({ result: true })
    expect(await outcomeOf(pipeline, 'eth_uninstallFilter', [blocks])).toEqual({ result: false })
    expect(await outcomeOf(pipeline, 'eth_getFilterChanges', [blocks])).toEqual(notFound)
  })

  it('accept only ranges that can include new blocks', async () => {
    const message = 'invalid block range params'
    for (const range of [{ toBlock: '0x5' }, { fromBlock: 'safe' }, { fromBlock: '0x5', toBlock: '0x4' }]) {
      expect(await ask('eth_newFilter', [range])).toEqual({ error: { code: -32602, message } })
    }
    for (const range of [{}, { fromBlock: 'earliest' }, { fromBlock: '0x1', toBlock: '0x99' }]) {
      expect(await resultOf('eth_newFilter', [range])).toMatch(/^0x/)
    }
  })
})

describe('controls', () => {
  it('accepts the argument forms of all development nodes', async () => {
    const orders: unknown[] = []
    const backend = fakeBackend(chain)
    backend.controls = {
      ...backend.controls,
      mine: (order) => {
        orders.push(order)
        return Promise.resolve()
      },
      increaseTime: (seconds) => Promise.resolve(seconds + 1n),
      snapshot: () => Promise.resolve(10n),
      revert: (id) => Promise.resolve(id === 10n ? 'done' : 'unknown'),
      setIntervalMining: (milliseconds) => {
        orders.push(milliseconds)
        return Promise.resolve()
      },
    }
    const pipeline = testPipeline({ backend })
    for (const params of [
      [],
      [null],
      [1000],
      ['0x3e8'],
      ['1000'],
      [{ timestamp: 5, blocks: '0x2' }],
      [{ blocks: 3 }],
      [{}],
    ]) {
      expect(await outcomeOf(pipeline, 'evm_mine', params)).toEqual({ result: '0x0' })
    }
    const at1000 = { blocks: 1, timestamp: 1000n }
    expect(orders).toEqual([
      { blocks: 1 },
      { blocks: 1 },
      at1000,
      at1000,
      at1000,
      { blocks: 2, timestamp: 5n },
      { blocks: 3 },
      { blocks: 1 },
    ])
    expect(await outcomeOf(pipeline, 'evm_increaseTime', [60])).toEqual({ result: 61 })
    expect(await outcomeOf(pipeline, 'evm_snapshot', [])).toEqual({ result: '0xa' })
    expect(await outcomeOf(pipeline, 'evm_revert', ['0xa'])).toEqual({ result: true })
    expect(await outcomeOf(pipeline, 'evm_setIntervalMining', [2])).toEqual({ result: null })
    expect(orders.at(-1)).toBe(2000)
  })
})
