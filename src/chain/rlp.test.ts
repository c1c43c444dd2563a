import { RLP } from '@ethereumjs/rlp'
import { describe, expect, it } from 'vitest'
import { encodeRlp, type RlpInput } from './rlp.js'

const bytes = (length: number, first = 0x80) => new Uint8Array(length).fill(0x11).fill(first, 0, 1)

const inputs: Record<string, RlpInput> = {
  'no bytes': bytes(0),
  'a byte that is its own encoding': Uint8Array.of(0x7f),
  'a zero byte': Uint8Array.of(0),
  'a byte that is not': Uint8Array.of(0x80),
  '55 bytes': bytes(55),
  '56 bytes': bytes(56),
  '255 bytes': bytes(255),
  '256 bytes': bytes(256),
  '65,536 bytes': bytes(65_536),
  '16,777,216 bytes': bytes(16_777_216),
  'an empty list': [],
  'nested lists': [[], [bytes(3), [Uint8Array.of(5), []]], bytes(60)],
  'a list of 55 bytes': [bytes(54)],
  'a list of 56 bytes': [bytes(55)],
  'a long list of lists': Array.from({ length: 300 }, (_, i) => [bytes(i), bytes(1, i & 0xff)]),
}

describe('RLP in one pass', () => {
  it.each(Object.entries(inputs))('encodes %s as the library does', (_, input) => {
    expect(Buffer.compare(encodeRlp(input), RLP.encode(input as Parameters<typeof RLP.encode>[0]))).toBe(0)
  })
})
