import { stackMinimum } from '../../../src/chain/evm/codeTable.js'
import type { Random } from '../support/random.js'

/** Opcodes with the number of stack items they pop and push; repeated ones are more frequent. */
const opcodes: readonly (readonly [opcode: number, taken: number, left: number])[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 10, 11].map((opcode) => [opcode, 2, 1] as const),
  ...[8, 9].map((opcode) => [opcode, 3, 1] as const),
  ...[0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d].map(
    (opcode) => [opcode, 2, 1] as const,
  ),
  ...[0x15, 0x19, 0x1e].map((opcode) => [opcode, 1, 1] as const),
  [0x20, 2, 1],
  ...[0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d].map((opcode) => [opcode, 0, 1] as const),
  ...[0x31, 0x35, 0x3b, 0x3f].map((opcode) => [opcode, 1, 1] as const),
  ...[0x37, 0x39, 0x3e].map((opcode) => [opcode, 3, 0] as const),
  [0x3c, 4, 0],
  [0x40, 1, 1],
  ...[0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a].map((opcode) => [opcode, 0, 1] as const),
  [0x49, 1, 1],
  [0x50, 1, 0],
  [0x51, 1, 1],
  [0x52, 2, 0],
  [0x53, 2, 0],
  ...[0x54, 0x54, 0x5c].map((opcode) => [opcode, 1, 1] as const),
  ...[0x55, 0x55, 0x55, 0x5d].map((opcode) => [opcode, 2, 0] as const),
  ...[0x58, 0x59, 0x5a].map((opcode) => [opcode, 0, 1] as const),
  [0x5e, 3, 0],
  ...[0, 1, 2, 3, 4].map((topics) => [0xa0 + topics, topics + 2, 0] as const),
]

/** Operands at limits: of word sizes, of call data, of memory that can be paid or priced, of 64 and 256 bits. */
const edgeWords: readonly bigint[] = [
  ...[
    0n,
    0n,
    1n,
    2n,
    31n,
    32n,
    33n,
    64n,
    255n,
    256n,
    1024n,
    1025n,
    24_576n,
    24_577n,
    49_152n,
    49_153n,
    65_536n,
  ],
  ...[
    2n ** 24n,
    2n ** 31n - 1n,
    2n ** 32n,
    0x1fffffffe0n,
    2n ** 53n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 32n,
  ],
  ...[2n ** 64n - 1n, 2n ** 64n, 2n ** 160n, 2n ** 255n - 1n, 2n ** 255n, 2n ** 256n - 32n, 2n ** 256n - 1n],
]

/** Code that ends a program; the later ones are rarer. */
const endings = ['00', '60205ff3', '5f5ff3', '60405ff3', '5f5ffd', '60205ffd', 'fe', 'ef', '56', '30ff', '0c']

const precompiles = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0x100]

/** The generator of BN254's G1: the point (1, 2). */
const bnPoint = `${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`

/** Makes input for a precompile: well-formed, too short, or random. */
function precompileInput(random: Random, precompile: number): string {
  const lengths: Record<number, number> = {
    1: 128,
    5: 96 + random.below(60),
    6: 128,
    7: 96,
    8: 192 * random.below(3),
    9: 213,
    10: 192,
    11: 256,
    12: 160 * (1 + random.below(2)),
    13: 512,
    14: 288,
    15: 384,
    16: 64,
    17: 128,
    0x100: 160,
  }
  const length = lengths[precompile] ?? random.below(100)
  const kind = random.below(5)
  if (kind === 0) return random.bytes(random.below(40)).toString('hex')
  if (kind === 1) return '00'.repeat(length)
  if (precompile === 5) {
    const [base, exponent, modulus] = [random.below(40), random.below(6), random.below(40)]
    const word = (value: number): string => value.toString(16).padStart(64, '0')
    const values = random.bytes(base + exponent + modulus).toString('hex')
    return `${word(base)}${word(exponent)}${word(modulus)}${values}`
  }
  if (precompile === 9 && kind > 2) {
    return `${random.below(99).toString(16).padStart(8, '0')}${random.bytes(208).toString('hex')}0${random.below(3)}`
  }
  if ((precompile === 6 || precompile === 7) && kind > 2) {
    const scalar = random.bytes(precompile === 6 ? 0 : 32).toString('hex')
    return precompile === 6 ? bnPoint + bnPoint : bnPoint + scalar
  }
  if (precompile >= 11 && precompile <= 17 && kind > 2) {
    // A field element of BLS12-381 begins with 16 zero bytes.
    let text = ''
    while (text.length < length * 2)
      text += '00'.repeat(16) + random.bytes(48).toString('hex').replace(/^../, '01')
    return text.slice(0, length * 2)
  }
  return random.bytes(length).toString('hex')
}

/** Makes a call of a random precompile. */
export function precompileCall(random: Random): { to: string; data: string } {
  const precompile = random.pick(precompiles)
  const to = `0x${precompile.toString(16).padStart(40, '0')}`
  return { to, data: `0x${precompileInput(random, precompile)}` }
}

/** Makes random programs, most of which run for some steps before they end. */
export class Programs {
  readonly #random: Random
  readonly #addresses: readonly string[]

  /** @param addresses - accounts that programs call and read */
  constructor(random: Random, addresses: readonly string[]) {
    this.#random = random
    this.#addresses = addresses
  }

