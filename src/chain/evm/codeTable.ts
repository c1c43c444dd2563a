import { bytesToBigint } from '../../encoding/quantity.js'

const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f
/** As many pushes as an index of two bytes tells apart; what lies behind them is read anew each time. */
const MOST_INDEXED = 0xffff

/** By the code's own array: the same contract is called again and again, and its array stays the same. */
const tables = new WeakMap<Uint8Array, CodeTable>()

/** The table of a code, made with the first frame that runs it. */
export function codeTableOf(code: Uint8Array): CodeTable {
  const known = tables.get(code)
  if (known !== undefined) return known
  const table = new CodeTable(code)
  tables.set(code, table)
  return table
}

/** What the interpreter's loop finds out about a code, each thing when it is first needed. */
export class CodeTable {
  readonly #code: Uint8Array
  #jumps: Uint8Array | undefined
  /** By the place of a PUSH: the index of its value; zero while it is not known. */
  readonly pushIndex: Uint16Array
  /** The values of pushes that ran, from index 1 on. */
  readonly pushValues: bigint[] = [0n]
  /** The same as numbers, rounded where they are larger than 2^53. */
  readonly pushNumbers: number[] = [0]

  constructor(code: Uint8Array) {
    this.#code = code
    this.pushIndex = new Uint16Array(code.length)
  }

  /** By place: 1 where a jump may go to, a JUMPDEST that is not within the data of a PUSH. */
  get jumps(): Uint8Array {
    return (this.#jumps ??= findJumps(this.#code))
  }

  /** The value of the PUSH at a place: bytes beyond the end of the code are zero. */
  readPush(place: number): bigint {
    const data = new Uint8Array((this.#code[place] as number) - PUSH1 + 1)
    data.set(this.#code.subarray(place + 1, place + 1 + data.length))
    const value = bytesToBigint(data)
    if (this.pushValues.length <= MOST_INDEXED) {
      this.pushIndex[place] = this.pushValues.length
      this.pushValues.push(value)
      this.pushNumbers.push(Number(value))
    }
    return value
  }
}

function findJumps(code: Uint8Array): Uint8Array {
  const jumps = new Uint8Array(code.length)
  for (let place = 0; place < code.length; place++) {
    const opcode = code[place] as number
    if (opcode === JUMPDEST) jumps[place] = 1
    else if (opcode >= PUSH1 && opcode <= PUSH32) place += opcode - PUSH1 + 1
  }
  return jumps
}
