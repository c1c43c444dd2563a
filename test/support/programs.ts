/** Returns a seeded generator (mulberry32) of integers below a bound. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = (below: number) => number

const push = (...bytes: number[]): number[] => [0x5f + bytes.length, ...bytes]

function call(opcode: number, random: Random, to: Uint8Array): number[] {
  const value = opcode === 0xf1 || opcode === 0xf2 ? push(random(3) === 0 ? 1 : 0) : []
  const gas = random(2) === 0 ? [0x5a] : push(0x80, random(256))
  return [
    ...push(32),
    ...push(0),
    ...push(random(40)),
    ...push(0),
    ...value,
    ...push(...to),
    ...gas,
    opcode,
    0x50,
  ]
}

/** Generates bytecode of a few random statements: storage, logs, hashes, calls, creations, loops and every ending. */
export function randomProgram(random: Random, contracts: readonly Uint8Array[]): Uint8Array {
  const target = (): Uint8Array =>
    random(6) === 0
      ? Uint8Array.of(...new Array<number>(19).fill(0), 1 + random(9))
      : (contracts[random(contracts.length)] as Uint8Array)
  const statements: (() => number[])[] = [
    () => [...push(random(3)), ...push(random(4)), 0x55],
    () => [...push(random(4)), 0x54, 0x50],
    () => [...push(random(4)), 0x54, ...push(1), 0x01, ...push(random(4)), 0x55],
    () => [...push(random(200)), ...push(random(64)), 0x20, ...push(random(90)), 0x52],
    () => [...push(7), ...push(random(70)), ...push(0), 0xa1],
    () => [...push(...target()), 0x31, 0x50],
    () => [...push(...target()), 0x3f, 0x50],
    () => call(0xf1, random, target()),
    () => call(0xf2, random, target()),
    () => call(0xf4, random, target()),
    () => call(0xfa, random, target()),
    () => [
      ...push(0x60, 0x01, 0x60, 0x00, 0x55),
      0x5f,
      0x52,
      ...push(5),
      ...push(27),
      ...push(random(2)),
      0xf0,
      0x50,
    ],
    () => [...push(0x00), ...push(5), ...push(27), ...push(0), 0xf5, 0x50],
    () => [0x30, 0x31, 0x44, 0x01, 0x42, 0x18, 0x43, 0x17, 0x48, 0x01, ...push(random(4)), 0x55],
    () => [0x3d, 0x5f, 0x5f, 0x3e],
    () => [...push(random(5)), ...push(2), 0x5d, ...push(2), 0x5c, ...push(1), 0x55],
    () => [0x36, 0x5f, 0x5f, 0x37, 0x38, 0x5f, ...push(32), 0x39],
    () => [...push(1 + random(255)), ...push(random(255)), 0x0a, 0x50],
  ]
  const endings: (() => number[])[] = [
    () => [0x00],
    () => [...push(random(64)), ...push(0), 0xf3],
    () => [...push(random(64)), ...push(0), 0xfd],
    () => [...push(...target()), 0xff],
    () => [0x01],
    () => [0xfe],
    () => [...push(0x01), 0x56],
    () => [],
  ]
  const body: number[] = []
  const count = 1 + random(8)
  for (let i = 0; i < count; i++) body.push(...(statements[random(statements.length)] as () => number[])())
  body.push(...(random(3) === 0 ? (endings[random(endings.length)] as () => number[])() : [0x00]))
  if (random(4) > 0) return Uint8Array.from(body)
  // Runs the body three times: a counter in memory, JUMPI back to the JUMPDEST at 0.
  const loop = [0x5b, ...body.filter((byte) => byte !== 0x00)]
  return Uint8Array.from([
    ...loop,
    ...push(0x80),
    0x51,
    ...push(1),
    0x01,
    0x80,
    ...push(0x80),
    0x52,
    ...push(3),
    0x11,
    ...push(0),
    0x57,
  ])
}
