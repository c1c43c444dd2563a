import { concatHex, type Hex, numberToHex, padHex, stringToHex } from 'viem'

const word = (value: number): Hex => numberToHex(value, { size: 32 })

/** Returns code that returns (`f3`) or reverts with (`fd`) the given data of at most 224 bytes. */
function endingWith(instruction: 'f3' | 'fd', data: Hex): Hex {
  const length = (data.length - 2) / 2
  const stores: Hex[] = []
  for (let at = 0; at < length; at += 32) {
    const chunk = `0x${data.slice(2 + at * 2, 2 + (at + 32) * 2)}` as const
    stores.push(
      '0x7f',
      padHex(chunk, { size: 32, dir: 'right' }),
      '0x60',
      numberToHex(at, { size: 1 }),
      '0x52',
    )
  }
  return concatHex([...stores, '0x60', numberToHex(length, { size: 1 }), `0x6000${instruction}`])
}

const reason = concatHex([
  '0x08c379a0',
  ...[word(32), word(4)],
  padHex(stringToHex('boom'), { size: 32, dir: 'right' }),
])

/** Runtime code of the contracts that requests use, by what it does. */
export const programs: Readonly<Record<string, Hex>> = {
  'returns a word': endingWith('f3', word(7)),
  'reverts with a reason': endingWith('fd', reason),
  'reverts with a panic': endingWith('fd', concatHex(['0x4e487b71', word(0x11)])),
  'reverts with an unknown error': endingWith('fd', concatHex(['0x2202f1fa', word(7)])),
  'reverts without data': '0x5f5ffd',
  'stops at an invalid instruction': '0xfe',
  'loops until gas runs out': '0x5b5f56',
  'underflows the stack': '0x50',
  'jumps to an invalid destination': '0x600056',
  // LOG1 with the caller as data and the block number as topic.
  logs: '0x335f524360205fa1',
  // Increments slot 0 and returns it.
  counts: '0x5f54600101805f555f5260205ff3',
  'returns the base fee': '0x485f5260205ff3',
  'returns the gas price': '0x3a5f5260205ff3',
  'returns the block number': '0x435f5260205ff3',
  'returns prevRandao': '0x445f5260205ff3',
  'returns the coinbase': '0x415f5260205ff3',
  'returns the caller': '0x335f5260205ff3',
  'returns its balance': '0x475f5260205ff3',
  'returns the block gas limit': '0x455f5260205ff3',
  'requires value': '0x346006575f5ffd5b00',
}

/** Addresses of the contracts, in the order of {@link programs}. */
export const contracts: readonly Hex[] = Object.keys(programs).map(
  (_, index) => `0x${'c0'.repeat(19)}${(index + 16).toString(16)}` as const,
)
