import { createHash } from 'node:crypto'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { getActivePrecompiles, paramsEVM, type PrecompileInput } from '@ethereumjs/evm'
import { expect, it } from 'vitest'
import { seededRandom } from '../../../test/support/programs.js'
import { hexToBytes } from '../../encoding/hex.js'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { blake2Compress, ROUNDS_AT_ONCE } from './blake2.js'

/** The fifth test vector of EIP-152, which hashes "abc", without its rounds. */
const ABC =
  '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b' +
  `6bbd41fbabd9831f79217e1319cde05b616263${'00'.repeat(125)}03${'00'.repeat(15)}01`

function compress(rounds: number): string {
  const input = hexToBytes(rounds.toString(16).padStart(8, '0') + ABC)
  return Buffer.from(runToCompletion(blake2Compress(input))).toString('hex')
}

it('compresses like the hash', () => {
  expect(compress(12)).toBe(createHash('blake2b512').update('abc').digest('hex'))
})

it('handles zero rounds, and more than there are schedules', () => {
  // The fourth and the last vector of EIP-152, the latter with fewer rounds.
  expect(compress(0)).toMatch(/^08c9bcf367e6096a3ba7ca8485ae67bb/)
  expect(compress(1)).toMatch(/^b63a380cb2897d521994a85234ee2c18/)
})

it('runs in pieces', () => {
  const input = hexToBytes((10 * ROUNDS_AT_ONCE).toString(16).padStart(8, '0') + ABC)
  expect([...blake2Compress(input)]).toHaveLength(10)
})

it('returns the same as the library', () => {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka, params: paramsEVM })
  const precompile = getActivePrecompiles(common).get('0000000000000000000000000000000000000009')
  const random = seededRandom(1)
  for (let seed = 0; seed < 200; seed++) {
    const data = Uint8Array.from({ length: 213 }, () => random(256))
    // Every twentieth has more rounds than run between two yields.
    data.set([0, 0, seed % 20 === 0 ? 0x13 : 0, seed % 40])
    data[212] = seed & 1
    const input: Partial<PrecompileInput> = { data, gasLimit: 10_000n, common }
    const expected = precompile?.(input as PrecompileInput) as { returnValue: Uint8Array }
    expect(runToCompletion(blake2Compress(data))).toEqual(expected.returnValue)
  }
})
