import type { StoredBlock } from '../chain/block/record.js'
import { TraceBudget } from '../chain/tracing/budget.js'
import { CallTracer, type CallFrame } from '../chain/tracing/callTracer.js'
import { combineTracers } from '../chain/tracing/combine.js'
import type { HistoryTracer } from '../chain/tracing/historyTracer.js'
import type { ChainView } from '../chain/view.js'
import { bytesToHex, bytesToPlainHex } from '../encoding/hex.js'
import type { ContractArtifact } from './artifacts.js'
import { formatCallTree } from './callTree.js'
import { Contracts } from './contracts.js'
import { createPaint } from './paint.js'

/** What a trace for a developer may cost. */
const LIMITS = { maxBytes: 64 * 1024 * 1024, timeoutMilliseconds: 30_000 }

/** A block whose transactions are shown. */
export interface TreeRequest {
  view: ChainView
  tracing: Pick<HistoryTracer, 'traceBlock'>
  block: StoredBlock
  artifacts: readonly ContractArtifact[]
  colours: boolean
}

/** The transactions of a block as trees of calls, each behind a line with its hash. */
export async function traceTrees({
  view,
  tracing,
  block,
  artifacts,
  colours,
}: TreeRequest): Promise<string[]> {
  const contracts = new Contracts(artifacts)
  const paint = createPaint({ colours })
  const frames = await framesOf(view, tracing, block)
  const names = await namesIn(frames, view, contracts)
  const nameOf = (address: Uint8Array): string | undefined => names.get(bytesToPlainHex(address))
  return frames.flatMap((frame, index) => [
    `Transaction ${bytesToHex(block.transactions[index]?.hash ?? new Uint8Array(0))}`,
    ...formatCallTree(frame, { contracts, nameOf, paint }).map((line) => `  ${line}`),
  ])
}

async function framesOf(
  view: ChainView,
  tracing: TreeRequest['tracing'],
  block: StoredBlock,
): Promise<CallFrame[]> {
  const frames: CallFrame[] = []
  let tracer: CallTracer | undefined
  await tracing.traceBlock({
    view,
    block,
    tracerFor: () => {
      const budget = new TraceBudget(LIMITS)
      tracer = new CallTracer({ withLog: true }, budget)
      return combineTracers([budget.guard(), tracer])
    },
    traced: () => {
      if (tracer !== undefined) frames.push(tracer.result)
    },
  })
  return frames
}

/** The names of the contracts in frames by their addresses, as far as their code is known. */
async function namesIn(
  frames: readonly CallFrame[],
  view: ChainView,
  contracts: Contracts,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const { state } = await view.stateAt({ tag: 'latest' })
  const visit = async (frame: CallFrame): Promise<void> => {
    const key = bytesToPlainHex(frame.to)
    if (!names.has(key)) {
      const isCreation = frame.type === 'CREATE' || frame.type === 'CREATE2'
      const code = (isCreation ? frame.output : undefined) ?? (await state.getCode(frame.to))
      const name = code.length === 0 ? undefined : contracts.nameOf(code)
      if (name !== undefined) names.set(key, name)
    }
    for (const call of frame.calls) await visit(call)
  }
  for (const frame of frames) await visit(frame)
  return names
}
