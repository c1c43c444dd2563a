import { createBlockHeader } from '@ethereumjs/block'
import { RLP } from '@ethereumjs/rlp'
import { describe, expect, test } from 'vitest'
import { createRules } from '../evm/forkSchedule.js'
import type { HeaderFields } from '../types.js'
import { blobBaseFee, decodeHeader, headerFromList, nextBaseFee, nextExcessBlobGas } from './header.js'

const hash = (byte: number) => new Uint8Array(32).fill(byte)

/** The fields of every header before London, with this many bytes of extra data. */
const base = (extraData: number): Uint8Array[] => [
  ...[hash(1), hash(2), new Uint8Array(20).fill(3), hash(4), hash(5), hash(6), new Uint8Array(256).fill(7)],
  ...[[], [0x7f], [0x80], [1, 0, 0], [0x65, 0, 0, 1]].map((number) => Uint8Array.from(number)),
  ...[new Uint8Array(extraData).fill(8), hash(9), new Uint8Array(8)],
]
const later = [[7], hash(10), [], [2, 0, 0], hash(11), hash(12)].map((field) => Uint8Array.from(field))

test.each([0, 1, 32, 55, 56, 300])(
  'the library decodes a header with %i bytes of extra data alike',
  (length) => {
    for (let fields = 0; fields <= later.length; fields++) {
      const rlp = RLP.encode([...base(length), ...later.slice(0, fields)])
      expect(decodeHeader(rlp)).toEqual(headerFromList(RLP.decode(rlp) as Uint8Array[]))
    }
  },
)

const rules = createRules({ chainId: 31337n, hardfork: 'osaka' })

/** A parent with only the fields that determine the fees of the next block. */
function parent(fields: Partial<HeaderFields>): HeaderFields {
  return { gasLimit: 30_000_000n, gasUsed: 0n, baseFeePerGas: 1_000_000_000n, ...fields } as HeaderFields
}

describe('base fee', () => {
  test('falls by an eighth after an empty block and rises by one after a full one', () => {
    expect(nextBaseFee(parent({}), rules)).toBe(875_000_000n)
    expect(nextBaseFee(parent({ gasUsed: 30_000_000n }), rules)).toBe(1_125_000_000n)
    expect(nextBaseFee(parent({ gasUsed: 15_000_000n }), rules)).toBe(1_000_000_000n)
  })

  test('rises by at least one wei', () => {
    expect(nextBaseFee(parent({ gasUsed: 15_000_001n, baseFeePerGas: 7n }), rules)).toBe(8n)
  })

  test('is absent before London and starts at one gwei with it', () => {
    expect(nextBaseFee(parent({}), createRules({ chainId: 1n, hardfork: 'berlin' }))).toBeUndefined()
    const { baseFeePerGas, ...before } = parent({})
    expect(baseFeePerGas).toBeDefined()
    expect(nextBaseFee(before, rules)).toBe(1_000_000_000n)
  })

  test('equals that of ethereumjs for many parents', () => {
    for (let i = 0; i < 200; i++) {
      const gasUsed = BigInt((i * 7919 * 1009) % 30_000_001)
      const baseFeePerGas = BigInt(7 + ((i * 104_729) % 5_000_000_000))
      const header = createBlockHeader(
        { number: 5, gasLimit: 30_000_000, gasUsed, baseFeePerGas },
        { common: rules },
      )
      expect(nextBaseFee(parent({ gasUsed, baseFeePerGas }), rules)).toBe(header.calcNextBaseFee())
    }
  })
})

describe('blob gas', () => {
  test('costs one wei without excess, as in EIP-4844', () => {
    expect(blobBaseFee(0n, 5_007_716n)).toBe(1n)
    expect(blobBaseFee(2_314_057n, 3_338_477n)).toBe(1n)
    expect(blobBaseFee(2_314_058n, 3_338_477n)).toBe(2n)
  })

  test('has the same excess as in ethereumjs under the rules of each fork', () => {
    for (const hardfork of ['cancun', 'prague', 'osaka', 'bpo1', 'bpo2'] as const) {
      const fork = createRules({ chainId: 31337n, hardfork })
      for (let i = 0; i < 50; i++) {
        const excessBlobGas = BigInt((i * 786_433) % 60_000_000)
        const blobGasUsed = BigInt(i % 7) * 131_072n
        const baseFeePerGas = BigInt((i * 15_485_863) % 100_000_000_000)
        const header = createBlockHeader(
          { number: 5, gasLimit: 30_000_000, excessBlobGas, blobGasUsed, baseFeePerGas },
          { common: fork },
        )
        expect(nextExcessBlobGas(parent({ excessBlobGas, blobGasUsed, baseFeePerGas }), fork)).toBe(
          header.calcNextExcessBlobGas(fork),
        )
      }
    }
  })
})
