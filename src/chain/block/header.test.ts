import { RLP } from '@ethereumjs/rlp'
import { expect, test } from 'vitest'
import { decodeHeader, headerFromList } from './header.js'

const hash = (byte: number) => new Uint8Array(32).fill(byte)

/** The fields of every header up to London, with as many bytes of extra data. */
const base = (extraData: number): Uint8Array[] => [
  ...[hash(1), hash(2), new Uint8Array(20).fill(3), hash(4), hash(5), hash(6), new Uint8Array(256).fill(7)],
  ...[[], [0x7f], [0x80], [1, 0, 0], [0x65, 0, 0, 1]].map((number) => Uint8Array.from(number)),
  ...[new Uint8Array(extraData).fill(8), hash(9), new Uint8Array(8)],
]
const later = [[7], hash(10), [], [2, 0, 0], hash(11), hash(12)].map((field) => Uint8Array.from(field))

test.each([0, 1, 32, 55, 56, 300])(
  'a header with %i bytes of extra data is what the library decodes',
  (length) => {
    for (let fields = 0; fields <= later.length; fields++) {
      const rlp = RLP.encode([...base(length), ...later.slice(0, fields)])
      expect(decodeHeader(rlp)).toEqual(headerFromList(RLP.decode(rlp) as Uint8Array[]))
    }
  },
)
