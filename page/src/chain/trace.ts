import { read } from '../api/rpc.js'
import type { AccountState, CallFrame, Step } from './wire.js'

/** Traces one transaction or call with geth's tracing options. */
export type Trace = <Result>(options: object) => Promise<Result>

/** Traces a mined transaction. */
export function traceTransaction(hash: string): Trace {
  return (options) => read('debug_traceTransaction', hash, options)
}

/** Traces a call on the state of a block. */
export function traceCall(call: unknown, block: unknown): Trace {
  return (options) => read('debug_traceCall', call, block, options)
}

/** Reads the call tree. */
export function readCalls(trace: Trace): Promise<CallFrame> {
  return trace({ tracer: 'callTracer' })
}

/** Reads the state difference: accounts before and after, with the members that differ. */
export function readStateDifference(
  trace: Trace,
): Promise<{ pre: Record<string, AccountState>; post: Record<string, AccountState> }> {
  return trace({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } })
}

/** Reads the steps without stack, memory and storage. */
export async function readSteps(trace: Trace): Promise<Step[]> {
  const { structLogs } = await trace<{ structLogs: Step[] }>({
    disableStack: true,
    disableStorage: true,
    enableMemory: false,
    enableReturnData: false,
  })
  return structLogs
}

/** Frames from the outermost to the innermost one whose failure was passed on; empty if the execution succeeded. */
export function failingPath(root: CallFrame): CallFrame[] {
  if (root.error === undefined) return []
  const path = [root]
  for (let frame = root; ;) {
    const last = frame.calls?.at(-1)
    const isPassedOn = last?.error !== undefined && (last.output ?? '0x') === (frame.output ?? '0x')
    if (last === undefined || !isPassedOn) return path
    path.push(last)
    frame = last
  }
}

/** Program counters of a frame's last steps, newest first. */
export type LastSteps = readonly number[]

/** Maximum number of steps per frame to search for a source location. */
const maxSteps = 400

const entersFrame = /^(CALL|CALLCODE|DELEGATECALL|STATICCALL|CREATE|CREATE2)$/

/**
 * Assigns steps to frames. Calls to precompiles and accounts without code have a frame but no steps.
 *
 * @returns program counters of each frame's last steps, newest first
 */
export function stepsOfFrames(root: CallFrame, steps: readonly Step[]): Map<CallFrame, LastSteps> {
  const found = new Map<CallFrame, number[]>()
  const open: { frame: CallFrame; calls: number }[] = [{ frame: root, calls: 0 }]
  for (const [place, { pc, op, depth }] of steps.entries()) {
    open.length = Math.min(open.length, depth)
    const current = open.at(-1)
    if (current === undefined) break
    const counters = found.get(current.frame) ?? []
    counters.push(pc)
    if (counters.length > 2 * maxSteps) counters.splice(0, maxSteps)
    found.set(current.frame, counters)
    if (!entersFrame.test(op)) continue
    const called = current.frame.calls?.[current.calls]
    current.calls += 1
    if (called !== undefined && steps[place + 1]?.depth === depth + 1) open.push({ frame: called, calls: 0 })
  }
  return new Map([...found].map(([frame, counters]) => [frame, counters.reverse().slice(0, maxSteps)]))
}
