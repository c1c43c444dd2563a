import { DIGEST_OFFSET, INPUT_OFFSET, RATE_BYTES } from './layout.js'

const ROUNDS = 24
const CONSTANTS_OFFSET = 64
const STATE_OFFSET = 256
const LANES = 25

const I32 = 0x7f
const I64 = 0x7e
const VOID_BLOCK = 0x40

/** Local variables by their index: two parameters, three more of 32 bits, then the lanes. */
const LENGTH = 0
const IS_LAST = 1
const POSITION = 2
const END = 3
const CONSTANT = 4
const lane = (index: number): number => 5 + index
const moved = (index: number): number => lane(LANES) + index
const column = (x: number): number => moved(LANES) + mod5(x)
/** A parity of two columns, while it goes into the lanes of the one between them. */
const PARITY = 5 + 2 * LANES + 5
const I64_LOCALS = 2 * LANES + 6

function mod5(value: number): number {
  return (value + 5) % 5
}

/** A number as LEB128; signed immediates need their sign bit clear, so that one more byte may follow. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)]
}

const get = (local: number): number[] => [0x20, ...unsigned(local)]
const set = (local: number): number[] => [0x21, ...unsigned(local)]
const i32Const = (value: number): number[] => [0x41, ...signed(value)]
const i64Const = (value: number): number[] => [0x42, ...signed(value)]
const i64Load = (offset: number): number[] => [0x29, 0, ...unsigned(offset)]
const i64Store = (offset: number): number[] => [0x37, 0, ...unsigned(offset)]
const I32_STORE8 = [0x3a, 0, 0]
const I32_LOAD8 = [0x2d, 0, 0]
const I32_ADD = [0x6a]
const I32_SUB = [0x6b]
const I32_MUL = [0x6c]
const I32_DIV = [0x6e]
const I32_OR = [0x72]
const I32_LESS = [0x49]
const I64_AND = [0x83]
const I64_XOR = [0x85]
const I64_ROTATE = [0x89]
const MEMORY_FILL = [0xfc, 0x0b, 0]
const END_OF_BLOCK = [0x0b]
/** Goes back to the beginning of the loop around it if the top of the stack is not zero. */
const REPEAT_IF = [0x0d, 0]
const loop = (body: number[]): number[] => [0x03, VOID_BLOCK, ...body, ...END_OF_BLOCK]
const ELSE = [0x05]
const ifLast = (body: number[]): number[] => [...get(IS_LAST), 0x04, VOID_BLOCK, ...body, ...END_OF_BLOCK]
const all = <T>(items: readonly T[], make: (item: T) => number[]): number[] => items.flatMap(make)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** By how much lane x + 5y is rotated: triangular numbers along the path of rho and pi. */
const rotations = (() => {
  const offsets = new Array<number>(LANES).fill(0)
  for (let step = 0, x = 1, y = 0; step < 24; step++) {
    offsets[x + 5 * y] = (((step + 1) * (step + 2)) / 2) % 64
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  return offsets
})()

/** The constants of iota: bits of a linear feedback shift register. */
function roundConstants(): bigint[] {
  let register = 1
  return upTo(ROUNDS).map(() => {
    let constant = 0n
    for (let bit = 0; bit < 7; bit++) {
      if ((register & 1) === 1) constant |= 1n << BigInt((1 << bit) - 1)
      register = ((register << 1) ^ ((register >> 7) * 0x71)) & 0xff
    }
    return constant
  })
}

const theta = all(upTo(5), (x) => [
  ...get(lane(x)),
  ...all([5, 10, 15, 20], (row) => [...get(lane(x + row)), ...I64_XOR]),
  ...set(column(x)),
])

const parityOf = (x: number): number[] => [
  ...get(column(x - 1)),
  ...get(column(x + 1)),
  ...i64Const(1),
  ...I64_ROTATE,
  ...I64_XOR,
]

const rhoAndPi = all(upTo(5), (x) => [
  ...parityOf(x),
  ...set(PARITY),
  ...all(upTo(5), (y) => [
    ...get(lane(x + 5 * y)),
    ...get(PARITY),
    ...I64_XOR,
    ...i64Const(rotations[x + 5 * y] as number),
    ...I64_ROTATE,
    ...set(moved(y + 5 * ((2 * x + 3 * y) % 5))),
  ]),
])

const chi = all(upTo(LANES), (index) => {
  const row = index - (index % 5)
  return [
    ...get(moved(index)),
    ...get(moved(row + mod5((index % 5) + 1))),
    ...[0x42, 0x7f],
    ...I64_XOR,
    ...get(moved(row + mod5((index % 5) + 2))),
    ...I64_AND,
    ...I64_XOR,
    ...set(lane(index)),
  ]
})

const iota = [...get(lane(0)), ...get(CONSTANT), ...i64Load(0), ...I64_XOR, ...set(lane(0))]

const rounds = [
  ...i32Const(CONSTANTS_OFFSET),
  ...set(CONSTANT),
  ...loop([
    ...theta,
    ...rhoAndPi,
    ...chi,
    ...iota,
    ...[...get(CONSTANT), ...i32Const(8), ...I32_ADD, ...set(CONSTANT)],
    ...[...get(CONSTANT), ...i32Const(CONSTANTS_OFFSET + 8 * ROUNDS), ...I32_LESS, ...REPEAT_IF],
  ]),
]

const end = [...get(LENGTH), ...i32Const(INPUT_OFFSET), ...I32_ADD, ...set(END)]

/** Behind the input a one and zeros up to a whole block, whose last bit is a one. */
const pad = [
  ...[...get(END), ...set(POSITION)],
  ...[...get(LENGTH), ...i32Const(RATE_BYTES), ...I32_DIV, ...i32Const(1), ...I32_ADD],
  ...[...i32Const(RATE_BYTES), ...I32_MUL, ...i32Const(INPUT_OFFSET), ...I32_ADD, ...set(END)],
  ...[...get(POSITION), ...i32Const(0), ...get(END), ...get(POSITION), ...I32_SUB, ...MEMORY_FILL],
  ...[...get(POSITION), ...i32Const(1), ...I32_STORE8],
  ...[...get(END), ...i32Const(1), ...I32_SUB, ...set(POSITION)],
  ...[...get(POSITION), ...get(POSITION), ...I32_LOAD8, ...i32Const(0x80), ...I32_OR, ...I32_STORE8],
]

const loadState = all(upTo(LANES), (index) => [
  ...[...i32Const(STATE_OFFSET), ...i64Load(8 * index), ...set(lane(index))],
])

const storeLanes = (offset: number, count: number): number[] =>
  all(upTo(count), (index) => [...i32Const(offset), ...get(lane(index)), ...i64Store(8 * index)])

const clearState = [...i32Const(STATE_OFFSET), ...i32Const(0), ...i32Const(8 * LANES), ...MEMORY_FILL]

const absorb = [
  ...i32Const(INPUT_OFFSET),
  ...set(POSITION),
  ...loop([
    ...all(upTo(RATE_BYTES / 8), (index) => [
      ...get(lane(index)),
      ...[...get(POSITION), ...i64Load(8 * index), ...I64_XOR],
      ...set(lane(index)),
    ]),
    ...rounds,
    ...[...get(POSITION), ...i32Const(RATE_BYTES), ...I32_ADD, ...set(POSITION)],
    ...[...get(POSITION), ...get(END), ...I32_LESS, ...REPEAT_IF],
  ]),
]

const finish = ifLast([
  ...storeLanes(DIGEST_OFFSET, 4),
  ...clearState,
  ...ELSE,
  ...storeLanes(STATE_OFFSET, LANES),
])

/** Contents behind their length in bytes. */
const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes]
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)]
const text = (name: string): number[] => sized([...Buffer.from(name)])

