import { whenReady } from '../../encoding/timeSlice.js'
import { bigintToBytes, bytesToPlainHex } from '../../encoding/hex.js'
import { wordToAddress } from '../evm/words.js'
import { NO_BYTES, padTo32 } from '../state/account.js'
import type { ExecutionLog } from '../types.js'
import type { TraceBudget } from './budget.js'
import { type CallFrame, CallTracer } from './callTracer.js'
import { KeccakPreimageTracer } from './keccakPreimages.js'
import { callTypes, opcodes } from './opcodes.js'
import type { ExecutionTracer, FrameEnd, FrameStart, Step, TracedMessage, TracedState } from './tracer.js'

/** Facts about a frame beyond those of a call tracer. Slots and values have 64 hexadecimal digits. */
export interface Erc7562Facts {
  /** Values of slots when first read, unless written before. */
  reads: Map<string, string>
  /** Number of writes per slot; for transient slots, of reads and of writes. */
  writes: Map<string, number>
  transientReads: Map<string, number>
  transientWrites: Map<string, number>
  /** Accounts inspected by EXTCODE opcodes, except EXTCODESIZE before ISZERO. */
  extCodeAccessInfo: Uint8Array[]
  /** Number of runs per opcode. */
  usedOpcodes: Map<number, number>
  /** By address, 40 digits: the code size of an account when first called or inspected, and the opcode. */
  contractSizes: Map<string, { size: number; opcode: number }>
  outOfGas: boolean
}

/** What the tracer leaves out or includes. */
export interface Erc7562Options {
  ignoredOpcodes: ReadonlySet<number>
  withLog: boolean
}

const GAS = 0x5a
const ISZERO = 0x15
const REVERT = 0xfd
const RETURN = 0xf3
const TLOAD = 0x5c
const TSTORE = 0x5d
const codeLookups: ReadonlySet<number> = new Set([
  opcodes.EXTCODEHASH,
  opcodes.EXTCODESIZE,
  opcodes.EXTCODECOPY,
])
/** Approximate text length of a frame's facts, and of an entry. */
const FRAME_BYTES = 260
const ENTRY_BYTES = 140

/** Records what the validation of a user operation must not do (ERC-7562; geth: eth/tracers/native/erc7562.go). */
export class Erc7562Tracer implements ExecutionTracer {
  readonly #keccak: KeccakPreimageTracer
  readonly #frames: CallTracer
  readonly #facts = new Map<CallFrame, Erc7562Facts>()
  readonly #options: Erc7562Options
  readonly #budget: TraceBudget
  #state: TracedState | undefined
  /** The previous opcode, and the item on top of its stack. */
  #last: { opcode: number; top: bigint | undefined } | undefined

  constructor(options: Erc7562Options, budget: TraceBudget) {
    this.#options = options
    this.#budget = budget
    this.#frames = new CallTracer({ withLog: options.withLog }, budget)
    this.#keccak = new KeccakPreimageTracer(budget)
  }

  /** The distinct inputs of KECCAK256. */
  get keccakInputs(): Iterable<Uint8Array> {
    return this.#keccak.preimages.values()
  }

  /** The outermost frame, once the execution is over. */
  get result(): CallFrame {
    return this.#frames.result
  }

  factsOf(frame: CallFrame): Erc7562Facts {
    let facts = this.#facts.get(frame)
    if (facts === undefined) {
      facts = {
        reads: new Map(),
        writes: new Map(),
        transientReads: new Map(),
        transientWrites: new Map(),
        extCodeAccessInfo: [],
        usedOpcodes: new Map(),
        contractSizes: new Map(),
        outOfGas: false,
      }
      this.#facts.set(frame, facts)
    }
    return facts
  }

  begin(message: TracedMessage): void {
    this.#state = message.state
    this.#frames.begin(message)
  }

  enter(frame: FrameStart): void {
    this.#budget.spend(FRAME_BYTES)
    this.#frames.enter(frame)
  }

