import { opcodes } from '../../chain/tracing/opcodes.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import type { ExecutionTracer, Step } from '../../chain/tracing/tracer.js'
import type { RunState } from '../../chain/execution/runState.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { jsonBytes, jsonQuantity } from '../format/members.js'
import { PieceWriter } from '../format/pieceWriter.js'
import { memoryWritten, pushedItems, type MemoryRange } from './vmEffects.js'

const STOP = 0x00
const RETURN = 0xf3
const REVERT = 0xfd
/** What ends a frame and has run nevertheless. */
const endings: ReadonlySet<number> = new Set([STOP, RETURN, REVERT, opcodes.SELFDESTRUCT])

/** An opcode that is told of and not over yet. */
interface RunningOperation {
  opcode: number
  /** Gas after it, if it ends the frame. */
  gasAfter: bigint
  failed: boolean
  memory: MemoryRange | undefined
  /** Key and value of a slot that it writes. */
  stored: readonly [key: bigint, value: bigint] | undefined
  /** Whether a frame of its own is in the text already. */
  hasFrame: boolean
}

interface Frame {
  /** Whether code runs in it; one without is not shown. */
  isOpen: boolean
  running: RunningOperation | undefined
}

/**
 * Prints every opcode with what it pushed, stored and wrote to memory, in the form of Parity's `vmTrace` (OpenEthereum:
 * rpc/src/v1/types/trace.rs, VMTrace). A frame lies within the opcode that made it.
 */
export class VmTrace implements ExecutionTracer {
  readonly #writer = new PieceWriter()
  readonly #budget: TraceBudget
  readonly #frames: Frame[] = []
  #isEmpty = true

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  enter(): void {
    this.#frames.push({ isOpen: false, running: undefined })
  }

  step(step: Step): undefined {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return undefined
    const { runState, gas } = step
    if (!frame.isOpen) this.#open(frame, runState)
    const isFirst = frame.running === undefined
    this.#finish(frame, (running) => effects(running, runState, gas))
    this.#write(`${isFirst ? '' : ','}{"pc":${runState.programCounter},"cost":${step.cost},"sub":`)
    frame.running = runningOperation(step)
    return undefined
  }

  exit(): void {
    const frame = this.#frames.pop()
    if (frame?.isOpen !== true) return
    this.#finish(frame, ({ opcode, failed, gasAfter }) =>
      failed || !endings.has(opcode) ? 'null' : `{"mem":null,"push":[],"store":null,"used":${gasAfter}}`,
    )
    this.#write(']}')
    const caller = this.#frames.at(-1)?.running
    if (caller !== undefined) caller.hasFrame = true
  }

  /** Writes the outermost frame. */
  *write(writer: PieceWriter): Steps<void> {
    if (this.#isEmpty) writer.append('{"code":"0x","ops":[]}')
    for (const piece of this.#writer.pieces()) {
      writer.take(piece)
      yield
    }
  }

  #open(frame: Frame, { env }: RunState): void {
    frame.isOpen = true
    this.#isEmpty = false
    this.#write(`{"code":${jsonBytes(env.code)},"ops":[`)
  }

  #finish(frame: Frame, executed: (running: RunningOperation) => string): void {
    const { running } = frame
    if (running === undefined) return
    this.#write(`${running.hasFrame ? '' : 'null'},"ex":${executed(running)}}`)
  }

  #write(text: string): void {
    this.#budget.spend(text.length)
    this.#writer.append(text)
  }
}

function runningOperation({ runState, gas, cost, failure }: Step): RunningOperation {
  const { opCode: opcode, stack } = runState
  const [key = 0n, value = 0n] = opcode === opcodes.SSTORE && stack.length >= 2 ? stack.peek(2) : []
  return {
    opcode,
    gasAfter: gas - cost,
    failed: failure !== undefined,
    memory: failure === undefined ? memoryWritten(opcode, stack) : undefined,
    stored: opcode === opcodes.SSTORE ? [key, value] : undefined,
    hasFrame: false,
  }
}

/** What an opcode left, as the next one of its frame finds it. */
function effects(
  { opcode, memory, stored }: RunningOperation,
  { stack, memory: contents }: RunState,
  gas: bigint,
): string {
  const count = pushedItems[opcode] ?? 0
  const pushed = count === 0 ? [] : stack.peek(count).reverse()
  const mem =
    memory === undefined
      ? 'null'
      : `{"data":${jsonBytes(contents.read(memory.offset, memory.length, true))},"off":${memory.offset}}`
  const store =
    stored === undefined ? 'null' : `{"key":${jsonQuantity(stored[0])},"val":${jsonQuantity(stored[1])}}`
  return `{"mem":${mem},"push":[${pushed.map(jsonQuantity).join(',')}],"store":${store},"used":${gas}}`
}
