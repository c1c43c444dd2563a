import { expect, it } from 'vitest'
import { slotOfWord } from './words.js'

it('names each slot by its 32 bytes, even if several end in the same byte', () => {
  const words = [0n, 1n, 0x101n, 2n ** 255n + 1n, 2n ** 256n - 1n]
  for (const word of [...words, ...words.reverse()]) {
    const { bytes, name } = slotOfWord(word)
    expect(Buffer.from(bytes).toString('hex')).toBe(word.toString(16).padStart(64, '0'))
    expect(Buffer.from(name, 'latin1').equals(bytes)).toBe(true)
  }
})