function constantBytes(): number[] {
  const bytes = Buffer.alloc(8 * ROUNDS)
  roundConstants().forEach((constant, index) => bytes.writeBigUInt64LE(constant, 8 * index))
  return [...bytes]
}

/**
 * A WebAssembly module that hashes with keccak-256 (the Keccak reference, version 3.0, with the padding from before
 * FIPS 202), in WebAssembly's binary format (Core Specification 2.0, section 5). It does all that a short input needs in
 * one call: what libraries take for the three calls of a hash in parts is as much as the permutation itself.
 *
 * It exports one function, `absorb(length, isLast)`, which reads so many bytes from {@link INPUT_OFFSET} on: whole blocks
 * of {@link RATE_BYTES} while more is to come; with the last ones 32 bytes are left at {@link DIGEST_OFFSET}, and the next
 * hash may begin.
 *
 * @param pages - of 64 KiB of memory, exported as `memory`
 */
export function keccakModule(pages: number): Uint8Array {
  const locals = [2, ...[3, I32], ...[...unsigned(I64_LOCALS), I64]]
  const body = [...locals, ...end, ...ifLast(pad), ...loadState, ...absorb, ...finish, ...END_OF_BLOCK]
  const noResults = 0
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 2, I32, I32, noResults]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, pages, pages]),
    ...section(7, [2, ...text('memory'), 2, 0, ...text('absorb'), 0, 0]),
    ...section(10, [1, ...sized(body)]),
    ...section(11, [1, 0, ...i32Const(CONSTANTS_OFFSET), ...END_OF_BLOCK, ...sized(constantBytes())]),
  ])
}