  exit(end: FrameEnd): void {
    const { depth, failure = '' } = end
    const frame = this.#frames.current
    if (depth > 0 && frame !== undefined) {
      this.factsOf(frame).outOfGas =
        failure.startsWith('out of gas') || failure === 'contract creation code storage out of gas'
    }
    this.#frames.exit(end)
  }

  log(log: ExecutionLog): void {
    this.#frames.log(log)
  }

  end(gasUsed: bigint): void {
    this.#frames.end(gasUsed)
  }

  step(step: Step): Promise<void> | undefined {
    const frame = this.#frames.current
    if (frame === undefined) return undefined
    const { opCode: opcode, stack } = step.runState
    const facts = this.factsOf(frame)
    if (opcode === REVERT || opcode === RETURN) this.#last = undefined
    const last = this.#last
    this.#last = { opcode, top: stack.length > 0 ? stack.peek(1)[0] : undefined }
    if (last !== undefined) this.#recordLookup(last, opcode, facts)
    if (last?.opcode === GAS && !callTypes.has(opcode)) this.#count(facts.usedOpcodes, GAS)
    if (opcode !== GAS && !this.#options.ignoredOpcodes.has(opcode)) this.#count(facts.usedOpcodes, opcode)
    const pending = [
      this.#keccak.step(step),
      this.#recordSize(step, facts),
      this.#recordStorage(step, facts),
    ].filter((answer) => answer !== undefined)
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined)
  }

  #recordLookup(
    { opcode, top }: { opcode: number; top: bigint | undefined },
    next: number,
    { extCodeAccessInfo }: Erc7562Facts,
  ): void {
    if (!codeLookups.has(opcode) || top === undefined) return
    if (opcode === opcodes.EXTCODESIZE && next === ISZERO) return
    this.#budget.spend(ENTRY_BYTES)
    extCodeAccessInfo.push(wordToAddress(top))
  }

  #recordSize({ runState }: Step, { contractSizes }: Erc7562Facts): Promise<void> | undefined {
    const { opCode: opcode, stack } = runState
    const isLookup = codeLookups.has(opcode)
    const wanted = isLookup ? 1 : 2
    if ((!isLookup && !callTypes.has(opcode)) || stack.length < wanted) return undefined
    const address = wordToAddress(stack.peek(wanted)[wanted - 1] ?? 0n)
    const key = bytesToPlainHex(address)
    if (contractSizes.has(key)) return undefined
    this.#budget.spend(ENTRY_BYTES)
    const code = this.#state?.readCode(address) ?? NO_BYTES
    const recorded = whenReady(code, ({ length: size }) => void contractSizes.set(key, { size, opcode }))
    return recorded instanceof Promise ? recorded : undefined
  }

  #recordStorage({ runState }: Step, facts: Erc7562Facts): Promise<void> | undefined {
    const { opCode: opcode, stack, env } = runState
    const isStorage = opcode === opcodes.SLOAD || opcode === opcodes.SSTORE
    if ((!isStorage && opcode !== TLOAD && opcode !== TSTORE) || stack.length === 0) return undefined
    const slot = bigintToBytes(stack.peek(1)[0] ?? 0n, 32)
    const key = bytesToPlainHex(slot)
    if (opcode !== opcodes.SLOAD) {
      const { writes, transientReads, transientWrites } = facts
      this.#count(
        opcode === opcodes.SSTORE ? writes : opcode === TLOAD ? transientReads : transientWrites,
        key,
      )
      return undefined
    }
    if (facts.reads.has(key) || facts.writes.has(key)) return undefined
    this.#budget.spend(ENTRY_BYTES)
    const value = this.#state?.readStorage(env.address.bytes, slot) ?? NO_BYTES
    const recorded = whenReady(value, (bytes) => void facts.reads.set(key, bytesToPlainHex(padTo32(bytes))))
    return recorded instanceof Promise ? recorded : undefined
  }

  #count<Key>(counts: Map<Key, number>, key: Key): void {
    const count = counts.get(key)
    if (count === undefined) this.#budget.spend(ENTRY_BYTES)
    counts.set(key, (count ?? 0) + 1)
  }
}
