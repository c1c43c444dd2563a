import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TracedNode } from './tracedNode.js'

let chain: TracedNode

beforeAll(async () => {
  chain = await TracedNode.start()
})
afterAll(() => chain.stop())

const CONTRACT = '0x00000000000000000000000000000000000aaaaa'
const CALLEE = '0x000000000000000000000000000000000000bbbb'
const CALLER = '0x00000000000000000000000000000000000ccccc'

const codes = {
  /** Returns 42. */
  answer: '0x602a60005260206000f3',
  /** Reverts with four bytes. */
  revert: '0x63deadbeef6000526004601cfd',
  /** ADD with one item on the stack. */
  underflow: '0x600101',
  /** Calls the callee, which reverts with one byte. */
  nested: `0x60006000600060006000${'73'}${CALLEE.slice(2)}620186a0f15000`,
  /** Loops until its gas is used up. */
  loop: '0x5b600056',
}

/** Traces a call to a contract with overridden code. The expected values below were recorded from geth 1.17.10. */
function trace(
  code: keyof typeof codes,
  tracer: string,
  options: { tracerConfig?: unknown; timeout?: string } = {},
): Promise<unknown> {
  return chain.call(
    'debug_traceCall',
    { from: CALLER, to: CONTRACT, gas: '0x186a0', data: '0x01020304' },
    'latest',
    {
      tracer,
      ...options,
      stateOverrides: {
        [CONTRACT]: { code: codes[code], balance: '0x64' },
        [CALLEE]: { code: '0x60fe60005360016000fd' },
      },
      blockOverrides: { number: '0x64' },
    },
  )
}

/** Returns a tracer whose result is one expression. */
const resultOf = (expression: string): string => `{fault() {}, result(ctx, db) { return ${expression} }}`

