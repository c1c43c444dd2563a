import { pad, toHex, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inputOf, TracedNode, type Frame, type Receipt, type StructTrace } from './tracedNode.js'

interface Traced<T> {
  txHash: Hex
  result: T
}

let chain: TracedNode
let store: Hex

beforeEach(async () => {
  chain = await TracedNode.start()
  store = await chain.deploy('Store')
})
afterEach(() => chain.stop())

/** Mines several calls to the store in one block, in order, and returns their hashes. */
async function mineTogether(inputs: readonly Hex[]): Promise<Hex[]> {
  await chain.call('evm_setAutomine', false)
  const nonce = Number(await chain.call<Hex>('eth_getTransactionCount', chain.alice, 'latest'))
  const hashes: Hex[] = []
  for (const [index, data] of inputs.entries()) {
    const transaction = {
      from: chain.alice,
      to: store,
      data,
      nonce: toHex(nonce + index),
      gas: toHex(200_000),
    }
    hashes.push(await chain.call<Hex>('eth_sendTransaction', transaction))
  }
  await chain.call('evm_mine')
  await chain.call('evm_setAutomine', true)
  return hashes
}

function increments(count: number): Hex[] {
  return new Array<Hex>(count).fill(inputOf('Store', 'increment'))
}

describe('a trace of a mined transaction', () => {
  it('starts from the state after the preceding transactions of the block', async () => {
    const hashes = await mineTogether(increments(3))
    await chain.send({ to: store, data: inputOf('Store', 'setNumber', [100n]) })
    for (const [index, hash] of hashes.entries()) {
      const frame = await chain.trace<Frame>(hash, { tracer: 'callTracer' })
      expect(frame.output).toBe(pad(toHex(index + 1)))
    }
    const { blockHash, blockNumber } = await chain.call<Receipt>('eth_getTransactionReceipt', hashes[0])
    const config = { tracer: 'callTracer' }
    const whole = await chain.call<Traced<Frame>[]>('debug_traceBlockByNumber', blockNumber, config)
    expect(whole.map(({ txHash }) => txHash)).toEqual(hashes)
    expect(whole.map(({ result }) => result.output)).toEqual([1, 2, 3].map((value) => pad(toHex(value))))
    expect(await chain.call('debug_traceBlockByHash', blockHash, config)).toEqual(whole)
    const rlp = await chain.call<Hex>('debug_getRawBlock', blockNumber)
    expect(await chain.call('debug_traceBlock', rlp, config)).toEqual(whole)
    for (const { txHash, result } of await chain.call<Traced<StructTrace>[]>(
      'debug_traceBlockByNumber',
      blockNumber,
    )) {
      const receipt = await chain.call<Receipt>('eth_getTransactionReceipt', txHash)
      expect(result.gas).toBe(Number(receipt.gasUsed))
    }
  })

  it('numbers logs across the block', async () => {
    const events = await chain.deploy('Events')
    const before = store
    store = events
    const hashes = await mineTogether([
      inputOf('Events', 'emitMany', [1n, 2n]),
      inputOf('Events', 'emitAnonymous4', [1n, 2n, 3n, 4n, 5n]),
    ])
    store = before
    const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    const second = await chain.trace<Frame>(hashes[1] as Hex, config)
    expect(second.logs?.map(({ index }) => index)).toEqual(['0x2'])
  })

  it('sees state set by a control, even after another block', async () => {
    await chain.call('hardhat_setStorageAt', store, '0x0', pad(toHex(41)))
    const receipt = await chain.send({ to: store, data: inputOf('Store', 'increment') })
    await chain.send({ to: store, data: inputOf('Store', 'setNumber', [0n]) })
    const frame = await chain.trace<Frame>(receipt.transactionHash, { tracer: 'callTracer' })
    expect(frame.output).toBe(pad(toHex(42)))
    const trace = await chain.trace<StructTrace>(receipt.transactionHash)
    expect(trace.gas).toBe(Number(receipt.gasUsed))
    expect(trace.structLogs.find(({ op }) => op === 'SLOAD')?.storage).toEqual({
      [pad('0x0')]: pad(toHex(41)),
    })
  })

  it('shows an impersonated account as the sender', async () => {
    const stranger = `0x${'77'.repeat(20)}` as const
    await chain.call('hardhat_impersonateAccount', stranger)
    await chain.call('hardhat_setBalance', stranger, toHex(10n ** 18n))
    const receipt = await chain.send({ from: stranger, to: store, data: inputOf('Store', 'increment') })
    const frame = await chain.trace<Frame>(receipt.transactionHash, { tracer: 'callTracer' })
    expect(frame).toMatchObject({ from: stranger, to: store, gasUsed: receipt.gasUsed })
  })

  it('reaches blocks that are no longer canonical, by hash', async () => {
    const receipt = await chain.send({ to: store, data: inputOf('Store', 'increment') })
    await chain.call('anvil_reorg', 1, [])
    const traced = await chain.call<Traced<Frame>[]>('debug_traceBlockByHash', receipt.blockHash, {
      tracer: 'callTracer',
    })
    expect(traced[0]?.result.output).toBe(pad('0x1'))
    await expect(chain.trace(receipt.transactionHash)).rejects.toThrow('transaction not found')
  })

  it('traces the pending block and has its receipts as they are once it is mined', async () => {
    await chain.call('evm_setAutomine', false)
    const data = inputOf('Store', 'increment')
    const hash = await chain.call<Hex>('eth_sendTransaction', { from: chain.alice, to: store, data })
    const config = { tracer: 'callTracer' }
    const traces = await chain.call<Traced<Frame>[]>('debug_traceBlockByNumber', 'pending', config)
    const receipts = await chain.call<object[]>('eth_getBlockReceipts', 'pending')
    await chain.call('evm_mine')
    await chain.call('evm_setAutomine', true)
    expect(traces).toEqual([{ txHash: hash, result: await chain.trace(hash, config) }])
    const mined = await chain.call<object>('eth_getTransactionReceipt', hash)
    expect(receipts).toEqual([{ ...mined, blockHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) }])
  })

  it('finds no encoding of the pending block, like geth', async () => {
    await expect(chain.call('debug_getRawHeader', 'pending')).rejects.toThrow(
      /^header #\[(\d+ ){31}\d+\] not found$/,
    )
    expect(await chain.call('debug_getRawReceipts', 'pending')).toEqual([])
    expect(await chain.call('debug_getRawBlock', 'latest')).toMatch(/^0xf9/)
  })

  it('is refused if there is nothing to trace', async () => {
    const hash = `0x${'12'.repeat(32)}`
    const refusals: [string, unknown[], string][] = [
      ['debug_traceTransaction', [hash], 'transaction not found'],
      ['debug_traceBlockByHash', [hash], `block ${hash} not found`],
      ['debug_traceBlockByNumber', ['0xffff'], 'block #65535 not found'],
      ['debug_traceBlockByNumber', ['earliest'], 'genesis is not traceable'],
      ['debug_traceCall', [{}, 'pending'], 'tracing on top of pending is not supported'],
      ['debug_traceCall', [{}, '0xffff'], 'block #65535 not found'],
      ['debug_traceBlock', ['0x80'], 'could not decode block: rlp: expected input list for types.extblock'],
      ['debug_traceCall', [{}, 'earliest', { txIndex: '0x0' }], 'no transaction in genesis'],
    ]
    for (const [method, params, message] of refusals) {
      await expect(chain.call(method, ...params), method).rejects.toMatchObject({ code: -32000, message })
    }
  })
})

