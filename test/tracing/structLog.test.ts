import { pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputOf, TracedNode, type Step, type StructTrace } from './tracedNode.js'

let chain: TracedNode

beforeAll(async () => {
  chain = await TracedNode.start()
})
afterAll(() => chain.stop())

/** Returns the gas used by the outermost frame, from its gas counter alone. */
function executionGas(steps: readonly Step[]): number {
  const outermost = steps.filter(({ depth }) => depth === 1)
  const first = outermost[0]
  const last = outermost.at(-1)
  return (first?.gas ?? 0) - (last?.gas ?? 0) + (last?.gasCost ?? 0)
}

describe('the struct logger', () => {
  it("shows gas that adds up to the receipt, and a counter that falls by each step's cost", async () => {
    const store = await chain.deploy('Store')
    const receipt = await chain.send({
      to: store,
      data: inputOf('Store', 'setNumber', [5n]),
      gas: toHex(100_000),
    })
    const trace = await chain.trace<StructTrace>(receipt.transactionHash)
    const { structLogs: steps } = trace
    expect(trace).toMatchObject({ gas: Number(receipt.gasUsed), failed: false, returnValue: '0x' })
    const data = Buffer.from(inputOf('Store', 'setNumber', [5n]).slice(2), 'hex')
    const intrinsic = 21_000 + data.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0)
    expect(executionGas(steps)).toBe(Number(receipt.gasUsed) - intrinsic)
    expect(steps[0]?.gas).toBe(100_000 - intrinsic)
    for (let index = 1; index < steps.length; index++) {
      const before = steps[index - 1] as Step
      expect(steps[index]?.gas).toBe(before.gas - before.gasCost)
    }
    const write = steps.find(({ op }) => op === 'SSTORE')
    expect(write?.storage).toEqual({ [pad('0x0')]: pad('0x5') })
    expect(write?.stack?.at(-1)).toBe('0x0')
    expect(write?.gasCost).toBe(22_100)
  })

  it('shows the gas that a call passes on, and the steps below it', async () => {
    const nested = await chain.deploy('NestedCaller')
    const data = inputOf('NestedCaller', 'descend', [2n])
    const receipt = await chain.send({ to: nested, data })
    const { structLogs: steps } = await chain.trace<StructTrace>(receipt.transactionHash)
    expect(new Set(steps.map(({ depth }) => depth))).toEqual(new Set([1, 2, 3]))
    steps.forEach((step, index) => {
      const next = steps[index + 1]
      if (step.op !== 'CALL' || next === undefined) return
      expect(next.depth).toBe(step.depth + 1)
      expect(step.gas - step.gasCost).toBeGreaterThan(0)
      // Without a value there is no stipend: the frame gets the step's cost less the 100 for a warm account.
      expect(next.gas).toBe(step.gasCost - 100)
    })
    const reads = steps.filter(({ storage }) => storage !== undefined)
    expect(reads.every(({ op }) => op === 'SLOAD' || op === 'SSTORE')).toBe(true)
    expect(Object.keys(reads.at(-1)?.storage ?? {})).toHaveLength(3)
  })

  it('shows memory, return data and refunds on request, and omits the rest', async () => {
    const store = await chain.deploy('Store')
    await chain.send({ to: store, data: inputOf('Store', 'setNumber', [1n]) })
    const { transactionHash } = await chain.send({ to: store, data: inputOf('Store', 'setNumber', [0n]) })
    const plain = await chain.trace<StructTrace>(transactionHash)
    expect(plain.structLogs.some(({ memory }) => memory !== undefined)).toBe(false)
    expect(plain.structLogs.find(({ op }) => op === 'SSTORE')?.refund).toBe(4_800)
    expect(plain.structLogs[0]).not.toHaveProperty('refund')
    const config = { enableMemory: true, disableStack: true, disableStorage: true }
    const { structLogs: steps } = await chain.trace<StructTrace>(transactionHash, config)
    expect(steps.some((step) => 'stack' in step || 'storage' in step)).toBe(false)
    const withMemory = steps.filter(({ memory }) => memory !== undefined)
    expect(withMemory.length).toBeGreaterThan(0)
    for (const { memory } of withMemory)
      expect(memory?.every((word) => /^0x[0-9a-f]{64}$/.test(word))).toBe(true)
    // Solidity begins with PUSH1 0x80 PUSH1 0x40 MSTORE: the free memory pointer is the third word.
    expect(withMemory[0]?.memory?.[2]).toBe(pad('0x80'))
    const forwarded = await chain.deploy('NestedCaller')
    const data = inputOf('NestedCaller', 'forward', [store, inputOf('Store', 'number')])
    const { transactionHash: outer } = await chain.send({ to: forwarded, data })
    const { structLogs } = await chain.trace<StructTrace>(outer, { enableReturnData: true })
    expect(structLogs.find(({ op }) => op === 'RETURNDATASIZE')?.returnData).toBe(pad('0x0'))
    expect(structLogs[0]).not.toHaveProperty('returnData')
  })

  it('shows every word of a memory of more than two megabytes', async () => {
    const to = `0x${'aa'.repeat(20)}`
    // PUSH1 7 PUSH3 0x200000 MSTORE STOP: the last word begins at two megabytes.
    const stateOverrides = { [to]: { code: '0x6007622000005200' } }
    const config = { enableMemory: true, stateOverrides }
    const { structLogs } = await chain.call<StructTrace>('debug_traceCall', { to }, 'latest', config)
    const last = structLogs.at(-1)
    expect(last).toMatchObject({ op: 'STOP', stack: [] })
    expect(last?.memory).toHaveLength(65_537)
    expect(last?.memory?.filter((word) => word !== pad('0x0'))).toEqual([pad('0x7')])
    expect(last?.memory?.at(-1)).toBe(pad('0x7'))
  })

  it('omits steps beyond a limit of bytes', async () => {
    const store = await chain.deploy('Store')
    const { transactionHash } = await chain.send({ to: store, data: inputOf('Store', 'increment') })
    const whole = await chain.trace<StructTrace>(transactionHash)
    const cut = await chain.trace<StructTrace>(transactionHash, { limit: 500 })
    expect(cut.gas).toBe(whole.gas)
    const sizes = whole.structLogs.map((step) => JSON.stringify(step).length)
    let shown = 0
    for (let bytes = 0; bytes <= 500; shown++) bytes += (sizes[shown] ?? 0) + 1
    expect(cut.structLogs).toEqual(whole.structLogs.slice(0, shown))
    // geth compares with the negative number, which no output is below.
    expect((await chain.trace<StructTrace>(transactionHash, { limit: -1 })).structLogs).toEqual([])
  })

  it('marks the step that runs out of gas, and distinguishes a revert from other failures', async () => {
    const reverter = await chain.deploy('Reverter')
    const data = inputOf('Reverter', 'revertWithReason', ['no'])
    const reverted = await chain.send({ to: reverter, data, gas: toHex(100_000) })
    const revert = await chain.trace<StructTrace>(reverted.transactionHash)
    expect(revert.failed).toBe(true)
    expect(revert.returnValue.slice(0, 10)).toBe('0x08c379a0')
    expect(revert.structLogs.at(-1)).toMatchObject({ op: 'REVERT' })
    expect(revert.structLogs.at(-1)).not.toHaveProperty('error')
    const store = await chain.deploy('Store')
    const poor = await chain.send({
      to: store,
      data: inputOf('Store', 'setNumber', [9n]),
      gas: toHex(30_000),
    })
    const failed = await chain.trace<StructTrace>(poor.transactionHash)
    expect(failed).toMatchObject({ failed: true, gas: 30_000, returnValue: '0x' })
    expect(failed.structLogs.at(-1)).toMatchObject({ op: 'SSTORE', error: 'out of gas', gasCost: 22_100 })
  })

  it('shows a cost whose dynamic part cannot be paid like geth 1.17', async () => {
    // PUSH20 SELFDESTRUCT as init code: 6,000 gas are left for 5,000 plus 2,600 for a cold beneficiary.
    const poor = await chain.send({ data: `0x73${'12'.repeat(20)}ff`, gas: toHex(53_354 + 3 + 6_000) })
    const { structLogs } = await chain.trace<StructTrace>(poor.transactionHash)
    const step = { op: 'SELFDESTRUCT', gas: 6_000, gasCost: 5_000, error: 'out of gas: out of gas' }
    expect(structLogs.at(-1)).toMatchObject(step)
    const top = await chain.trace<{ error?: string }>(poor.transactionHash, { tracer: 'callTracer' })
    expect(top.error).toBe('out of gas: out of gas')
  })

  it('adds the refund of a SELFDESTRUCT to its own step before London', async () => {
    const old = await TracedNode.start({ hardfork: 'berlin' })
    const { transactionHash } = await old.send({ data: '0x60006000ff', gas: toHex(100_000) })
    const { structLogs } = await old.trace<StructTrace>(transactionHash)
    expect(structLogs.map(({ refund }) => refund)).toEqual([undefined, undefined, 24_000])
    await old.stop()
  })

  it.each<[string, string, Partial<Step>]>([
    ['ends at the end of the code with a STOP', '6001', { pc: 2, op: 'STOP', gasCost: 0 }],
    ['names an invalid opcode', '0c', { op: 'opcode 0xc not defined' }],
    ['names the opcode that is invalid by design', 'fe', { op: 'INVALID', gasCost: 0 }],
    ['reports a stack underflow', '600101', { op: 'ADD', error: 'stack underflow (1 <=> 2)' }],
    ['names PREVRANDAO', '44', { pc: 1, op: 'STOP' }],
  ])('%s', async (_, code, last) => {
    const to = await chain.deployCode(code)
    const { transactionHash } = await chain.send({ to, gas: toHex(50_000) })
    const { structLogs } = await chain.trace<StructTrace>(transactionHash)
    expect(structLogs.at(-1)).toMatchObject(last)
    if (code === '44') expect(structLogs[0]?.op).toBe('DIFFICULTY')
  })

  it('runs a code that only begins like a delegation', async () => {
    const config = { stateOverrides: { [chain.bob]: { code: '0xef0100' } } }
    const call = { from: chain.alice, to: chain.bob, gas: toHex(50_000) }
    const trace = await chain.call<StructTrace>('debug_traceCall', call, 'latest', config)
    expect(trace).toMatchObject({ gas: 50_000, failed: true })
    expect(trace.structLogs).toMatchObject([{ op: 'opcode 0xef not defined', gas: 29_000 }])
  })

  it('has no steps for a transfer', async () => {
    const { transactionHash } = await chain.send({ to: chain.bob, value: toHex(1) })
    const trace = await chain.trace<StructTrace>(transactionHash)
    expect(trace).toEqual({ gas: 21_000, failed: false, returnValue: '0x', structLogs: [] })
  })

  it('refuses traces that are too large or too slow, and parses durations like Go', async () => {
    const to = await chain.deployCode('5b600056')
    const { transactionHash } = await chain.send({ to, gas: toHex(3_000_000) })
    const refused = (config: object): Promise<unknown> =>
      chain.trace(transactionHash, config).catch((error: unknown) => error)
    expect(await refused({ tracer: 'callTracer', timeout: '1ns' })).toMatchObject({
      code: -32000,
      message: 'execution timeout',
    })
    expect(await refused({ timeout: 'x' })).toMatchObject({
      code: -32000,
      message: 'time: invalid duration "x"',
    })
    const small = await TracedNode.start({ maxResponse: 100_000 })
    try {
      const there = await small.deployCode('5b600056')
      const receipt = await small.send({ to: there, gas: toHex(100_000) })
      const error: unknown = await small.trace(receipt.transactionHash).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: -32003, message: 'response too large' })
      expect(await small.trace(receipt.transactionHash, { tracer: 'callTracer' })).toMatchObject({
        error: 'out of gas',
      })
    } finally {
      await small.stop()
    }
  })
})
