import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TracedNode } from './tracedNode.js'

let chain: TracedNode

beforeAll(async () => {
  chain = await TracedNode.start()
})
afterAll(() => chain.stop())

const SENDER = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba60'
const CALLER = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e'
const CALLEE = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5f'
const ZERO = `0x${'0'.repeat(64)}`
/** Reads slot 0, and calls the callee with four bytes and a value of 1. */
const CALLING = `0x5f545f5f60045f600173${CALLEE.slice(2)}5af1`
/** Reverts with four bytes. */
const REVERTING = '0x60045ffd'

function trace(tracer: string): Promise<unknown> {
  const call = { from: SENDER, to: CALLER, gas: '0x186a0', value: '0x1', data: '0x01020304' }
  const stateOverrides = {
    [SENDER]: { balance: '0xde0b6b3a7640000' },
    [CALLER]: { code: CALLING, balance: '0x64', stateDiff: { [ZERO]: `0x${'5'.padStart(64, '0')}` } },
    [CALLEE]: { code: REVERTING },
  }
  return chain.call('debug_traceCall', call, 'latest', { tracer, stateOverrides })
}

/** The answers of geth 1.17.10. */
describe("geth's tracers that are programs", () => {
  it('trace nothing', async () => {
    expect(await trace('noopTracerLegacy')).toEqual({})
  })

  it('count selectors', async () => {
    expect(await trace('4byteTracerLegacy')).toEqual({ '0x00000000-0': 1, '0x01020304-0': 1 })
  })

  it('build call frames from opcodes', async () => {
    expect(await trace('callTracerLegacy')).toEqual({
      type: 'CALL',
      from: SENDER,
      to: CALLER,
      value: '0x1',
      gas: '0x186a0',
      gasUsed: '0x7eee',
      input: '0x01020304',
      output: '0x',
      calls: [
        {
          type: 'CALL',
          from: CALLER,
          to: CALLEE,
          value: '0x1',
          gas: '0x103c0',
          gasUsed: '0x8',
          input: '0x00000000',
          error: 'execution reverted',
        },
      ],
    })
  })

  it('read accounts when opcodes name them', async () => {
    expect(await trace('prestateTracerLegacy')).toEqual({
      [CALLER]: {
        balance: '0x64',
        nonce: 0,
        code: CALLING,
        storage: { [ZERO]: `0x${'5'.padStart(64, '0')}` },
      },
      [CALLEE]: { balance: '0x0', nonce: 0, code: REVERTING, storage: {} },
      [SENDER]: { balance: '0xde0b6b3a7640000', nonce: 0, code: '0x', storage: {} },
    })
  })

  it('list opcodes with what they leave on the stack', async () => {
    const bytes = { 0: 0, 1: 0, 2: 0, 3: 0 }
    const push0 = { op: 95, depth: 1, result: [], len: 1 }
    expect(await trace('evmdisTracer')).toEqual([
      push0,
      { op: 84, depth: 1, result: ['5'] },
      push0,
      push0,
      { op: 96, depth: 1, result: ['4'], len: 2 },
      push0,
      { op: 96, depth: 1, result: ['1'], len: 2 },
      { op: 115, depth: 1, result: [CALLEE.slice(2)], len: 21 },
      { op: 90, depth: 1, result: ['12c11'] },
      {
        op: 241,
        depth: 1,
        result: [],
        gas: 76817,
        to: CALLEE.slice(2),
        value: '1',
        input: bytes,
        error: null,
        return: bytes,
        ops: [
          { op: 96, depth: 2, result: ['4'], len: 2 },
          { op: 95, depth: 2, result: [], len: 1 },
          { op: 253, depth: 2, result: [] },
        ],
      },
    ])
  })
})
