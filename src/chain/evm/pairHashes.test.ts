import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, it } from 'vitest'
import { seededRandom } from '../../../test/support/programs.js'
import { hashOfPair } from './syncOpcodes.js'

it('hashes each pair correctly, even if hashed before, at any offset', () => {
  const random = seededRandom(7)
  const memory = new Uint8Array(400).subarray(5)
  const pairs = Array.from({ length: 600 }, () => {
    // Few keys and slots, and pairs that differ in one byte, as in mappings.
    const pair = new Uint8Array(64)
    pair[random(64)] = random(256)
    pair[31] = random(4)
    pair[63] = random(4)
    return pair
  })
  for (const pair of [...pairs, ...pairs.toReversed(), ...pairs]) {
    const offset = random(memory.length - 64)
    memory.set(pair, offset)
    expect(hashOfPair(memory, offset)).toBe(BigInt(`0x${Buffer.from(keccak_256(pair)).toString('hex')}`))
  }
})
