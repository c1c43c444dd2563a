import type { RunState } from '../../chain/evm/internals.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import { opcodes } from '../../chain/tracing/opcodes.js'
import type { ExecutionTracer, Step } from '../../chain/tracing/tracer.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { PieceWriter, jsonQuantity, writeBytes } from '../format/pieces.js'

/** Bytes of memory. */
export interface MemoryRange {
  offset: number
  length: number
}

/** Stack positions, from the top, of an opcode's memory offset and length; or a fixed length in bytes. */
type MemoryOperands = readonly [offset: number, length: { at: number } | { bytes: number }]

/** Opcodes that Parity shows with the memory they wrote or read (OpenEthereum: evm/src/interpreter, mem_written). */
const memoryOperands: ReadonlyMap<number, MemoryOperands> = new Map<number, MemoryOperands>([
  [0x37, [0, { at: 2 }]], // CALLDATACOPY
  [0x39, [0, { at: 2 }]], // CODECOPY
  [0x3c, [1, { at: 3 }]], // EXTCODECOPY
  [0x3e, [0, { at: 2 }]], // RETURNDATACOPY
  [0x51, [0, { bytes: 32 }]], // MLOAD
  [0x52, [0, { bytes: 32 }]], // MSTORE
  [0x53, [0, { bytes: 1 }]], // MSTORE8
  [0x5e, [0, { at: 2 }]], // MCOPY
  [0xf1, [5, { at: 6 }]], // CALL
  [0xf2, [5, { at: 6 }]], // CALLCODE
  [0xf4, [4, { at: 5 }]], // DELEGATECALL
  [0xfa, [4, { at: 5 }]], // STATICCALL
])

/** Returns the memory that an opcode is about to write or read; undefined if there is none. */
function memoryWritten(opcode: number, stack: RunState['stack']): MemoryRange | undefined {
  const operands = memoryOperands.get(opcode)
  if (operands === undefined) return undefined
  const [at, size] = operands
  const length = 'bytes' in size ? size.bytes : Number(item(stack, size.at))
  return length === 0 ? undefined : { offset: Number(item(stack, at)), length }
}

function item(stack: RunState['stack'], depth: number): bigint {
  return stack.peek(depth + 1)[depth] ?? 0n
}

/** Items pushed by each opcode, per the Yellow Paper (appendix H.2): DUP and SWAP push everything they reach. */
const pushedItems: readonly number[] = Array.from({ length: 256 }, (_, opcode) => {
  if (opcode >= 0x80 && opcode <= 0x9f) return (opcode & 0x0f) + 2
  return pushesItem(opcode) ? 1 : 0
})

function pushesItem(opcode: number): boolean {
  if (opcode <= 0x20) return opcode > 0x00
  if (opcode <= 0x4a) return ![0x37, 0x39, 0x3c, 0x3e].includes(opcode)
  if (opcode <= 0x7f) return [0x51, 0x54, 0x58, 0x59, 0x5a, 0x5c].includes(opcode) || opcode >= 0x5f
  return [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa].includes(opcode)
}

const STOP = 0x00
const RETURN = 0xf3
const REVERT = 0xfd
/** Opcodes that end a frame after executing successfully. */
const endings: ReadonlySet<number> = new Set([STOP, RETURN, REVERT, opcodes.SELFDESTRUCT])

/** Longer code and memory are written in pieces. */
const LONG = 64 * 1024

/** An opcode in execution. */
interface RunningOperation {
  opcode: number
  /** Remaining gas after it, if it ends the frame. */
  gasAfter: bigint
  failed: boolean
  memory: MemoryRange | undefined
  /** Key and value of the slot that it writes. */
  stored: readonly [key: bigint, value: bigint] | undefined
  /** Whether a frame that it created has been written. */
  hasFrame: boolean
}

interface Frame {
  /** Whether code runs in it; frames without code are not shown. */
  isOpen: boolean
  running: RunningOperation | undefined
}

/**
 * Prints each opcode with what it pushed, stored and wrote to memory, in the format of Parity's `vmTrace`
 * (OpenEthereum: rpc/src/v1/types/trace.rs, VMTrace). Frames are nested in the opcodes that created them.
 */
export class VmTrace implements ExecutionTracer {
  readonly #writer = new PieceWriter()
  readonly #budget: TraceBudget
  readonly #frames: Frame[] = []
  readonly #slice = new TimeSlice()
  #isEmpty = true

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  enter(): void {
    this.#frames.push({ isOpen: false, running: undefined })
  }

  step(step: Step): Promise<void> | undefined {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return undefined
    const codeLength = frame.isOpen ? 0 : step.runState.env.code.length
    const written = this.#writeStep(frame, step)
    if (codeLength + (frame.running?.memory?.length ?? 0) > LONG) return runInSlices(written, this.#slice)
    runToCompletion(written)
    return undefined
  }

  exit(): void {
    const frame = this.#frames.pop()
    if (frame?.isOpen !== true) return
    if (frame.running !== undefined) {
      const { opcode, failed, gasAfter } = frame.running
      const isSound = !failed && endings.has(opcode)
      const executed = isSound ? `{"mem":null,"push":[],"store":null,"used":${gasAfter}}` : 'null'
      this.#write(`${nestedText(frame.running)},"ex":${executed}}`)
    }
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

  /** Ends the text of the last opcode, and begins that of the next. */
  *#writeStep(frame: Frame, step: Step): Steps<void> {
    const { runState, gas } = step
    if (!frame.isOpen) yield* this.#open(frame, runState)
    const { running } = frame
    if (running !== undefined) {
      const { memory } = running
      this.#write(`${nestedText(running)},"ex":{"mem":`)
      if (memory === undefined) this.#write('null')
      else yield* this.#writeMemory(memory, runState)
      this.#write(`${effects(running, runState.stack, gas)}},`)
    }
    this.#write(`{"pc":${runState.programCounter},"cost":${step.cost},"sub":`)
    frame.running = runningOperation(step)
  }

  *#open(frame: Frame, { env }: RunState): Steps<void> {
    frame.isOpen = true
    this.#isEmpty = false
    this.#write('{"code":')
    yield* this.#writeBytes(env.code)
    this.#write(',"ops":[')
  }

  *#writeMemory({ offset, length }: MemoryRange, { memory }: RunState): Steps<void> {
    this.#write('{"data":')
    yield* this.#writeBytes(memory.read(offset, length, true))
    this.#write(`,"off":${offset}}`)
  }

  *#writeBytes(bytes: Uint8Array): Steps<void> {
    this.#budget.spend(2 * bytes.length)
    yield* writeBytes(bytes, this.#writer)
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

/** Returns what stands for the frame of an opcode that created none. */
function nestedText({ hasFrame }: RunningOperation): string {
  return hasFrame ? '' : 'null'
}

/** Returns the effects of an opcode but for its memory, as seen by the next one in its frame. */
function effects({ opcode, stored }: RunningOperation, stack: RunState['stack'], gas: bigint): string {
  const count = pushedItems[opcode] ?? 0
  const pushed = count === 0 ? [] : stack.peek(count).reverse()
  const store =
    stored === undefined ? 'null' : `{"key":${jsonQuantity(stored[0])},"val":${jsonQuantity(stored[1])}}`
  return `,"push":[${pushed.map(jsonQuantity).join(',')}],"store":${store},"used":${gas}}`
}