describe('debug_traceCall', () => {
  it('agrees with eth_call, on any block and with overrides', async () => {
    const data = inputOf('Store', 'increment')
    const { blockNumber } = await chain.send({ to: store, data })
    await chain.send({ to: store, data })
    const config = { tracer: 'callTracer' }
    const trace = (block: Hex | string, extra: object = {}): Promise<Frame> =>
      chain.call('debug_traceCall', { to: store, data }, block, { ...config, ...extra })
    expect((await trace('latest')).output).toBe(pad('0x3'))
    expect((await trace(blockNumber)).output).toBe(pad('0x2'))
    const stateOverrides = { [store]: { stateDiff: { [pad('0x0')]: pad(toHex(9)) } } }
    expect((await trace('latest', { stateOverrides })).output).toBe(pad(toHex(10)))
    expect(await chain.call('eth_call', { to: store, data }, 'latest')).toBe(pad('0x3'))
    // NUMBER PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN
    const clock = await chain.deployCode('4360005260206000f3')
    const overridden = { ...config, blockOverrides: { number: toHex(777) } }
    const frame = await chain.call<Frame>('debug_traceCall', { to: clock }, 'latest', overridden)
    expect(frame.output).toBe(pad(toHex(777)))
    await chain.call('hardhat_setStorageAt', store, '0x0', pad(toHex(60)))
    expect((await trace('latest')).output).toBe(pad(toHex(61)))
  })

  it('runs at the index of a transaction of the block', async () => {
    const hashes = await mineTogether(increments(3))
    const { blockNumber } = await chain.call<Receipt>('eth_getTransactionReceipt', hashes[0])
    const call = { to: store, data: inputOf('Store', 'increment') }
    for (const index of [0, 1, 2]) {
      const config = { tracer: 'callTracer', txIndex: toHex(index) }
      const frame = await chain.call<Frame>('debug_traceCall', call, blockNumber, config)
      expect(frame.output).toBe(pad(toHex(index + 1)))
    }
    await expect(chain.call('debug_traceCall', call, blockNumber, { txIndex: '0x3' })).rejects.toThrow(
      'out of range',
    )
    // geth reads it as a signed number.
    await expect(
      chain.call('debug_traceCall', call, blockNumber, { txIndex: '0xffffffffffffffff' }),
    ).rejects.toThrow(/^transaction index -1 out of range for block 0x/)
  })

  it('reports why a call cannot run', async () => {
    const call = { from: `0x${'99'.repeat(20)}`, to: store, value: '0x5' }
    await expect(chain.call('debug_traceCall', call, 'latest')).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(
        /^tracing failed: insufficient funds for gas \* price \+ value: /,
      ) as unknown,
    })
    const flat = await chain.call<object[]>('debug_traceCall', { to: store }, 'latest', {
      tracer: 'flatCallTracer',
    })
    expect(flat[0]).toMatchObject({
      blockHash: null,
      blockNumber: 0,
      transactionHash: null,
      transactionPosition: 0,
    })
  })
})