describe('a tracer in JavaScript', () => {
  it('sees every opcode before it runs', async () => {
    const program = `{
      steps: [],
      step(log) {
        const { op, stack, memory } = log
        this.steps.push([log.getPC(), op.toString(), op.toNumber(), op.isPush(), log.getGas(), log.getCost(),
          log.getDepth(), log.getRefund(), log.getError() === undefined, stack.length(), memory.length()])
      },
      fault(log) { this.steps.push(['fault', log.getPC(), log.op.toString(), log.getError(), log.getDepth()]) },
      result() { return this.steps },
    }`
    expect(await trace('answer', program)).toEqual([
      [0, 'PUSH1', 96, true, 78936, 3, 1, 0, true, 0, 0],
      [2, 'PUSH1', 96, true, 78933, 3, 1, 0, true, 1, 0],
      [4, 'MSTORE', 82, false, 78930, 6, 1, 0, true, 2, 0],
      [5, 'PUSH1', 96, true, 78924, 3, 1, 0, true, 0, 32],
      [7, 'PUSH1', 96, true, 78921, 3, 1, 0, true, 1, 32],
      [9, 'RETURN', 243, false, 78918, 0, 1, 0, true, 2, 32],
    ])
    const reverted = (await trace('revert', program)) as unknown[]
    expect(reverted.slice(-2)).toEqual([
      [12, 'REVERT', 253, false, 78918, 0, 1, 0, true, 2, 32],
      ['fault', 12, 'REVERT', 'execution reverted', 1],
    ])
    const underflow = (await trace('underflow', program)) as unknown[]
    expect(underflow.at(-1)).toEqual([2, 'ADD', 1, false, 78933, 3, 1, 0, false, 1, 0])
  })

  it('reads the stack, the memory, the contract and the state', async () => {
    const program = `{
      fault() {},
      step(log, db) {
        if (log.op.toString() !== 'RETURN') return
        const self = log.contract.getAddress()
        this.seen = [log.stack.peek(1).toString(), log.memory.getUint(0).toString(16), toHex(log.memory.slice(30, 34)),
          toHex(log.contract.getCaller()), toHex(self), log.contract.getValue().valueOf(), toHex(log.contract.getInput()),
          db.getBalance(self).toString(), db.getNonce(self), toHex(db.getCode(self)),
          toHex(db.getState(self, toWord('0x00'))), db.exists(self), db.exists(toAddress('0xdddd'))]
      },
      result() { return this.seen },
    }`
    expect(await trace('answer', program)).toEqual([
      ...['32', '2a', '0x002a0000', CALLER, CONTRACT, 0, '0x01020304'],
      ...['100', 0, codes.answer, `0x${'00'.repeat(32)}`, true, false],
    ])
  })

  it('sees the frames within the outermost one', async () => {
    const program = `{
      frames: [],
      enter(frame) {
        this.frames.push([frame.getType(), toHex(frame.getFrom()), toHex(frame.getTo()), toHex(frame.getInput()),
          frame.getValue().toString()])
      },
      exit(result) { this.frames.push([result.getGasUsed(), toHex(result.getOutput()), result.getError()]) },
      fault() {},
      result() { return this.frames },
    }`
    expect(await trace('nested', program)).toEqual([
      ['CALL', CONTRACT, CALLEE, '0x', '0'],
      [18, '0xfe', 'execution reverted'],
    ])
  })

  it('sees the code that a creation could not store', async () => {
    const facts = resultOf('[toHex(ctx.output), ctx.error]')
    const call = { from: CALLER, gas: '0x186a0', data: '0x60ef60005360016000f3' }
    expect(await chain.call('debug_traceCall', call, 'latest', { tracer: facts })).toEqual([
      '0xef',
      'invalid code: must not begin with 0xef',
    ])
  })

  it('receives the transaction in ctx', async () => {
    const facts =
      '[ctx.type, toHex(ctx.from), toHex(ctx.to), toHex(ctx.input), ctx.value.toString(), ctx.gas, ctx.gasUsed, ' +
      'ctx.gasPrice.toString(), ctx.block, toHex(ctx.output), ctx.error === undefined, ctx.blockHash === undefined]'
    expect(await trace('answer', resultOf(facts))).toEqual([
      ...['CALL', CALLER, CONTRACT, '0x01020304', '0', 100000, 21160, '0', 100],
      ...[`0x${'2a'.padStart(64, '0')}`, true, true],
    ])
    expect(await trace('revert', resultOf('[ctx.error, toHex(ctx.output)]'))).toEqual([
      'execution reverted',
      '0xdeadbeef',
    ])
  })

  it('receives the block and index of a mined transaction', async () => {
    const receipt = await chain.send({ to: chain.bob, value: '0x7' })
    const program = resultOf('[toHex(ctx.blockHash), toHex(ctx.txHash), ctx.txIndex, ctx.block, ctx.value]')
    expect(await chain.trace(receipt.transactionHash, { tracer: program })).toEqual([
      receipt.blockHash,
      receipt.transactionHash,
      0,
      Number(receipt.blockNumber),
      '7',
    ])
  })

  it("has geth's functions and big integers", async () => {
    const cases: [string, unknown][] = [
      ['toHex(toContract(toAddress("0xaaaaa"), 3))', '0x3f133d5ddb97efe00c4e9f88f02cf6dfdfe4c27f'],
      [
        'toHex(toContract2(toAddress("0xaaaaa"), "0x01", "0x600060"))',
        '0x79272e09446253b837343d696b918ac9a1fd56da',
      ],
      ['toHex(toAddress([1, 2, 3]))', '0x0000000000000000000000000000000000010203'],
      ['toHex(toWord("abc"))', `0x${'abc'.padStart(64, '0')}`],
      ['[isPrecompiled(toAddress("0x01")), isPrecompiled([0])]', [true, false]],
      ['toHex(slice([1, 2, 255], 1, 3))', '0x02ff'],
      [
        '{ a: bigInt(5), b: undefined, c: bigInt(2).pow(100) }',
        { a: '5', c: '1267650600228229401496703205376' },
      ],
      [
        '[bigInt("ff", 16).and(15).toString(), bigInt(7).divide(2).valueOf(), bigInt(3).compare(4)]',
        ['15', 3, -1],
      ],
      ['undefined', {}],
      ['null', {}],
    ]
    for (const [expression, value] of cases) {
      expect(await trace('answer', resultOf(expression)), expression).toEqual(value)
    }
  })

  it('receives its config as a string', async () => {
    const program = '{setup(config) { this.config = config }, fault() {}, result() { return this.config }}'
    expect(await trace('answer', program, { tracerConfig: { x: 1 } })).toBe('{"x":1}')
    expect(await trace('answer', program)).toBe('{}')
  })

  it('is refused with a message that names the function that failed', async () => {
    const step = (body: string): string => `{step(log) { ${body} }, fault() {}, result() { return 1 }}`
    const cases: [string, RegExp][] = [
      ['{result() {}}', /^trace object must expose a function fault\(\)$/],
      ['{fault() {}}', /^trace object must expose a function result\(\)$/],
      [
        '{enter() {}, fault() {}, result() {}}',
        /^trace object must expose either both or none of enter\(\) and exit\(\)$/,
      ],
      ['missing', /^ReferenceError: missing is not defined/],
      ['{ no program', /^SyntaxError: /],
      [resultOf('toHex("0x01")'), /^invalid buffer type.* {4}in server-side tracer function 'result'$/],
      [step('throw "words"'), /^words.* {4}in server-side tracer function 'step'$/],
      [step('log.stack.peek(9)'), /^tracer accessed out of bound stack: size 0, index 9.* function 'step'$/],
      [
        step('try { log.memory.getUint(99) } catch {}'),
        /^tracer accessed out of bound memory: available 0, offset 99, size 32.* function 'step'$/,
      ],
    ]
    for (const [program, message] of cases) {
      await expect(trace('answer', program), program).rejects.toThrow(message)
    }
  })

  it('is refused before the message is checked', async () => {
    const poor = { from: CALLER, to: CONTRACT, gas: '0x0', maxFeePerGas: '0x3b9aca00', value: '0x64' }
    const tracing = (tracer: string, tracerConfig?: unknown): Promise<unknown> =>
      chain.call('debug_traceCall', poor, 'latest', { tracer, tracerConfig })
    await expect(tracing('{ no program')).rejects.toThrow(/^SyntaxError: /)
    await expect(tracing('muxTracer', { missing: null })).rejects.toThrow(/^ReferenceError: missing/)
    await expect(tracing('{fault() {}}')).rejects.toThrow(/^trace object must expose a function result\(\)$/)
    await expect(tracing(resultOf('missing'))).rejects.toThrow(/^tracing failed: insufficient funds/)
  })

  it('is stopped when it does not return or takes too much memory', async () => {
    await expect(trace('answer', resultOf('(() => { for (;;) {} })()'))).rejects.toThrow(/^execution timeout/)
    const hoarder = resultOf('(() => { const all = []; for (;;) all.push(new Uint8Array(1e7)) })()')
    // On a busy machine, memory runs out later than the usual time.
    await expect(trace('answer', hoarder, { timeout: '1m' })).rejects.toThrow(/out of memory/)
    const counter = '{n: 0, step() { this.n++ }, fault() {}, result() { return this.n }}'
    // 78,936 gas pay for 6,578 rounds of three opcodes at 12 gas; the next opcode runs out.
    expect(await trace('loop', counter)).toBe(3 * 6578 + 1)
  })

  it('has no access to this process', async () => {
    const names = ['process', 'require', 'module', 'fetch', 'console', 'setTimeout', 'WebAssembly', 'host']
    const types = resultOf(`[${names.map((name) => `typeof ${name}`).join(', ')}]`)
    expect(await trace('answer', types)).toEqual(names.map(() => 'undefined'))
    const escape = resultOf('toHex.constructor("return typeof process")()')
    expect(await trace('answer', escape)).toBe('undefined')
  })

  it("counts opcodes like geth's tracers", async () => {
    expect(await trace('answer', 'opcountTracer')).toBe(6)
    expect(await trace('answer', 'unigramTracer')).toEqual({ PUSH1: 4, MSTORE: 1, RETURN: 1 })
    expect(await trace('answer', 'bigramTracer')).toEqual({
      ...{ 'PUSH1-PUSH1': 2, 'PUSH1-MSTORE': 1, 'MSTORE-PUSH1': 1, 'PUSH1-RETURN': 1 },
    })
    expect(await trace('answer', 'trigramTracer')).toEqual({
      ...{ '--PUSH1': 1, '-PUSH1-MSTORE': 1, 'PUSH1-MSTORE-PUSH1': 1 },
      ...{ 'MSTORE-PUSH1-PUSH1': 1, 'PUSH1-PUSH1-RETURN': 1 },
    })
  })

  it('fails per transaction in the trace of a block', async () => {
    const receipt = await chain.send({ to: chain.bob, value: '0x7' })
    const program = resultOf('missing')
    expect(await chain.call('debug_traceBlockByNumber', receipt.blockNumber, { tracer: program })).toEqual([
      {
        txHash: receipt.transactionHash,
        error: expect.stringMatching(
          /^ReferenceError: missing is not defined.* function 'result'$/,
        ) as string,
      },
    ])
    // geth traces one by one with an empty name, and the first failure is the answer.
    await expect(
      chain.call('debug_traceBlockByNumber', receipt.blockNumber, { tracer: '' }),
    ).rejects.toMatchObject({ code: -32000, message: expect.stringMatching(/^SyntaxError: /) as string })
  })
})
