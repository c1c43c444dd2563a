import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TracedNode } from './tracedNode.js'

let chain: TracedNode

beforeAll(async () => {
  chain = await TracedNode.start()
})
afterAll(() => chain.stop())

const CALLER = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e'
const CALLEE = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5f'
/** DELEGATECALL of the cold callee with the given operands below its address. */
const delegatecall = (operands: string): string => `${operands}73${CALLEE.slice(2)}5af4`
/** STATICCALL of the callee with gas as the given push. */
const staticcall = (gas: string): string => `5f5f5f5f73${CALLEE.slice(2)}${gas}fa`

interface Frame {
  error?: string
  calls?: Frame[]
}

/** Messages of geth 1.17.10 for opcodes that it fails before they run, by code and gas of the call. */
const failures: readonly (readonly [name: string, code: string, gas: string, message: string])[] = [
  [
    'CREATE of long initcode',
    '61ffff5f5ff0',
    '0xf4240',
    'out of gas: max initcode size exceeded: code size 65535 limit 49152',
  ],
  [
    'CREATE2 of long initcode',
    '5f61ffff5f5ff5',
    '0xf4240',
    'out of gas: max initcode size exceeded: code size 65535 limit 49152',
  ],
  [
    'CREATE of long initcode that memory cannot hold',
    '63010000005f5ff0',
    '0xf4240',
    'out of gas: max initcode size exceeded: code size 16777216 limit 49152',
  ],
  [
    'CREATE of initcode beyond priced memory',
    '6420000000005f5ff0',
    '0xf4240',
    'out of gas: gas uint64 overflow',
  ],
  ['CREATE of initcode beyond 64 bits', '680100000000000000005f5ff0', '0xf4240', 'gas uint64 overflow'],
  ['CREATE without its constant gas', '61ffff5f5ff0', '0x5300', 'out of gas'],
  ['DELEGATECALL beyond 64 bits', '5f5f680100000000000000005f305af4', '0xf4240', 'gas uint64 overflow'],
  [
    'DELEGATECALL beyond 64 bits without its constant gas',
    '5f5f680100000000000000006001305af4',
    '0x5230',
    'out of gas',
  ],
  [
    'DELEGATECALL beyond priced memory',
    delegatecall('6420000000005f5f5f'),
    '0xf4240',
    'out of gas: gas uint64 overflow',
  ],
  [
    'DELEGATECALL beyond priced memory without gas for a cold account',
    delegatecall('6420000000005f5f5f'),
    '0x5300',
    'out of gas: out of gas',
  ],
  ['SSTORE with little gas', '600160015500', '0x5a00', 'out of gas: not enough gas for reentrancy sentry'],
]

/** The same inside a static call. */
const staticFailures: readonly (readonly [name: string, code: string, gas: string, message: string])[] = [
  ['LOG that cannot be paid', '61ffff5fa0', '6101f4', 'out of gas'],
  ['LOG', '5f5fa0', '6101f4', 'write protection'],
  ['SSTORE', '5f5f55', '6101f4', 'out of gas: write protection'],
  ['CREATE', '5f5f5ff0', '61ffff', 'out of gas: write protection'],
  ['CREATE without its constant gas', '5f5f5ff0', '60ff', 'out of gas'],
  ['CREATE of initcode beyond 64 bits', '680100000000000000005f5ff0', '61ffff', 'gas uint64 overflow'],
  ['SELFDESTRUCT without its constant gas', '33ff', '610fa0', 'out of gas'],
]

function traceCall(code: string, gas: string, callee: string): Promise<Frame> {
  const stateOverrides = { [CALLER]: { code: `0x${code}` }, [CALLEE]: { code: `0x${callee}` } }
  return chain.call<Frame>('debug_traceCall', { to: CALLER, gas }, 'latest', {
    tracer: 'callTracer',
    stateOverrides,
  })
}

describe('an opcode that cannot be paid', () => {
  it.each(failures)('fails with the message of geth: %s', async (_, code, gas, message) => {
    expect((await traceCall(code, gas, '')).error).toBe(message)
    const untraced = chain.call('eth_call', { to: CALLER, gas }, 'latest', {
      [CALLER]: { code: `0x${code}` },
    })
    await expect(untraced).rejects.toMatchObject({ message })
  })

  it.each(staticFailures)('fails in a static call as in geth: %s', async (_, code, gas, message) => {
    const { calls } = await traceCall(staticcall(gas), '0xf4240', code)
    expect(calls?.[0]?.error).toBe(message)
  })

  it('makes an estimate ask for more gas', async () => {
    const code = { [CALLER]: { code: '0x61ffff5f5ff0' } }
    await expect(
      chain.call('eth_estimateGas', { to: CALLER, gas: '0xf4240' }, 'latest', code),
    ).rejects.toMatchObject({
      message: 'gas required exceeds allowance (1000000)',
    })
  })
})
