import { getContractAddress, pad, toHex, zeroAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputOf, TracedNode, type Frame, type Receipt } from './tracedNode.js'

let chain: TracedNode
let store: Hex
let nested: Hex

beforeAll(async () => {
  chain = await TracedNode.start()
  store = await chain.deploy('Store')
  nested = await chain.deploy('NestedCaller')
})
afterAll(() => chain.stop())

function frameOf(receipt: Receipt, tracerConfig: object = {}): Promise<Frame> {
  return chain.trace<Frame>(receipt.transactionHash, { tracer: 'callTracer', tracerConfig })
}

function everyFrame(frame: Frame): Frame[] {
  return [frame, ...(frame.calls ?? []).flatMap(everyFrame)]
}

describe('callTracer', () => {
  it('shows a transfer as one frame', async () => {
    const receipt = await chain.send({ to: chain.bob, value: toHex(7), gas: toHex(30_000) })
    expect(await frameOf(receipt)).toEqual({
      from: chain.alice,
      gas: toHex(30_000),
      gasUsed: receipt.gasUsed,
      to: chain.bob,
      input: '0x',
      value: '0x7',
      type: 'CALL',
    })
  })

  it('nests frames that agree with the receipt and with each other', async () => {
    const data = inputOf('NestedCaller', 'descend', [3n])
    const receipt = await chain.send({ to: nested, data, gas: toHex(900_000) })
    const top = await frameOf(receipt, { withLog: true })
    const frames = everyFrame(top)
    expect(frames).toHaveLength(4)
    expect(top).toMatchObject({ gas: toHex(900_000), gasUsed: receipt.gasUsed, input: data })
    frames.slice(1).forEach((frame, index) => {
      expect(frame).toMatchObject({ type: 'CALL', from: nested, to: nested, value: '0x0' })
      expect(BigInt(frame.gasUsed)).toBeLessThan(BigInt(frames[index]?.gasUsed ?? 0))
    })
    const logs = frames.flatMap((frame) => frame.logs ?? [])
    expect(
      logs.map(({ address, topics, data: bytes, index }) => ({
        address,
        topics,
        data: bytes,
        logIndex: index,
      })),
    ).toEqual(
      receipt.logs.map(({ address, topics, data: bytes, logIndex }) => ({
        address,
        topics,
        data: bytes,
        logIndex,
      })),
    )
    expect(logs.every(({ position }) => position === '0x0')).toBe(true)
    const only = await frameOf(receipt, { withLog: true, onlyTopCall: true })
    expect(only.calls).toBeUndefined()
    expect(only.logs).toEqual(top.logs)
    expect(await frameOf(receipt)).not.toHaveProperty('logs')
  })

  it('shows the value of the enclosing frame for a delegate call, and none for a static call', async () => {
    const inner = inputOf('NestedCaller', 'context')
    const data = inputOf('NestedCaller', 'delegate', [nested, inner])
    const top = await frameOf(await chain.send({ to: nested, data, value: toHex(3) }))
    expect(top.calls).toMatchObject([
      { type: 'DELEGATECALL', from: nested, to: nested, value: '0x3', input: inner },
    ])
    const read = inputOf('NestedCaller', 'forwardStatic', [store, inputOf('Store', 'number')])
    const [below] = (await frameOf(await chain.send({ to: nested, data: read }))).calls ?? []
    expect(below).toMatchObject({ type: 'STATICCALL', to: store, output: pad('0x0') })
    expect(below).not.toHaveProperty('value')
  })

  it('reports why a frame failed, and the data of a revert', async () => {
    const reverter = await chain.deploy('Reverter')
    const forward = async (
      functionName: string,
      args: readonly unknown[] = [],
    ): Promise<Frame | undefined> => {
      const data = inputOf('NestedCaller', 'forward', [reverter, inputOf('Reverter', functionName, args)])
      const top = await frameOf(await chain.send({ to: nested, data, gas: toHex(500_000) }))
      expect(top).not.toHaveProperty('error')
      return top.calls?.[0]
    }
    expect(await forward('revertWithReason', ['not today'])).toMatchObject({
      error: 'execution reverted',
      revertReason: 'not today',
      output: expect.stringMatching(/^0x08c379a0/) as unknown,
    })
    expect(await forward('panicDivision', [1n, 0n])).toMatchObject({
      revertReason: 'division or modulo by zero',
    })
    const bare = await forward('revertWithoutReason')
    expect(bare).toMatchObject({ error: 'execution reverted' })
    expect(bare).not.toHaveProperty('output')
    expect(bare).not.toHaveProperty('revertReason')
    const burner = await chain.deploy('GasDependent')
    const data = inputOf('NestedCaller', 'forward', [burner, inputOf('GasDependent', 'burnAll')])
    const top = await frameOf(await chain.send({ to: nested, data, gas: toHex(500_000) }))
    expect(top.calls?.[0]).toMatchObject({ error: 'invalid opcode: INVALID' })
    expect(top.calls?.[0]?.gasUsed).toBe(top.calls?.[0]?.gas)
    const write = inputOf('NestedCaller', 'forwardStatic', [store, inputOf('Store', 'increment')])
    const refused = await frameOf(await chain.send({ to: nested, data: write, gas: toHex(500_000) }))
    expect(refused.calls?.[0]?.error).toBe('out of gas: write protection')
  })

  it('omits the logs of reverted calls, and their indices', async () => {
    const events = await chain.deploy('Events')
    const receipt = await chain.send({ to: events, data: inputOf('Events', 'emitAroundRevert', [4n]) })
    const top = await frameOf(receipt, { withLog: true })
    expect(top.logs?.map(({ index, position }) => [index, position])).toEqual([
      ['0x0', '0x0'],
      ['0x1', '0x1'],
    ])
    expect(top.calls?.[0]).toMatchObject({ error: 'execution reverted', revertReason: 'taken back' })
    expect(top.calls?.[0]).not.toHaveProperty('logs')
  })

  it('shows creations with their results, and failed ones without an address', async () => {
    const receipt = await chain.send({
      to: store,
      data: inputOf('Store', 'createChild', [1n]),
      value: toHex(2),
    })
    const child = getContractAddress({ from: store, nonce: 1n }).toLowerCase()
    const created = (await frameOf(receipt)).calls?.[0]
    expect(created).toMatchObject({ type: 'CREATE', from: store, to: child, value: '0x2' })
    expect(created?.output).toBe(await chain.call('eth_getCode', child, 'latest'))
    const salted = inputOf('Store', 'createChild2', [pad('0x9'), 1n])
    expect((await frameOf(await chain.send({ to: store, data: salted }))).calls?.[0]?.type).toBe('CREATE2')
    const again = await frameOf(await chain.send({ to: store, data: salted, gas: toHex(300_000) }))
    expect(again.calls?.[0]).toMatchObject({ type: 'CREATE2', error: 'contract address collision' })
    expect(again.calls?.[0]).not.toHaveProperty('to')
    const deployment = await chain.send({ data: '0x60006000fd', gas: toHex(100_000) })
    const failed = await frameOf(deployment)
    expect(failed).toMatchObject({ type: 'CREATE', error: 'execution reverted', gasUsed: deployment.gasUsed })
    expect(failed).not.toHaveProperty('to')
  })

  it('shows SELFDESTRUCT as a frame with the balance sent', async () => {
    const data = inputOf('Store', 'createAndDestroy', [pad('0x7'), chain.bob])
    const top = await frameOf(await chain.send({ to: store, data, value: toHex(11) }))
    const destroy = everyFrame(top).find(({ type }) => type === 'SELFDESTRUCT')
    expect(destroy).toMatchObject({ to: chain.bob, value: '0xb', gas: '0x0', gasUsed: '0x0', input: '0x' })
    expect(destroy?.from).toBe(top.calls?.[0]?.to)
  })

  it('lists calls to precompiles', async () => {
    const data = inputOf('NestedCaller', 'forward', ['0x0000000000000000000000000000000000000004', '0x1234'])
    const top = await frameOf(await chain.send({ to: nested, data }))
    expect(top.calls).toMatchObject([{ to: '0x0000000000000000000000000000000000000004', output: '0x1234' }])
  })

  it('shows calls and creations that fail before they start', async () => {
    // CALL with value 1 to 0xff.. without a balance, then CREATE with value 1.
    const to = await chain.deployCode(
      '600060006000600060017311111111111111111111111111111111111111116000f1600060006001f000',
    )
    const poor = await frameOf(await chain.send({ to, gas: toHex(200_000) }))
    expect(poor.calls).toMatchObject([
      {
        type: 'CALL',
        to: '0x1111111111111111111111111111111111111111',
        value: '0x1',
        gas: toHex(2_300),
        gasUsed: '0x0',
        error: 'insufficient balance for transfer',
      },
      { type: 'CREATE', value: '0x1', gasUsed: '0x0', error: 'insufficient balance for transfer' },
    ])
    expect(poor).not.toHaveProperty('error')
  })

  it('shows a call that is too deep', async () => {
    const old = await TracedNode.start({ hardfork: 'homestead' })
    try {
      // Before EIP-150 a call may pass on all but a thousand gas, so 1024 frames fit.
      const to = await old.deployCode('600060006000600060003061' + '03e85a03f1')
      const { transactionHash } = await old.send({ to, gas: toHex(4_000_000) })
      const top = await old.trace<Frame>(transactionHash, { tracer: 'callTracer' })
      const frames = everyFrame(top)
      expect(frames).toHaveLength(1026)
      expect(frames.at(-1)).toMatchObject({ error: 'max call depth exceeded', gasUsed: '0x0' })
    } finally {
      await old.stop()
    }
  })
})

