import { bytesToBigint } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../../encoding/timeSlice.js'
import { NO_BYTES } from '../state/account.js'

const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f
/** Maximum that a two-byte index can address; further pushes are read again each time. */
const MAX_INDEXED = 0xffff
/** Bytes of code searched for jump targets in one step. */
const SEARCHED_AT_ONCE = 1024 * 1024

/** Keyed by the code's array, which stays the same when a contract is called repeatedly. */
const tables = new WeakMap<Uint8Array, CodeTable>()

/** Returns the table of a code, created by the first frame that runs it. */
export function codeTableOf(code: Uint8Array): CodeTable {
  const known = tables.get(code)
  if (known !== undefined) return known
  const table = new CodeTable(code)
  tables.set(code, table)
  return table
}

/** Facts about a code that the interpreter loop needs, each computed on demand. */
export class CodeTable {
  readonly #code: Uint8Array
  #jumps = NO_BYTES
  #search: Promise<void> | undefined
  /** Index of a PUSH's value, by the position of the PUSH; zero if not read yet. */
  readonly pushIndex: Uint16Array
  /** Values of pushes that ran, from index 1 on. */
  readonly pushValues: bigint[] = [0n]
  /** The same values as numbers, rounded above 2^53. */
  readonly pushNumbers: number[] = [0]

  constructor(code: Uint8Array) {
    this.#code = code
    this.pushIndex = new Uint16Array(code.length)
  }

  /** By position: 1 for a valid jump target, a JUMPDEST outside PUSH data. Empty before {@link findJumps}. */
  get jumps(): Uint8Array {
    return this.#jumps
  }

  /** Finds the jump targets unless they are known; returns a promise if the code is so long that others must be let in. */
  findJumps(): Promise<void> | undefined {
    if (this.#jumps.length === this.#code.length) return undefined
    if (this.#search !== undefined) return this.#search
    const steps = findJumpsInSteps(this.#code)
    if (this.#code.length <= SEARCHED_AT_ONCE) {
      this.#jumps = runToCompletion(steps)
      return undefined
    }
    this.#search = runInSlices(steps, new TimeSlice()).then((jumps) => {
      this.#jumps = jumps
    })
    return this.#search
  }

  /** Reads the value of the PUSH at a position. Bytes beyond the end of the code are zero. */
  readPush(position: number): bigint {
    const data = new Uint8Array((this.#code[position] as number) - PUSH1 + 1)
    data.set(this.#code.subarray(position + 1, position + 1 + data.length))
    const value = bytesToBigint(data)
    if (this.pushValues.length <= MAX_INDEXED) {
      this.pushIndex[position] = this.pushValues.length
      this.pushValues.push(value)
      this.pushNumbers.push(Number(value))
    }
    return value
  }
}

function* findJumpsInSteps(code: Uint8Array): Steps<Uint8Array> {
  const jumps = new Uint8Array(code.length)
  let position = 0
  while (position < code.length) {
    const end = Math.min(position + SEARCHED_AT_ONCE, code.length)
    for (; position < end; position++) {
      const opcode = code[position] as number
      if (opcode === JUMPDEST) jumps[position] = 1
      else if (opcode >= PUSH1 && opcode <= PUSH32) position += opcode - PUSH1 + 1
    }
    yield
  }
  return jumps
}

/** Maximum number of stack items. */
const STACK_LIMIT = 1024

/** [first opcode, last opcode, items popped, items pushed]; DUP, SWAP and LOG follow below. */
const effects: readonly (readonly [first: number, last: number, taken: number, given: number])[] = [
  [0x01, 0x07, 2, 1],
  [0x08, 0x09, 3, 1],
  [0x0a, 0x0b, 2, 1],
  [0x10, 0x14, 2, 1],
  [0x15, 0x15, 1, 1],
  [0x16, 0x18, 2, 1],
  [0x19, 0x19, 1, 1],
  [0x1a, 0x1d, 2, 1],
  [0x1e, 0x1e, 1, 1],
  [0x20, 0x20, 2, 1],
  [0x30, 0x30, 0, 1],
  [0x31, 0x31, 1, 1],
  [0x32, 0x34, 0, 1],
  [0x35, 0x35, 1, 1],
  [0x36, 0x36, 0, 1],
  [0x37, 0x37, 3, 0],
  [0x38, 0x38, 0, 1],
  [0x39, 0x39, 3, 0],
  [0x3a, 0x3a, 0, 1],
  [0x3b, 0x3b, 1, 1],
  [0x3c, 0x3c, 4, 0],
  [0x3d, 0x3d, 0, 1],
  [0x3e, 0x3e, 3, 0],
  [0x3f, 0x40, 1, 1],
  [0x41, 0x48, 0, 1],
  [0x49, 0x49, 1, 1],
  [0x4a, 0x4a, 0, 1],
  [0x50, 0x50, 1, 0],
  [0x51, 0x51, 1, 1],
  [0x52, 0x53, 2, 0],
  [0x54, 0x54, 1, 1],
  [0x55, 0x55, 2, 0],
  [0x56, 0x56, 1, 0],
  [0x57, 0x57, 2, 0],
  [0x58, 0x5a, 0, 1],
  [0x5c, 0x5c, 1, 1],
  [0x5d, 0x5d, 2, 0],
  [0x5e, 0x5e, 3, 0],
  [0x5f, 0x7f, 0, 1],
  [0xf0, 0xf0, 3, 1],
  [0xf1, 0xf2, 7, 1],
  [0xf3, 0xf3, 2, 0],
  [0xf4, 0xf4, 6, 1],
  [0xf5, 0xf5, 4, 1],
  [0xfa, 0xfa, 6, 1],
  [0xfd, 0xfd, 2, 0],
  [0xff, 0xff, 1, 0],
]

/** Minimum number of stack items before an opcode runs. */
export const stackMinimum = new Uint16Array(256)
/** Maximum number of stack items before an opcode runs (Yellow Paper, 9.4.2). */
export const stackMaximum = new Uint16Array(256).fill(STACK_LIMIT)

function setEffect(opcode: number, popped: number, pushed: number): void {
  stackMinimum[opcode] = popped
  stackMaximum[opcode] = STACK_LIMIT + popped - pushed
}

for (const [first, last, popped, pushed] of effects) {
  for (let opcode = first; opcode <= last; opcode++) setEffect(opcode, popped, pushed)
}
for (let depth = 1; depth <= 16; depth++) {
  setEffect(0x7f + depth, depth, depth + 1)
  setEffect(0x8f + depth, depth + 1, depth + 1)
}
for (let topics = 0; topics <= 4; topics++) setEffect(0xa0 + topics, topics + 2, 0)