  /** Returns the code of a random program as 0x-prefixed hex. */
  next(): string {
    return `0x${this.#code(2 + this.#random.below(30))}`
  }

  #code(steps: number): string {
    const random = this.#random
    let code = ''
    let depth = 0
    const need = (count: number): void => {
      for (; depth < count; depth++) code += this.#push()
    }
    for (let i = 0; i < steps; i++) {
      const kind = random.below(22)
      if (kind < 13) {
        const [opcode, taken, left] = random.pick(opcodes)
        if (!random.chance(0.01)) need(taken)
        code += opcode.toString(16).padStart(2, '0')
        depth = Math.max(0, depth - taken) + left
      } else if (kind === 13) {
        const count = 1 + random.below(4)
        need(count + 1)
        const isDup = random.chance(0.5)
        code += ((isDup ? 0x7f : 0x8f) + count).toString(16)
        depth += isDup ? 1 : 0
      } else if (kind === 14) code += this.#precompile()
      else if (kind < 17) code += this.#call()
      else if (kind === 17) code += this.#create()
      else if (kind === 18) code += this.#loop()
      else if (kind > 19) code += this.#edge()
      else code += random.bytes(1).toString('hex')
      if (kind > 13 && kind < 18) depth++
    }
    return code + random.pick(random.chance(0.7) ? endings.slice(0, 5) : endings)
  }

  #push(): string {
    const random = this.#random
    const kind = random.below(10)
    if (kind < 4) return `60${random.bytes(1).toString('hex')}`
    if (kind === 4) return '5f'
    if (kind === 5) return `73${random.pick(this.#addresses).slice(2)}`
    if (kind === 6) return `7f${random.bytes(32).toString('hex')}`
    if (kind === 7) return '60' + random.pick(['00', '01', '20', '40'])
    if (kind === 8) return `61${random.bytes(2).toString('hex')}`
    const length = 1 + random.below(8)
    return (0x5f + length).toString(16) + random.bytes(length).toString('hex')
  }

  /** Writes input to memory and calls a precompile; leaves the success flag on the stack. */
  #precompile(): string {
    const random = this.#random
    const { to, data } = precompileCall(random)
    const bytes = data.slice(2)
    let code = ''
    for (let at = 0; at < bytes.length; at += 64) {
      code += `7f${bytes.slice(at, at + 64).padEnd(64, '0')}61${(at / 2).toString(16).padStart(4, '0')}52`
    }
    const length = (bytes.length / 2).toString(16).padStart(4, '0')
    return `${code}60405f61${length}5f61${to.slice(-4)}${random.pick(['5a', '5a', '612710'])}fa`
  }

  #call(): string {
    const random = this.#random
    const opcode = random.pick(['f1', 'f1', 'f2', 'f4', 'fa'])
    const value = opcode === 'f1' || opcode === 'f2' ? random.pick(['5f', '5f', '6001']) : ''
    const gas = random.pick(['5a', '5a', '620186a0', '5f', '6109c4'])
    const target = random.chance(0.15) ? '30' : `73${random.pick(this.#addresses).slice(2)}`
    return `60205f60${random.pick(['00', '04', '20'])}5f${value}${target}${gas}${opcode}`
  }

  #create(): string {
    const random = this.#random
    const runtime = random.pick([
      '00',
      '60015ff3',
      '5f5ffd',
      'fe',
      '60ef5f5360015ff3',
      '6101005ff3',
      '5b5a5055',
    ])
    const word = runtime.padEnd(64, '0')
    const size = (runtime.length / 2).toString(16).padStart(2, '0')
    const salt = random.chance(0.5) ? `60${random.bytes(1).toString('hex')}` : ''
    const value = random.pick(['5f', '5f', '6001'])
    return `7f${word}5f52${salt}60${size}5f${value}${salt === '' ? 'f0' : 'f5'}`
  }

  /** Runs any opcode with operands at limits; now and then one is missing. */
  #edge(): string {
    const random = this.#random
    const opcode = random.below(256)
    const operands = Array.from({ length: stackMinimum[opcode] ?? 0 }, () => {
      const digits = random.pick(edgeWords).toString(16)
      const data = digits.padStart(digits.length + (digits.length % 2), '0')
      return (0x5f + data.length / 2).toString(16) + data
    })
    if (random.chance(0.03)) operands.pop()
    return operands.join('') + opcode.toString(16).padStart(2, '0')
  }

  /** Counts down, in some cases using storage in each round, or fails below a random amount of gas. */
  #loop(): string {
    const random = this.#random
    if (random.chance(0.4)) {
      // PUSH3 least GAS LT ISZERO, then a jump over the failing opcode: PC PUSH1 6 ADD JUMPI.
      const least = random.bytes(3).toString('hex').replace(/^./, '0')
      return `62${least}5a101558600601575b`.replace('575b', `57${random.pick(['fe', '5b'])}5b`)
    }
    const count = (1 + random.below(31)).toString(16).padStart(2, '0')
    const body = random.pick(['', '60005450', '5a5f55'])
    // PUSH1 count JUMPDEST body, then decrement, and jump to PC - (length of the body + 6).
    const back = (6 + body.length / 2).toString(16).padStart(2, '0')
    return `60${count}5b${body}600190038058` + `60${back}90035750`
  }
}
