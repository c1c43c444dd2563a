import { expect, test } from 'vitest'
import type { CallFrame } from '../chain/tracing/callTracer.js'
import { runToCompletion } from '../encoding/timeSlice.js'
import { createPaint, formatCallTree } from './callTree.js'
import { Contracts } from './contracts.js'

const callee = new Uint8Array(20).fill(2)
const shown = `[21] 0x${'02'.repeat(20)}::fallback()`

function frame(fields: Partial<CallFrame>): CallFrame {
  return {
    type: 'CALL',
    depth: 0,
    from: new Uint8Array(20),
    to: callee,
    input: new Uint8Array(0),
    gas: 0n,
    value: undefined,
    gasUsed: 21n,
    output: undefined,
    failure: undefined,
    revertReason: undefined,
    calls: [],
    logs: [],
    ...fields,
  }
}

const log = (position: number) => ({
  address: callee,
  topics: [],
  data: Uint8Array.of(7),
  index: 0,
  position,
})

async function treeOf(top: CallFrame): Promise<string[]> {
  const contracts = await Contracts.of([])
  const options = { contracts, nameOf: () => undefined, paint: createPaint({ colours: false }) }
  return runToCompletion(formatCallTree(top, options))
}

test('calls and events are listed in order of occurrence, each call before what it does', async () => {
  const top = frame({ calls: [frame({ logs: [log(0)] }), frame({})], logs: [log(0), log(1), log(2)] })
  expect(await treeOf(top)).toEqual([
    shown,
    '├─ emit (0x07)',
    `├─ ${shown}`,
    '│  ├─ emit (0x07)',
    '│  └─ ← [returned]',
    '├─ emit (0x07)',
    `├─ ${shown}`,
    '│  └─ ← [returned]',
    '├─ emit (0x07)',
    '└─ ← [returned]',
  ])
})

test('at most ten thousand lines are printed', async () => {
  const lines = await treeOf(frame({ logs: Array.from({ length: 20_000 }, () => log(0)) }))
  expect(lines).toHaveLength(10_001)
  expect(lines.at(-1)).toBe('└─ … further calls and events are left out')
})