describe('the other built-in tracers', () => {
  it('4byteTracer counts selectors by argument size', async () => {
    const receipt = await chain.send({ to: nested, data: inputOf('NestedCaller', 'descend', [2n]) })
    const selector = inputOf('NestedCaller', 'descend', [0n]).slice(0, 10)
    expect(await chain.trace(receipt.transactionHash, { tracer: '4byteTracer' })).toEqual({
      [`${selector}-32`]: 3,
    })
    const data = inputOf('NestedCaller', 'forward', [
      '0x0000000000000000000000000000000000000004',
      '0x12345678',
    ])
    const { transactionHash } = await chain.send({ to: nested, data })
    const counts = await chain.trace<object>(transactionHash, { tracer: '4byteTracer' })
    expect(Object.keys(counts)).toEqual([`${data.slice(0, 10)}-${(data.length - 10) / 2}`])
  })

  it('flatCallTracer lists the frames of callTracer with their trace addresses', async () => {
    const data = inputOf('NestedCaller', 'descend', [2n])
    const receipt = await chain.send({ to: nested, data })
    const frames = everyFrame(await frameOf(receipt))
    const flat = await chain.trace<object[]>(receipt.transactionHash, { tracer: 'flatCallTracer' })
    expect(flat).toMatchObject(
      frames.map(({ from, to, gas, gasUsed, input }, index) => ({
        action: { callType: 'call', from, to, gas, input, value: '0x0' },
        blockHash: receipt.blockHash,
        blockNumber: Number(receipt.blockNumber),
        result: { gasUsed, output: '0x' },
        subtraces: index < 2 ? 1 : 0,
        traceAddress: new Array<number>(index).fill(0),
        transactionHash: receipt.transactionHash,
        transactionPosition: 0,
        type: 'call',
      })),
    )
  })

  it('flatCallTracer has its own format for creations, self-destructs, failures and precompiles', async () => {
    const made = await chain.send({
      to: store,
      data: inputOf('Store', 'createAndDestroy', [pad('0x17'), chain.bob]),
    })
    const [, create, call, suicide] = await chain.trace<Record<string, Record<string, unknown>>[]>(
      made.transactionHash,
      { tracer: 'flatCallTracer' },
    )
    expect(create).toMatchObject({ type: 'create', action: { creationMethod: 'create2', from: store } })
    expect(create?.['result']).toHaveProperty('code')
    expect(call).toMatchObject({ type: 'call', subtraces: 1 })
    expect(suicide).toMatchObject({
      type: 'suicide',
      action: { address: create?.['result']?.['address'], balance: '0x0', refundAddress: chain.bob },
    })
    expect(suicide).not.toHaveProperty('result')
    const identity = '0x0000000000000000000000000000000000000004'
    const echo = await chain.send({
      to: nested,
      data: inputOf('NestedCaller', 'forward', [identity, '0x01']),
    })
    expect(await chain.trace(echo.transactionHash, { tracer: 'flatCallTracer' })).toHaveLength(1)
    const tracerConfig = { includePrecompiles: true }
    expect(await chain.trace(echo.transactionHash, { tracer: 'flatCallTracer', tracerConfig })).toHaveLength(
      2,
    )
    const burner = await chain.deploy('GasDependent')
    const burn = inputOf('GasDependent', 'burnAll')
    const burned = await chain.send({ to: burner, data: burn, gas: toHex(60_000) })
    const parity = { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } }
    const [failed] = await chain.trace<object[]>(burned.transactionHash, parity)
    expect(failed).toMatchObject({ error: 'Bad instruction' })
    expect(failed).not.toHaveProperty('result')
  })

  it('muxTracer runs several tracers at once, and noopTracer shows nothing', async () => {
    const receipt = await chain.send({ to: nested, data: inputOf('NestedCaller', 'descend', [1n]) })
    const tracerConfig = {
      callTracer: { onlyTopCall: true },
      prestateTracer: { diffMode: true },
      noopTracer: null,
    }
    const mux = await chain.trace<Record<string, unknown>>(receipt.transactionHash, {
      tracer: 'muxTracer',
      tracerConfig,
    })
    expect(mux['callTracer']).toEqual(await frameOf(receipt, { onlyTopCall: true }))
    const diff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    expect(mux['prestateTracer']).toEqual(await chain.trace(receipt.transactionHash, diff))
    expect(mux['noopTracer']).toEqual({})
  })

  it('refuse an unknown name or config', async () => {
    const { transactionHash } = await chain.send({ to: zeroAddress })
    const refusal = (config: object): Promise<unknown> =>
      chain.trace(transactionHash, config).catch((error: unknown) => error)
    expect(await refusal({ tracer: 'fooTracer' })).toMatchObject({
      code: -32000,
      message: 'ReferenceError: fooTracer is not defined',
    })
    expect(await refusal({ tracer: '{step: function() {}}' })).toMatchObject({ code: -32000 })
    const nestedMux = (depth: number): object => (depth === 0 ? {} : { muxTracer: nestedMux(depth - 1) })
    expect(
      await chain.trace(transactionHash, { tracer: 'muxTracer', tracerConfig: nestedMux(32) }),
    ).toBeTruthy()
    expect(await refusal({ tracer: 'muxTracer', tracerConfig: nestedMux(33) })).toMatchObject({
      code: -32000,
      message: 'more than 32 tracers',
    })
    expect(await refusal({ tracer: 'noopTracer', tracerConfig: ['x'.repeat(3e5)] })).toMatchObject({
      code: -32602,
    })
    expect(await refusal({ tracer: 'callTracer', tracerConfig: { withLog: 1 } })).toMatchObject({
      code: -32000,
      message: 'json: cannot unmarshal number into Go struct field callTracerConfig.withLog of type bool',
    })
    expect(await refusal({ tracer: 7 })).toMatchObject({
      code: -32602,
      message:
        'invalid argument 1: json: cannot unmarshal number into Go struct field TraceConfig.Tracer of type string',
    })
    expect(await refusal({ overrides: [] })).toMatchObject({
      code: -32602,
      message:
        'invalid argument 1: json: cannot unmarshal array into Go struct field TraceConfig.Config.overrides of type params.ChainConfig',
    })
    expect(await refusal({ overrides: { chainId: '0x0' } })).toMatchObject({
      code: -32602,
      message: String.raw`invalid argument 1: math/big: cannot unmarshal "\"0x0\"" into a *big.Int`,
    })
    expect(await refusal({ overrides: { depositContractAddress: null, bpo1Time: null } })).toMatchObject({
      code: -32602,
      message:
        'invalid argument 1: json: cannot unmarshal non-string into Go struct field ChainConfig.Config.overrides.depositContractAddress of type common.Address',
    })
    expect(await refusal({ overrides: { bpo1Time: -1 } })).toMatchObject({
      code: -32602,
      message:
        'invalid argument 1: json: cannot unmarshal number -1 into Go struct field ChainConfig.Config.overrides.bpo1Time of type uint64',
    })
  })
})
