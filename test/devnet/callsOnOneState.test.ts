import { concatHex, numberToHex, pad, size, type Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { startDevnet, stopAll, type Devnet } from './support.js'

afterEach(stopAll)

const first: Hex = `0x${'a1'.repeat(20)}`
const second: Hex = `0x${'b2'.repeat(20)}`
const stranger: Hex = `0x${'c3'.repeat(20)}`
const word = (value: number | Hex) =>
  pad(typeof value === 'number' ? numberToHex(value) : value, { size: 32 })

/** Offsets of the parts. */
function places(parts: readonly Hex[]): number[] {
  let at = 0
  return parts.map((part) => {
    const place = at
    at += size(part)
    return place
  })
}

/**
 * Code that takes five words (key, value, target, wei, end) and the input for the target. It writes the slot, calls the
 * target, and returns whether the call succeeded, the slot, the target's balance and code hash. It ends with a revert
 * (1), a self-destruction (2) or a creation (3), whose address it returns too. Fewer words do nothing.
 */
function code(): Hex {
  const build = ([reverts, destructs, creates, ends]: readonly number[]): Hex[] => [
    concatHex([
      ...(['0x60a0', '0x36', '0x10', '0x60', numberToHex(ends ?? 0, { size: 1 }), '0x57'] as const),
      ...(['0x602035', '0x5f35', '0x55'] as const),
      ...(['0x60a03603', '0x80', '0x60a0', '0x5f', '0x37'] as const),
      ...(['0x5f5f', '0x82', '0x5f', '0x606035', '0x604035', '0x5a', '0xf1', '0x5f52'] as const),
      ...(['0x5f3554602052', '0x60403531604052', '0x6040353f606052'] as const),
      ...([reverts, destructs, creates] as const).map((place, index) =>
        concatHex([
          '0x608035',
          '0x60',
          numberToHex(index + 1, { size: 1 }),
          '0x1460',
          numberToHex(place ?? 0, { size: 1 }),
          '0x57',
        ]),
      ),
      '0x60a05ff3',
    ]),
    '0x5b60a05ffd',
    '0x5b604035ff',
    '0x5b5f5f5ff060805260a05ff3',
    '0x5b00',
  ]
  return concatHex(build(places(build([])).slice(1)))
}

/** A seeded generator (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

function randomInput(random: (below: number) => number, depth: number): Hex {
  const target = [first, second, stranger][random(3)]!
  return concatHex([
    word(random(3)),
    word(random(3)),
    word(target),
    word(random(3)),
    word(random(5)),
    ...(depth > 0 && random(4) > 0 ? [randomInput(random, depth - 1)] : []),
  ])
}

async function outcome(call: Devnet['call'], method: string, params: unknown[]): Promise<unknown> {
  try {
    return await call(method, ...params)
  } catch (error) {
    const { message, data } = error as { message: string; data?: unknown }
    return { message, data }
  }
}

test('a call sees nothing of those before it on the same block', async () => {
  const { call, from, to } = await startDevnet()
  for (const address of [first, second]) {
    await call('anvil_setCode', address, code())
    await call('anvil_setBalance', address, '0xff')
    await call('anvil_setStorageAt', address, '0x1', word(1))
  }
  const random = randomFrom(7)
  const seen = new Set<string>()
  for (let i = 0; i < 200; i++) {
    const method = ['eth_call', 'eth_estimateGas', 'eth_createAccessList'][random(3)]!
    const transaction = {
      from: [from, to][random(2)],
      to: first,
      data: randomInput(random, 3),
      gas: '0x4c4b40',
    }
    const given = random(10) > 0 ? transaction : { from, data: code() }
    const answer = await outcome(call, method, [given, 'latest'])
    // With overrides, even empty ones, a call gets a fresh state.
    expect(answer).toEqual(await outcome(call, method, [given, 'latest', {}]))
    seen.add(JSON.stringify(answer))
  }
  expect(seen.size).toBeGreaterThan(50)
})

test('calls at several blocks and failing calls do not affect each other', async () => {
  const { call, from } = await startDevnet()
  // Returns slot 0 without input, and writes it otherwise.
  await call('anvil_setCode', first, '0x36600c575f545f5260205ff35b5f355f5500')
  const blocks: [string, Hex][] = []
  for (const value of [7, 8, 9]) {
    await call('anvil_setStorageAt', first, '0x0', word(value))
    await call('anvil_mine')
    blocks.push([await call<Hex>('eth_blockNumber'), word(value)])
    // The next edit is visible at the head's number, which must be another block.
    await call('anvil_mine')
  }
  for (const [block, value] of [...blocks, ['latest', word(9)] as const, ...blocks]) {
    const write = { from, to: first, data: word(5) }
    await call('eth_call', write, block)
    await expect(call('eth_call', { ...write, from: stranger, value: '0x1' }, block)).rejects.toThrow(
      'insufficient funds',
    )
    await expect(call('eth_call', { ...write, gas: '0x6000' }, block)).rejects.toThrow('out of gas')
    expect(await call('eth_call', { from, to: first }, block)).toBe(value)
  }
})
